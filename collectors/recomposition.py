"""Stored requests made anew from their stored spans, as today's code reads them.

Spans are kept as they were received (their long texts are put back on reading), so everything else of a request is
derived: its row, stages, lists, the words by which it is found. Requests without stored spans stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..model import Span
from ..store import Intake, IntakeBatch, Store
from .composition import Composed, compose
from .other_homes import is_full
from .pause import collector_paused
from .tree import SpanKey

AT_ONCE = 100
"""Requests a transaction: enough to be quick, few enough that others need not wait."""


def recompose_all(store: Store, progress: Callable[[int, int], None] | None = None) -> int:
    """Makes every request anew, newest first, and then the tables for search; how many requests were made.

    Each transaction leaves the store whole, so it may be stopped and begun again. What was judged stays until it is
    judged again.
    """
    request_ids = store.intake.request_ids()
    made: set[str] = set()
    for start in range(0, len(request_ids), AT_ONCE):
        wanted = tuple(one for one in request_ids[start : start + AT_ONCE] if one not in made)
        with store.writing(), collector_paused():
            made |= recompose(store.intake, wanted)
        if progress is not None:
            progress(min(start + AT_ONCE, len(request_ids)), len(request_ids))
    store.intake.rebuild_search()
    return len(made)


def recompose(intake: Intake, request_ids: Sequence[str]) -> set[str]:
    """Makes these requests anew with all that share a trace with them; the ids of those made."""
    spans, before = _load(intake, request_ids)
    if not spans:
        return set()
    composed = compose(spans)
    intake.commit(
        IntakeBatch(
            requests=tuple(one.draft for one in composed),
            lists={one.request_id: one.lists for one in composed},
            members={one.request_id: one.members for one in composed},
            renamed=_find_renamed(before, composed),
        )
    )
    return {one.request_id for one in composed}


def _load(intake: Intake, request_ids: Sequence[str]) -> tuple[list[Span], dict[str, tuple[SpanKey, ...]]]:
    """The spans of all traces that are joined to these requests, and to which request each belongs now."""
    spans: list[Span] = []
    members: dict[str, tuple[SpanKey, ...]] = {}
    loaded: set[str] = set()
    asked: set[str] = set()
    wanted = set(request_ids)
    linked: set[str] = set()
    while wanted - asked or linked - loaded:
        found = intake.trace_of_request(tuple(sorted(wanted - asked)))
        asked |= wanted
        unread = {trace for traces in found.values() for trace in traces} | linked
        unread -= loaded
        if not unread:
            break
        loaded |= unread
        new = tuple(sorted(unread))
        fresh = intake.spans_of(new)
        spans += fresh
        linked |= {trace for span in fresh if span.parent_span_id is None for trace, _ in span.links if trace}
        for request_id, keys in intake.members_of(new).items():
            members[request_id] = (*members.get(request_id, ()), *keys)
            wanted.add(request_id)
    return spans, members


def _find_renamed(before: Mapping[str, tuple[SpanKey, ...]], composed: Sequence[Composed]) -> dict[str, str]:
    """Requests that today's code no longer makes of these spans, each with the first one that holds some of them."""
    homes = {key: one for one in composed for key in one.members}
    now = {one.request_id for one in composed}
    renamed = {}
    for request_id, keys in before.items():
        takers = [homes[key] for key in keys if key in homes]
        if request_id not in now and takers:
            first = min(takers, key=lambda one: (not is_full(one.request_id), one.draft.request.start_ns))
            renamed[request_id] = first.request_id
    return renamed
