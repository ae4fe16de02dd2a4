"""Thumbs down opens a complaint about the request that it names: once for each feedback, and never about a replay."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from ..model import Complaint, Feedback, Request
from ..model.complaint import ComplaintSource
from ..store import Store
from .complaint_links import exact_mentions, exact_request
from .complaint_verdicts import with_verdict
from .tree import SpanKey

REMEMBERED: Final = 1000
"""How much feedback about requests that have not come yet is kept in mind: the newest."""
WITHOUT_WORDS: Final = "Thumbs down, without a comment."


class ThumbsDown:
    """Bad feedback becomes a complaint as soon as its request is stored."""

    def __init__(self, store: Store, *, now_ns: Callable[[], int] = time.time_ns) -> None:
        self._store = store
        self._now_ns = now_ns
        self._waiting: dict[str, Feedback] = {}
        """Feedback id -> feedback, oldest first."""
        self._loaded = False

    def settle(self, new: Iterable[Feedback], members: Mapping[str, Sequence[SpanKey]]) -> None:
        """Opens complaints for new feedback, and for earlier one whose request was among those just committed."""
        fresh = [one for one in new if one.score < 0]
        if not self._loaded:  # after a restart: what came before its request
            self._loaded = True
            fresh = [*reversed(self._store.complaints.unanswered_feedback(limit=REMEMBERED)), *fresh]
        self._waiting.update({one.feedback_id: one for one in fresh})
        if not self._waiting:
            return
        tried = {one.feedback_id for one in fresh}
        for feedback_id, feedback in list(self._waiting.items()):
            if (feedback_id in tried or feedback.request_id in members) and self._open(feedback):
                del self._waiting[feedback_id]
        while len(self._waiting) > REMEMBERED:
            del self._waiting[next(iter(self._waiting))]

    def _open(self, feedback: Feedback) -> bool:
        """Whether the feedback is dealt with; False while its request has not come."""
        with self._store.writing():
            request = self._request(feedback)
            if request is None:
                return False
            complaint = _complaint(feedback, request)
            if request.replay_of is None and not self._has_one(complaint):
                self._store.complaints.save(with_verdict(self._store, complaint, self._now_ns()))
        return True

    def _request(self, feedback: Feedback) -> Request | None:
        recorded = self._store.requests.get(feedback.request_id, texts=False)
        if recorded is None:
            # Inside another request the shim's id names a span of the outer one.
            outer = exact_request(self._store, exact_mentions(feedback.request_id))
            recorded = self._store.requests.get(outer, texts=False) if outer else None
        return recorded.request if recorded else None

    def _has_one(self, complaint: Complaint) -> bool:
        """Whether this feedback opened one before, or one of that user about that request is open."""
        if self._store.complaints.get(complaint.complaint_id) is not None:
            return True
        others = self._store.complaints.of(complaint.request_id or "")
        return any(one.closing is None and one.who in {None, complaint.who} for one in others)


def complaint_id_of(feedback_id: str) -> str:
    """The id of the complaint that a feedback opens."""
    return f"feedback-{feedback_id}"


def _complaint(feedback: Feedback, request: Request) -> Complaint:
    return Complaint(
        complaint_id=complaint_id_of(feedback.feedback_id),
        app=feedback.app or request.app,
        environment=feedback.environment or request.environment,
        text=feedback.comment or WITHOUT_WORDS,
        who=request.user,
        at_ns=feedback.at_ns,
        request_id=request.request_id,
        source=ComplaintSource.FEEDBACK,
        session=request.session,
    )
