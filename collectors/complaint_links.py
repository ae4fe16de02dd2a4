"""Linking tickets to requests: only where the ticket's text holds the id of exactly one request that is known."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from ..model import Complaint, IdForm, IdMention, find_ids
from ..store import Store
from .complaint_verdicts import with_verdict
from .other_homes import is_full
from .tree import SpanKey

REMEMBERED: Final = 1000
"""How many tickets without a request are watched for: the newest ones."""

_EXACT: Final = (IdForm.REQUEST, IdForm.TRACEPARENT, IdForm.TRACE, IdForm.SPAN)
"""A prefix may be part of an invoice number as well; a person decides there."""


def exact_mentions(text: str) -> tuple[IdMention, ...]:
    """The ids in a text that name a request, or nothing."""
    return tuple(mention for mention in find_ids(text) if mention.form in _EXACT)


def exact_request(store: Store, mentions: Iterable[IdMention]) -> str | None:
    """The one request that these ids name; None where it is not known yet, or where they name several."""
    found = {request_id for mention in mentions for request_id in store.requests.resolve(mention)}
    request_id = next(iter(found), None)
    return request_id if len(found) == 1 and request_id is not None and is_full(request_id) else None


class _Open(NamedTuple):
    complaint: Complaint
    mentions: tuple[IdMention, ...]
    ids: frozenset[str]
    """Every trace and span id that the ticket mentions."""


class ComplaintLinks:
    """Tickets that mention a request which has not come yet are kept in mind until it does."""

    def __init__(self, store: Store, *, now_ns: Callable[[], int] = time.time_ns) -> None:
        self._store = store
        self._now_ns = now_ns
        self._open: dict[str, _Open] = {}
        self._loaded = False

    def settle(self, new: Iterable[Complaint], members: Mapping[str, Sequence[SpanKey]]) -> None:
        """Links the new complaints, and earlier ones whose request is among the requests just committed."""
        fresh = list(new)
        if not self._loaded:  # after a restart: those that came before
            self._loaded = True
            fresh = [*reversed(self._store.complaints.list(limit=REMEMBERED)), *fresh]
        tried = {complaint.complaint_id for complaint in fresh if self._watch(complaint)}
        touched = {part for keys in members.values() for key in keys for part in key} if self._open else set()
        for complaint_id, entry in list(self._open.items()):
            if (complaint_id in tried or not entry.ids.isdisjoint(touched)) and self._link(entry):
                del self._open[complaint_id]

    def _watch(self, complaint: Complaint) -> bool:
        """Keeps a complaint in mind; False where it is linked, was unlinked by a person, or mentions no id."""
        mentions = exact_mentions(complaint.text)
        if complaint.request_id is not None or complaint.linked_by is not None or not mentions:
            return False
        ids = {part for mention in mentions for part in (mention.trace_id, mention.span_id) if part is not None}
        self._open[complaint.complaint_id] = _Open(complaint, mentions, frozenset(ids))
        while len(self._open) > REMEMBERED:
            del self._open[next(iter(self._open))]
        return True

    def _link(self, entry: _Open) -> bool:
        """Whether the complaint needs no more watching."""
        request_id = exact_request(self._store, entry.mentions)
        if request_id is None:
            return False
        with self._store.writing():
            now = self._store.complaints.get(entry.complaint.complaint_id)
            if now is not None and now.request_id is None and now.linked_by is None:
                linked = now.model_copy(update={"request_id": request_id})
                self._store.complaints.save(with_verdict(self._store, linked, self._now_ns()))
        return True
