"""Complaints and feedback keep their newest revision."""

from __future__ import annotations

from goldrank.model import Complaint, Feedback
from goldrank.store import IntakeBatch

TICKET = Complaint(complaint_id="T-1", app="bot", text="Wrong\x00 answer", who="ann", at_ns=5)
LINKED = TICKET.model_copy(update={"request_id": "r1"})


def test_newest_first_in_pages(store):
    """By time descending, then by id."""
    for complaint_id, at_ns in (("b", 1), ("a", 1), ("c", 2)):
        store.complaints.save(Complaint(complaint_id=complaint_id, text="x", at_ns=at_ns))
    assert [one.complaint_id for one in store.complaints.list()] == ["c", "a", "b"]
    assert [one.complaint_id for one in store.complaints.list(limit=1, offset=1)] == ["a"]
    assert store.complaints.count() == 3


def test_a_link_replaces_what_was_said_before(store):
    """A ticket that a person links is one ticket, now of that request."""
    store.complaints.save(TICKET)
    store.complaints.save(LINKED)
    assert store.complaints.get("T-1") == LINKED
    assert store.complaints.of("r1") == (LINKED,)
    assert store.complaints.count() == 1
    assert store.complaints.get("T-2") is None


def test_what_may_be_about_a_request_holds_its_first_digits(store):
    """Linked ones, oldest first; then unlinked ones that hold the head of either id in any case, newest first."""
    request_id = "0123abcd" + "e" * 24 + "-89abcdef" + "0" * 8
    linked = {"request_id": request_id}
    for name, text, at_ns, fields in (
        ("late", "no id", 9, linked),
        ("early", "no id", 2, linked),
        ("root", "see 89ABCDEF", 5, {}),
        ("trace", "see 0123ABCD…", 7, {}),
        ("short", "see 0123abc", 8, {}),
        ("other", "see 0123abcd", 8, {"request_id": "r2"}),
    ):
        store.complaints.save(Complaint(complaint_id=name, text=text, at_ns=at_ns, **fields))
    found = [one.complaint_id for one in store.complaints.perhaps_of(request_id)]
    assert found == ["early", "late", "trace", "root"]


def test_a_frame_read_again_does_not_undo_a_link(store):
    """The ticket arrives a second time without its link: the link stays. A person may take it back."""
    store.intake.commit(IntakeBatch(complaints=(TICKET,)))
    store.complaints.save(LINKED)
    store.intake.commit(IntakeBatch(complaints=(TICKET,)))
    assert store.complaints.get("T-1") == LINKED
    store.complaints.save(TICKET)
    assert store.complaints.get("T-1") == TICKET


def test_a_ticket_that_comes_twice_at_once(store):
    """What is the same is stored once; what says something else renews the one before it."""
    other = TICKET.model_copy(update={"text": "Still wrong"})
    store.intake.commit(IntakeBatch(complaints=(TICKET, TICKET, other, TICKET)))
    assert store.complaints.history("T-1") == (TICKET, other)
    assert store.complaints.several({"T-1", "T-2"}) == {"T-1": other}


def test_feedback_of_a_request(store):
    """In its order, each once."""
    first = Feedback(feedback_id="f1", request_id="r", score=-1, comment="no", at_ns=1)
    second = Feedback(feedback_id="f2", request_id="r", score=1, at_ns=2)
    store.intake.commit(IntakeBatch(feedback=(second, first)))
    store.intake.commit(IntakeBatch(feedback=(first,)))
    assert store.complaints.feedback("r") == (first, second)
    assert store.complaints.feedback("other") == ()
