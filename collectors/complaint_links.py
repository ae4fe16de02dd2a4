"""Linking tickets to requests: only where the ticket's text holds the id of exactly one request that is known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from ..model import Complaint, IdForm, IdMention, find_ids
from ..store import Store
from .grouping import is_full
from .tree import SpanKey

REMEMBERED: Final = 1000
"""How many tickets without a request are watched for: the newest ones."""

_EXACT: Final = (IdForm.REQUEST, IdForm.TRACEPARENT, IdForm.TRACE, IdForm.SPAN)
"""A prefix may be part of an invoice number as well; a person decides there."""


class _Open(NamedTuple):
    complaint: Complaint
    mentions: tuple[IdMention, ...]
    ids: frozenset[str]
    """Every trace and span id that the ticket mentions."""


class ComplaintLinks:
    """Tickets that mention a request which has not come yet are kept in mind until it does."""

    def __init__(self, store: Store) -> None:
        self._store = store
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
        """Keeps a complaint in mind; False where it is linked or mentions no id."""
        mentions = tuple(mention for mention in find_ids(complaint.text) if mention.form in _EXACT)
        if complaint.request_id is not None or not mentions:
            return False
        ids = {part for mention in mentions for part in (mention.trace_id, mention.span_id) if part is not None}
        self._open[complaint.complaint_id] = _Open(complaint, mentions, frozenset(ids))
        while len(self._open) > REMEMBERED:
            del self._open[next(iter(self._open))]
        return True

    def _link(self, entry: _Open) -> bool:
        """Whether the complaint needs no more watching."""
        found = {request_id for mention in entry.mentions for request_id in self._store.requests.resolve(mention)}
        if len(found) != 1 or not is_full(next(iter(found))):
            return False
        with self._store.writing():
            now = self._store.complaints.get(entry.complaint.complaint_id)
            if now is not None and now.request_id is None:
                self._store.complaints.save(now.model_copy(update={"request_id": found.pop()}))
        return True
