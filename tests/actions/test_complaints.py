"""A complaint from the ticket to its end: stored, linked, labelled, promoted, closed, and open again."""

from __future__ import annotations

import pytest
from goldrank.actions import (
    AddComplaint,
    AssignComplaint,
    CloseComplaint,
    LinkComplaint,
    ListComplaints,
    NoteComplaint,
    OpenComplaint,
    Promote,
    ReopenComplaint,
    UnlinkComplaint,
    add_complaint,
    assign_complaint,
    close_complaint,
    link_complaint,
    list_complaints,
    note_complaint,
    open_complaint,
    promote,
    reopen_complaint,
    unlink_complaint,
)
from goldrank.actions.reexamine import reexamine
from goldrank.model import NotFound, Refused, UsageError
from goldrank.model.complaint import ComplaintSource, ComplaintState
from goldrank.model.redaction import redact_email
from goldrank.store import ComplaintFilter

FIXED = ComplaintState.FIXED


def add(desk, text: str = "It told me 14 days.", complaint_id: str = "T-1", **fields):
    """A pasted ticket."""
    return add_complaint(desk.workspace, AddComplaint(text=text, complaint_id=complaint_id, **fields))


def state(desk, complaint_id: str = "T-1") -> ComplaintState:
    """How far it has come."""
    return open_complaint(desk.workspace, OpenComplaint(complaint_id=complaint_id)).row.state


def ids(desk, **which) -> list[str]:
    """The complaints that a filter lets through."""
    page = list_complaints(desk.workspace, ListComplaints(which=ComplaintFilter(**which)))
    return [row.complaint.complaint_id for row in page.rows]


def test_the_life_of_a_complaint(desk):
    """New, linked, labelled, promoted follow from the facts; the time to the verdict is kept."""
    request_id = desk.record()
    assert add(desk).row.state is ComplaintState.NEW
    linked = link_complaint(desk.by("mara"), LinkComplaint(complaint_id="T-1", request=request_id)).row
    assert (linked.state, linked.complaint.linked_by, linked.verdict_after_s) == (ComplaintState.LINKED, "mara", None)
    desk.label(request_id, "c")
    row = open_complaint(desk.workspace, OpenComplaint(complaint_id="T-1")).row
    assert row.state is ComplaintState.LABELLED
    assert row.verdict_after_s is not None
    assert row.verdict_after_s > 0
    promote(desk.workspace, Promote(request_id=request_id))
    assert state(desk) is ComplaintState.PROMOTED
    closed = close_complaint(desk.workspace, CloseComplaint(complaint_id="T-1", state=FIXED, reason="page rewritten"))
    assert closed.row.state is ComplaintState.FIXED
    assert reopen_complaint(desk.workspace, ReopenComplaint(complaint_id="T-1")).row.state is ComplaintState.PROMOTED
    history = open_complaint(desk.workspace, OpenComplaint(complaint_id="T-1")).history
    assert [one.closing is not None for one in history] == [False, False, False, True, False]


def test_the_first_verdict_counts(desk):
    """Later labels and an undo leave its time."""
    request_id = desk.record()
    add(desk, request=request_id)
    desk.label(request_id, "c")
    first = open_complaint(desk.workspace, OpenComplaint(complaint_id="T-1")).row.complaint.verdict_at_ns
    desk.label(request_id, "d")
    assert open_complaint(desk.workspace, OpenComplaint(complaint_id="T-1")).row.complaint.verdict_at_ns == first


def test_a_link_to_a_labelled_request_has_its_verdict_at_once(desk):
    """The time of the link is the time of the verdict."""
    request_id = desk.record()
    desk.label(request_id, "c")
    add(desk)
    assert link_complaint(desk.workspace, LinkComplaint(complaint_id="T-1", request=request_id)).row.verdict_after_s


def test_only_an_exact_id_links_by_itself(desk):
    """The first digits lead a person to it, and link nothing."""
    request_id = desk.record(request_id="7f3a9c12" + "0" * 24 + "-" + "1" * 16)
    assert add(desk, f"wrong: {request_id}", "T-1").row.request_id == request_id
    short = add(desk, f"wrong: {request_id[:12]}", "T-2").row
    assert (short.state, short.named_id) == (ComplaintState.NEW, request_id)


def test_a_ticket_that_names_several_requests_says_so(desk):
    """Nobody can tell which is meant; that it names none would be wrong."""
    both = f"first {desk.record(1)}, then {desk.record(2)}"
    assert add(desk, both).row.request_words == "names 2 requests; not linked"
    assert add(desk, "no id", "T-2").row.request_words == "names no request"


def test_a_link_that_a_person_took_away_stays_away(desk):
    """The ticket comes again with the same id in it."""
    request_id = desk.record()
    add(desk, f"wrong: {request_id}")
    unlinked = unlink_complaint(desk.workspace, UnlinkComplaint(complaint_id="T-1")).row
    assert (unlinked.state, unlinked.complaint.linked_by) == (ComplaintState.NEW, "anna")
    assert add(desk, f"wrong: {request_id}, still").row.state is ComplaintState.NEW


def test_a_ticket_that_comes_again_keeps_what_people_did(desk):
    """Another text is a renewal; the same text changes nothing."""
    request_id = desk.record()
    add(desk, at_ns=5)
    link_complaint(desk.workspace, LinkComplaint(complaint_id="T-1", request=request_id))
    assign_complaint(desk.workspace, AssignComplaint(complaint_id="T-1", owner="mara"))
    assert not add(desk, at_ns=5).changed
    again = add(desk, "It told me 14 days! Answer me.", at_ns=5)
    assert again.changed
    assert (again.row.request_id, again.row.complaint.owner) == (request_id, "mara")
    assert again.row.complaint.text == "It told me 14 days! Answer me."


def test_a_replay_is_refused_with_what_to_link(desk):
    """No user saw its answer."""
    request_id = desk.record(1)
    replay = desk.record(2, replay_of=request_id)
    add(desk)
    with pytest.raises(Refused, match=r"is a replay of .* Link .* instead"):
        link_complaint(desk.workspace, LinkComplaint(complaint_id="T-1", request=replay))


def test_closing_needs_a_case_a_replay_or_a_reason(desk):
    """And says so."""
    add(desk)
    with pytest.raises(UsageError, match="needs a passing case, a replay that shows it, or a reason"):
        close_complaint(desk.workspace, CloseComplaint(complaint_id="T-1", state=FIXED, reason="  "))
    assert state(desk) is ComplaintState.NEW


def test_a_case_that_fails_closes_nothing(desk):
    """Its newest request is the one that counts: once that delivers, the case passes."""
    request_id = desk.record(1, prompt="a b")
    desk.label(request_id, "c")
    case = promote(desk.workspace, Promote(request_id=request_id)).case
    assert case is not None
    add(desk, request=request_id)
    ask = CloseComplaint(complaint_id="T-1", state=FIXED, case=case.case_id[:6])
    with pytest.raises(Refused, match="does not pass"):
        close_complaint(desk.workspace, ask)
    later = desk.record(2, legs={"bm25": "c a b"}, prompt="c a")
    reexamine(desk.store, later)
    closing = close_complaint(desk.workspace, ask).row.complaint.closing
    assert closing is not None
    assert (closing.case_id, closing.who) == (case.case_id, "anna")


def test_a_replay_must_be_one_of_the_request(desk):
    """Another request, or a replay of another question, shows nothing."""
    request_id, other = desk.record(1), desk.record(2, question="What is a trial?")
    add(desk, request=request_id)
    for wrong, why in (
        (other, "no replay"),
        (desk.record(3, question="What is a trial?", replay_of=other), "is about"),
    ):
        with pytest.raises(Refused, match=why):
            close_complaint(desk.workspace, CloseComplaint(complaint_id="T-1", state=FIXED, replay=wrong))
    replay = desk.record(4, replay_of=request_id)
    ask = CloseComplaint(complaint_id="T-1", state=ComplaintState.NOT_REPRODUCIBLE, replay=replay)
    assert close_complaint(desk.workspace, ask).row.state is ComplaintState.NOT_REPRODUCIBLE


def test_what_people_write_is_redacted(desk):
    """Text, user, notes and reasons alike."""
    desk.workspace = desk.workspace._replace(redact=(redact_email,))
    add(desk, "ann@example.org got it", who="ann@example.org")
    note_complaint(desk.workspace, NoteComplaint(complaint_id="T-1", text="asked ann@example.org"))
    close_complaint(desk.workspace, CloseComplaint(complaint_id="T-1", state=FIXED, reason="told ann@example.org"))
    reopen_complaint(desk.workspace, ReopenComplaint(complaint_id="T-1", reason="ann@example.org again"))
    history = open_complaint(desk.workspace, OpenComplaint(complaint_id="T-1")).history
    assert all("example.org" not in one.model_dump_json() for one in history)
    assert [note.text for note in history[-1].notes] == ["asked [e-mail]", "Reopened: [e-mail] again"]


def test_the_list_is_filtered_and_counted(desk):
    """By state, owner, words and whether it is open; the numbers say what else there is."""
    request_id = desk.record()
    add(desk, "refund in 14 days", "T-1", at_ns=3, who="u-17")
    add(desk, "no VAT in Switzerland", "T-2", at_ns=2)
    add(desk, "salary table shown", "T-3", at_ns=1, request=request_id)
    assign_complaint(desk.workspace, AssignComplaint(complaint_id="T-2", owner="Mara"))
    close_complaint(
        desk.workspace, CloseComplaint(complaint_id="T-2", state=ComplaintState.NOT_ANSWERABLE, reason="no page")
    )
    assert ids(desk) == ["T-1", "T-2", "T-3"]
    assert ids(desk, open=True) == ["T-1", "T-3"]
    assert ids(desk, open=False) == ids(desk, owner="mara") == ids(desk, words="vat SWITZ") == ["T-2"]
    assert ids(desk, words="u-17") == ids(desk, words="t-1") == ["T-1"]
    assert ids(desk, states=(ComplaintState.NEW, ComplaintState.LINKED)) == ["T-1", "T-3"]
    page = list_complaints(desk.workspace, ListComplaints(which=ComplaintFilter(open=True), limit=1, offset=1))
    assert ([row.complaint.complaint_id for row in page.rows], page.total, page.stored) == (["T-3"], 2, 3)
    assert page.states == {ComplaintState.NEW: 1, ComplaintState.LINKED: 1, ComplaintState.NOT_ANSWERABLE: 1}
    assert page.owners == ("Mara",)


def test_a_complaint_is_named_by_the_beginning_of_its_id(desk):
    """Where that is unique; else they are listed."""
    add(desk, complaint_id="SUP-1001")
    add(desk, complaint_id="SUP-1002")
    assert (
        open_complaint(desk.workspace, OpenComplaint(complaint_id="sup-1002")).row.complaint.complaint_id == "SUP-1002"
    )
    with pytest.raises(UsageError, match="SUP-1001, SUP-1002"):
        open_complaint(desk.workspace, OpenComplaint(complaint_id="SUP-1"))
    with pytest.raises(NotFound, match="goldrank complaints"):
        open_complaint(desk.workspace, OpenComplaint(complaint_id="X-1"))


def test_a_ticket_without_an_id_gets_one_and_its_head_dates_it(desk):
    """ "Sent: ..." says when it was written; the source is said too."""
    row = add(desk, "Sent: 28 Oct 2026, 16:40\n\nIt is wrong", "", zone="UTC").row
    assert row.complaint.complaint_id.startswith("c-")
    assert row.complaint.at_ns == 1_793_205_600_000_000_000
    assert row.complaint.source is ComplaintSource.TICKET
    with pytest.raises(UsageError, match="empty"):
        add(desk, " \n")
