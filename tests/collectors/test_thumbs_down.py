"""Thumbs down opens a complaint: once, about the request that it names, and never about a replay."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from goldrank.collectors import Ingester
from goldrank.model import Complaint, Feedback, wire
from goldrank.model.complaint import Closing, ComplaintSource, ComplaintState
from goldrank.store.duckdb import DuckStore
from wire_spans import T0_NS, TRACE, make_request, span_id

Write = Callable[..., None]
ROOT = f"{TRACE}-{span_id(1)}"
OTHER = "ab" * 16


def thumbs(
    feedback_id: str = "f1", *, score: float = -1, request_id: str = ROOT, comment: str | None = None
) -> Feedback:
    """A user's click."""
    return Feedback(feedback_id=feedback_id, request_id=request_id, score=score, comment=comment, at_ns=T0_NS + 9)


def ids(store: DuckStore) -> list[str]:
    """The complaints that are there."""
    return sorted(one.complaint_id for one in store.complaints.list())


def test_thumbs_down_opens_one_linked_to_its_request(ingester: Ingester, write: Write, store: DuckStore) -> None:
    """With the comment as its text, the request's app, and no person who linked it."""
    write(make_request(1), thumbs(comment="not what I asked"))
    ingester.run_once()
    (complaint,) = store.complaints.of(ROOT)
    assert (complaint.complaint_id, complaint.source) == ("feedback-f1", ComplaintSource.FEEDBACK)
    assert (complaint.text, complaint.at_ns, complaint.linked_by) == ("not what I asked", T0_NS + 9, None)
    assert complaint.app == "bot"


def test_thumbs_up_opens_none(ingester: Ingester, write: Write, store: DuckStore) -> None:
    """Nor does a score of nothing."""
    write(make_request(1), thumbs("f1", score=1), thumbs("f2", score=0))
    ingester.run_once()
    assert ids(store) == []


def test_once_for_each_feedback(ingester: Ingester, write: Write, store: DuckStore) -> None:
    """A frame that comes again, and one that was closed, open nothing; nor does another click while one is open."""
    write(make_request(1), thumbs("f1"), thumbs("f1"), thumbs("f2"))
    ingester.run_once()
    assert ids(store) == ["feedback-f1"]
    (complaint,) = store.complaints.list()
    closing = Closing(state=ComplaintState.FIXED, reason="done", who="ann", at_ns=1)
    store.complaints.save(complaint.model_copy(update={"closing": closing}))
    write(thumbs("f1"))
    ingester.run_once()
    assert ids(store) == ["feedback-f1"]
    write(thumbs("f3"))
    ingester.run_once()
    assert ids(store) == ["feedback-f1", "feedback-f3"], "it came back"


def test_a_ticket_about_the_request_is_enough(ingester: Ingester, write: Write, store: DuckStore) -> None:
    """The same user's trouble is there already."""
    write(make_request(1), Complaint(complaint_id="T-1", text=f"see {ROOT}", at_ns=T0_NS))
    ingester.run_once()
    write(thumbs())
    ingester.run_once()
    assert ids(store) == ["T-1"]


def test_feedback_that_comes_before_its_request_waits_for_it(
    ingester: Ingester, write: Write, store: DuckStore, spool: Path
) -> None:
    """Also over a restart."""
    write(thumbs("f1"), thumbs("f2", request_id=f"{OTHER}-{span_id(1)}"))
    ingester.run_once()
    assert ids(store) == []
    write(make_request(1))
    ingester.run_once()
    assert ids(store) == ["feedback-f1"]
    write(make_request(1, trace=OTHER))
    Ingester(spool, store).run_once()
    assert ids(store) == ["feedback-f1", "feedback-f2"]


def test_feedback_on_a_replay_opens_none(ingester: Ingester, write: Write, store: DuckStore) -> None:
    """No user saw its answer."""
    request = make_request(1)
    write(request._replace(attributes={**request.attributes, wire.REPLAY_OF: f"{OTHER}-{span_id(1)}"}), thumbs())
    ingester.run_once()
    assert ids(store) == []
