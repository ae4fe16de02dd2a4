"""The nearest request that passes: beside a failure it shows which step went another way."""

from __future__ import annotations

import re

from pydantic import BaseModel, ConfigDict

from ..collectors.used_labels import labels_in_force
from ..model import Judgement, RecordedRequest, Verdict
from ..store import RequestFilter, RequestRow, Store
from .lookup import one_request_id, required_request
from .workspace import Workspace

_LOOKED_AT = 1000
"""Requests that passed, newest first, among which the nearest is looked for."""
_LEAST_SHARED = 0.2
"""Share of words in common below which two questions are not alike."""


class FindNeighbour(BaseModel):
    """For which request."""

    model_config = ConfigDict(frozen=True)

    request: str


class PassingNeighbour(BaseModel):
    """The nearest request that passes."""

    model_config = ConfigDict(frozen=True)

    request_id: str | None
    """None: there is none; `reason` says why."""
    question: str | None = None
    reason: str
    """"the same question", "the same gold document (refunds)", "4 of 7 words in common"."""


def find_neighbour(workspace: Workspace, ask: FindNeighbour) -> PassingNeighbour:
    """A request of the same app whose golds were all delivered: the same question first, then one with a gold in the
    same document, then the one that shares most words; the newest among equals. Replays are none."""
    store = workspace.store
    recorded = required_request(store, one_request_id(store, ask.request))
    which = RequestFilter(app=recorded.request.app, verdict=Verdict.DELIVERED.value, replays=False)
    rows = store.requests.page(which, limit=_LOOKED_AT).rows
    rows = tuple(row for row in rows if row.request_id != recorded.request.request_id)
    if not rows:
        return PassingNeighbour(
            request_id=None,
            reason="No other request of this app is labelled and delivered yet: "
            "mark the gold of one that was answered well.",
        )
    found = _same_question(recorded, rows) or _same_document(store, recorded, rows) or _same_words(recorded, rows)
    return found or PassingNeighbour(
        request_id=None, reason="No request that passes has the same gold document or words in common with this one."
    )


def _same_question(recorded: RecordedRequest, rows: tuple[RequestRow, ...]) -> PassingNeighbour | None:
    asked = _words(recorded.request.question)
    row = next((row for row in rows if asked and _words(row.question) == asked), None)
    return _neighbour(row, "the same question") if row else None


def _same_document(store: Store, recorded: RecordedRequest, rows: tuple[RequestRow, ...]) -> PassingNeighbour | None:
    documents = _gold_documents(store, recorded)
    if not documents:
        return None
    for row in sorted(rows, key=lambda row: -_shared(recorded, row)):
        other = store.requests.get(row.request_id, texts=False)
        common = documents & _gold_documents(store, other) if other else set()
        if common:
            return _neighbour(row, f"the same gold document ({min(common)})")
    return None


def _same_words(recorded: RecordedRequest, rows: tuple[RequestRow, ...]) -> PassingNeighbour | None:
    best = max(rows, key=lambda row: _shared(recorded, row))
    if _shared(recorded, best) < _LEAST_SHARED:
        return None
    asked = set(_words(recorded.request.question))
    return _neighbour(best, f"{len(asked & set(_words(best.question)))} of {len(asked)} words in common")


def _gold_documents(store: Store, recorded: RecordedRequest) -> set[str]:
    labels = labels_in_force(store, recorded).labels
    return {one.target.doc_id for one in labels if one.judgement is Judgement.GOLD and one.target.doc_id}


def _shared(recorded: RecordedRequest, row: RequestRow) -> float:
    """Share of words that both questions have, of those that either has."""
    a, b = set(_words(recorded.request.question)), set(_words(row.question))
    return len(a & b) / len(a | b) if a and b else 0.0


def _words(text: str | None) -> list[str]:
    return re.findall(r"\w+", (text or "").casefold())


def _neighbour(row: RequestRow, reason: str) -> PassingNeighbour:
    return PassingNeighbour(request_id=row.request_id, question=row.question, reason=reason)
