"""Logs as evaluation tools, data frames and people leave them: what cannot be told is said, and nothing is made up."""

from __future__ import annotations

import json

import pytest
from goldrank.collectors.dialects.json_text import load

TEXTS = ["Returns are free within 30 days.", "Software cannot be returned once opened."]
ROW = {"user_input": "How long?", "response": "30 days.", "retrieved_contexts": TEXTS}


def test_contexts_of_a_reference_are_what_should_have_been_found(desk, write):
    """Ragas writes them beside those that were found; no stage of the app made them."""
    done = desk(write("log.jsonl", ROW | {"reference_contexts": TEXTS[:1], "reference": "30 days"}))

    recorded = desk.one()
    assert [stage.name for stage in recorded.stages] == ["retrieved"]
    assert "expected         reference_contexts" in done.out
    assert "1 label saved." in done.out


def test_expected_texts_have_the_ids_of_the_hits(rows_of, write):
    """By their texts; one that no hit has is left out where the hits have ids of their own, and that is said."""
    hits = [{"id": "a", "text": TEXTS[0]}, {"id": "b", "text": TEXTS[1]}]
    row = {"question": "q?", "results": hits, "ground_truth_contexts": [TEXTS[1], "Another text that nobody found."]}
    (found,) = rows_of(write("log.jsonl", row))

    assert [gold.passage for gold in found.golds] == ["b"]
    assert any(remark.startswith("expected passages whose text no hit has") for remark in found.remarks)


@pytest.mark.parametrize("gap", [" ", "\n "])
def test_arrays_of_numpy_are_lists(rows_of, write, gap):
    """They have no commas: two texts are two texts."""
    cell = f"['It''s 30 days.'{gap}\"It's not.\"{gap}'the \\'third\\', too']".replace("It''s", "It is")
    assert load(cell) == ["It is 30 days.", "It's not.", "the 'third', too"]
    assert load("['a', 'b']") == ["a", "b"]
    assert load("{'a': 'b' , 'c': \"d ' 'e\"}") == {"a": "b", "c": "d ' 'e"}
    path = write("log.csv", f'question,contexts\n"q?","{cell.replace(chr(34), chr(34) * 2)}"\n'.encode())
    (found,) = rows_of(path)
    assert len(found.stages[0].ids or ()) == 3


def test_ids_as_numbers_are_ids(rows_of, write):
    """Whole, with a point behind, or mixed with texts."""
    rows = [
        {"question": f"q{n}?", "retrieved_ids": ids} for n, ids in enumerate([[12, 13, 12], [12.0, 7.0], ["12", 7]])
    ]
    found = rows_of(write("log.jsonl", *rows))
    assert [one.stages[0].ids for one in found] == [("12", "13", "12"), ("12", "7"), ("12", "7")]


@pytest.mark.parametrize(
    ("dates", "starts", "note"),
    [
        (["01/12/2025 10:00", "31/12/2025"], ["2025-12-01T10:00:00", "2025-12-31T00:00:00"], ""),
        (["01/12/2025 10:00", "12/31/2025"], ["2025-01-12T10:00:00", "2025-12-31T00:00:00"], ""),
        (["03/04/2025", "05/06/2025"], ["2025-03-04T00:00:00", "2025-05-06T00:00:00"], "is taken for month/day/year"),
    ],
)
def test_one_date_shows_the_order_of_all(desk, write, dates, starts, note):
    """Day or month first is a matter of the column and not of each date; where nothing shows it, it is said."""
    path = write("log.jsonl", *({"question": "q?", "retrieved_ids": ["a"], "date": date} for date in dates))
    done = desk(path)

    begun = sorted(one.request.start_ns for one in desk.stored())
    wanted = sorted(ns_of(start) for start in starts)
    assert begun == wanted
    assert note in done.out
    assert note or "taken for" not in done.out


def ns_of(text: str) -> int:
    """Nanoseconds of a time in UTC."""
    from datetime import UTC, datetime

    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()) * 10**9


def test_yesterday_is_no_time_in_a_log(desk, write):
    """Tomorrow it would be another day: the line is named."""
    done = desk(write("log.jsonl", {"question": "q?", "retrieved_ids": ["a"], "time": "yesterday 10:00"}))
    assert "'yesterday 10:00' is no time" in done.err


@pytest.mark.parametrize("form", ["lists", "objects"])
def test_a_table_by_column(rows_of, write, form):
    """As data frames and data sets write themselves to JSON."""
    columns = {"question": ["q1?", "q2?"], "answer": ["x", None], "retrieved_ids": [["a"], ["b", "c"]]}
    if form == "objects":
        columns = {name: dict(enumerate(values)) for name, values in columns.items()}
    found = rows_of(write("log.json", json.dumps(columns).encode()))
    assert [one.stages[0].ids for one in found] == [("a",), ("b", "c")]


def test_what_is_no_log_lies_in_a_folder(desk, write):
    """It is named and passed over, before and in the import; named by a person it is asked about."""
    log = write("logs/a.jsonl", {"question": "q?", "retrieved_ids": ["a"]})
    config = write("logs/config.json", b'{"model": "m", "top_k": 5}')
    write("logs/picture.png", b"\x89PNG\r\n\x1a\n" + bytes(200))

    for more in (["--dry-run"], []):
        done = desk(log.parent, *more)
        assert f"goldrank: {config}: no column is known as the question (model, top_k)." in done.err
        assert "picture.png is a picture" in done.err
        assert f"{log} (a log, JSON lines)" in done.out
    assert len(desk.stored()) == 1
    assert desk(config).code == 2


def test_a_dry_run_names_bad_lines(desk, write):
    """Those up to the last row that it shows: nobody should be surprised by the import."""
    good = json.dumps({"question": "q?", "retrieved_ids": ["a"]})
    path = write("log.jsonl", "\n".join([good, "no json", "[1]", good, good, good, "also none"]).encode())
    done = desk(path, "--dry-run")
    assert "line 2: it is no JSON" in done.err
    assert "line 3: a JSON object was expected, it is a list." in done.err
    assert "line 7" not in done.err
    assert [one["line"] for one in desk(path, "--dry-run", "--json").json["bad"]] == [2, 3]
