"""Replays are judged as what they replay, count in no statistics and open no complaint."""

from goldrank.actions import (
    ArchiveCase,
    ListComplaints,
    Promote,
    RemoveLabel,
    ShowRequest,
    UndoLabel,
    archive_case,
    list_complaints,
    promote,
    remove_label,
    show,
    undo_label,
)
from goldrank.model import Complaint, Feedback, Verdict
from goldrank.store import IntakeBatch, RequestFilter

LEG = {"bm25": "a b c d e"}


def rows(desk, **which):
    """The list by id."""
    return {row.request_id: row for row in desk.store.requests.page(RequestFilter(**which), limit=100).rows}


def test_a_label_judges_the_replays_with_the_request(desk):
    """A label that is set, taken back or undone changes the verdict of the replays in the same step."""
    original = desk.record(1, legs=LEG, prompt="a b")
    replay = desk.record(2, question="cancel the contract?", legs=LEG, prompt="a b c", replay_of=original)
    desk.label(original, "c")

    assert rows(desk)[original].verdict == Verdict.BELOW_CUT.value
    assert rows(desk)[replay].verdict == Verdict.DELIVERED.value
    assert (rows(desk)[replay].labelled, rows(desk)[replay].inherited) == (False, True)
    (label,) = desk.store.labels.of(original)
    remove_label(desk.workspace, RemoveLabel(request_id=original, label_id=label.label_id))
    assert rows(desk)[replay].verdict == Verdict.NO_LABEL.value
    undo_label(desk.workspace, UndoLabel(request_id=original))
    assert rows(desk)[replay].verdict == Verdict.DELIVERED.value


def test_a_replay_shows_whose_labels_it_has(desk):
    """They are no labels of its own: nothing is copied, and its own come before them."""
    original = desk.record(1)
    replay = desk.record(2, question="cancel the contract?", replay_of=original)
    desk.label(original, "c")

    (label,) = show(desk.workspace, ShowRequest(request=replay)).labels
    assert (label.target.chunk_id, label.from_request, label.inherited) == ("c", original, True)
    assert desk.store.labels.of(replay) == ()
    desk.label(replay, "d")
    (label,) = show(desk.workspace, ShowRequest(request=replay)).labels
    assert (label.target.chunk_id, label.inherited) == ("d", False)
    assert show(desk.workspace, ShowRequest(request=original)).labels[0].target.chunk_id == "c"


def test_a_case_of_the_replayed_reaches_its_replays(desk):
    """A replay with another question inherits the case of the request that it replays, as long as the case counts."""
    original, asked_again = desk.record(1), desk.record(2)
    replay = desk.record(3, question="cancel the contract?", replay_of=asked_again)
    desk.label(original, "c")
    case = promote(desk.workspace, Promote(request_id=original)).case

    assert rows(desk)[asked_again].inherited
    assert rows(desk)[replay].inherited
    assert rows(desk)[replay].verdict == rows(desk)[asked_again].verdict
    archive_case(desk.workspace, ArchiveCase(case_id=case.case_id))
    assert rows(desk)[replay].verdict == Verdict.NO_LABEL.value


def test_labels_are_own_or_inherited_for_the_filter(desk):
    """ "Labelled" lists what has a verdict, "not labelled" what still needs one."""
    original, other = desk.record(1), desk.record(2, question="Something else?")
    replay = desk.record(3, replay_of=original, question="cancel the contract?")
    desk.label(original, "c")

    assert set(rows(desk, labelled=True)) == {original, replay}
    assert set(rows(desk, labelled=False)) == {other}


def test_replays_are_in_no_statistics(desk):
    """The verdicts that a page counts are those of what users asked."""
    original = desk.record(1, legs=LEG)
    desk.record(2, legs=LEG, replay_of=original)
    desk.label(original, "c")

    assert desk.store.requests.facets().verdicts == {Verdict.BELOW_CUT.value: 1}


def test_feedback_on_a_replay_is_no_complaint(desk):
    """An app that rates its own replay has no user who complains; what a person wrote of one stays readable."""
    original = desk.record(1)
    replay = desk.record(2, replay_of=original)
    thumbs = (
        Feedback(feedback_id=f"f-{one}", request_id=one, score=-1.0, comment="bad", at_ns=1)
        for one in (original, replay)
    )
    desk.store.intake.commit(IntakeBatch(feedback=tuple(thumbs)))

    assert set(rows(desk, complained=True)) == {original}
    assert {one: row.complaints for one, row in rows(desk).items()} == {original: ("thumbs down",), replay: ()}
    desk.store.complaints.save(Complaint(complaint_id="T-1", text="the replay is odd", at_ns=2, request_id=replay))
    assert [row.request_id for row in list_complaints(desk.workspace, ListComplaints()).rows] == [replay]
