"""Exports of help desks: what can be read is stored, the rest is named by line and reason."""

from __future__ import annotations

import json

import pytest
from goldrank.actions import ComplaintsImported, ImportComplaints, import_complaints
from goldrank.model import BadInput, UsageError

CSV = """Ticket ID,Created At,Requester,Subject,Description,Status
T-1,2026-10-28T10:00:00Z,u-17,Refund,"It told me
14 days",open
T-2,28.10.2026 14:05,u-18,,No VAT in Switzerland,open
T-3,whenever,u-19,Broken,It is,open
T-4,2026-10-28,u-20
T-1,2026-10-28,u-17,Again,twice,open
,,,,,
T-5,2026-10-28,u-20,,,open
"""


def run(desk, text: str, **fields) -> ComplaintsImported:
    """Imports a file in UTC."""
    return import_complaints(desk.workspace, ImportComplaints(text=text, source="t.csv", zone="UTC", **fields))


def test_a_csv_export(desk):
    """Usual names of columns, fields over several lines, and each bad line with its reason."""
    done = run(desk, CSV, app="bot")
    assert (done.created, done.updated, done.unchanged) == (2, 0, 0)
    assert [(one.line, one.reason.split(" ")[0]) for one in done.bad] == [
        (5, "'whenever'"),
        (6, "it"),
        (7, "ticket"),
        (9, "it"),
    ]
    first, second = desk.store.complaints.get("T-1"), desk.store.complaints.get("T-2")
    assert (first.text, first.who, first.app) == ("Refund\n\nIt told me\n14 days", "u-17", "bot")
    assert second.at_ns - first.at_ns == (4 * 60 + 5) * 60 * 10**9


def test_the_same_file_again_changes_nothing(desk):
    """Also where it has neither ids nor times."""
    for text in (CSV, '{"text": "no id, no time"}\n{"text": "another"}\n'):
        created = run(desk, text).created
        again = run(desk, text)
        assert (again.created, again.updated, again.unchanged) == (0, 0, created)


def test_a_row_that_says_something_else_renews_the_ticket(desk):
    """A help desk's export of the next day."""
    run(desk, CSV)
    assert run(desk, CSV.replace("14 days", "40 days")).updated == 1


def test_json_lines_and_arrays(desk):
    """A person may be an object; a line that is none is named."""
    lines = [
        {
            "id": 7,
            "description": "a",
            "requester": {"name": "Ann", "email": "ann@example.org"},
            "created_at": 1793181600,
        },
        {"id": 8, "body": "b"},
    ]
    done = run(desk, "\n".join([json.dumps(lines[0]), "{oops", json.dumps(lines[1])]))
    assert (done.created, [one.line for one in done.bad]) == (2, [2])
    assert desk.store.complaints.get("7").who == "ann@example.org"
    assert desk.store.complaints.get("7").at_ns == 1793181600 * 10**9
    assert run(desk, json.dumps(lines)).unchanged == 2


def test_columns_of_other_names_are_declared(desk):
    """And what no field is called, or no column, is said."""
    text = "Nr;Problem\n1;it is wrong\n"
    with pytest.raises(UsageError, match="no field"):
        run(desk, text, columns={"txt": "Problem"})
    assert "--column text=NAME" in run(desk, text).bad[0].reason
    assert "no column 'Porblem'" in run(desk, text, columns={"text": "Porblem"}).bad[0].reason
    assert run(desk, text, columns={"text": "problem", "complaint_id": "Nr"}).created == 1
    assert desk.store.complaints.get("1").text == "it is wrong"


def test_a_request_id_in_a_column_or_in_the_text_links(desk):
    """One that is not known here does not cost the ticket."""
    request_id = desk.record()
    text = json.dumps([{"id": "1", "text": "x", "request_id": request_id}, {"id": "2", "text": f"see {request_id}"}])
    assert run(desk, text).linked == 2
    assert run(desk, json.dumps([{"id": "3", "text": "x", "request_id": "f" * 32}])).created == 1


@pytest.mark.parametrize("text", ["", "  \n", "[1, 2", "\ufeff"])
def test_what_is_no_file_of_tickets_is_refused(desk, text):
    """By its name."""
    with pytest.raises(BadInput, match=r"t\.csv"):
        run(desk, text)


def test_broken_quoting_ends_the_file_there(desk):
    """What stands before it is stored."""
    done = run(desk, 'id,text\n1,fine\n2,"never closed\n3,x\n')
    assert done.created == 1
    assert "no CSV" in done.bad[0].reason


def test_a_long_file_takes_few_steps(desk):
    """A thousand tickets are looked up and stored together: one by one, an export of ten thousand took minutes."""
    steps: list[str] = []

    class Counted:
        def __getattr__(self, name: str):
            steps.append(name)
            return getattr(desk.store.complaints, name)

    class Store:
        complaints = Counted()

        def __getattr__(self, name: str):
            return getattr(desk.store, name)

    text = "id,text\n" + "".join(f"T-{number},ticket {number}\n" for number in range(1500))
    ask = ImportComplaints(text=text, source="t.csv")
    done = import_complaints(desk.workspace._replace(store=Store()), ask)
    assert (done.created, desk.store.complaints.count()) == (1500, 1500)
    assert len(steps) == 4, steps
