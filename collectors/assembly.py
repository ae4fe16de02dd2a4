"""New spans and what is stored already, together: which requests they make, and which of the old ones give way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ..model import HitColumns, RecordedRequest, Span
from ..store import Intake
from .composition import Composed, compose
from .dialects import Role
from .dialects.goldrank import mark
from .grouping import Group, group_spans
from .other_homes import is_full
from .tree import SpanKey, make_tree, merge_spans, span_key


class Assembled(NamedTuple):
    """What new spans change."""

    spans: tuple[Span, ...] = ()
    """The new spans, each once; where an older one of the same id says more, that one."""
    stored: frozenset[SpanKey] = frozenset()
    """Those of `spans` that are stored already."""
    requests: tuple[RecordedRequest, ...] = ()
    """Without their hits."""
    lists: Mapping[str, Mapping[str, HitColumns]] = {}
    """Request id -> stage id -> its hits."""
    members: Mapping[str, tuple[SpanKey, ...]] = {}
    """Request id -> its spans, for every one of `requests`."""
    renamed: Mapping[str, str] = {}
    """Request id that is no more -> the request that its spans and labels now belong to."""


def assemble(new: Sequence[Span], intake: Intake) -> Assembled:
    """Composes every request that the new spans touch from all its spans, stored and new."""
    if not new:
        return Assembled()
    old = _load(new, intake)
    merged = merge_spans((*old, *new))
    arrived = dict.fromkeys(map(span_key, new))  # in the order in which they came: rows of a request lie together
    before = group_spans(make_tree(old)) if old else ()
    members_before = {group.request_id: frozenset(map(span_key, group.spans)) for group in before}
    composed = tuple(
        one
        for one in compose(merged.values())
        if not arrived.keys().isdisjoint(one.members) or members_before.get(one.request_id) != frozenset(one.members)
    )
    return Assembled(
        spans=tuple(merged[key] for key in arrived),
        stored=frozenset(arrived.keys() & {span_key(span) for span in old}),
        requests=tuple(one.draft for one in composed),
        lists={one.request_id: one.lists for one in composed},
        members={one.request_id: one.members for one in composed},
        renamed=_find_renamed(before, composed),
    )


def _load(new: Iterable[Span], intake: Intake) -> tuple[Span, ...]:
    """All stored spans of the traces that the new spans belong to, or are joined to."""
    old: list[Span] = []
    loaded: set[str] = set()
    asked: set[str] = set()
    traces: set[str] = set()
    fresh: Iterable[Span] = new
    while True:
        ids = set()
        for span in fresh:
            traces.add(span.trace_id)
            ids |= _named(span)
        traces |= {request_id.partition("-")[0] for request_id in ids}
        ids = (ids | traces) - asked
        if ids:
            for found in intake.trace_of_request(tuple(sorted(ids))).values():
                traces.update(found)
            asked |= ids
        unread = traces - loaded
        if not unread:
            return tuple(old)
        fresh = intake.spans_of(tuple(sorted(unread)))
        old += fresh
        loaded |= unread


def _named(span: Span) -> set[str]:
    """Ids of requests (or traces) that a span names, is the request span of, or links to."""
    seen = mark(span)
    ids = {f"{span.trace_id}-{span.span_id}"} if seen.role is Role.REQUEST else set()
    if seen.request_id is not None:
        ids.add(seen.request_id)
    if span.parent_span_id is None and seen.role is not Role.REQUEST:
        ids.update(trace_id for trace_id, _ in span.links if trace_id)
    return ids


def _find_renamed(before: tuple[Group, ...], composed: tuple[Composed, ...]) -> dict[str, str]:
    """Old request ids that no request has any more, each with the earliest of the requests that hold its spans."""
    homes: dict[SpanKey, RecordedRequest] = {key: one.draft for one in composed for key in one.members}
    now = {one.request_id for one in composed}
    renamed: dict[str, str] = {}
    for group in before:
        if group.request_id in now:
            continue
        takers = [homes[key] for key in map(span_key, group.spans) if key in homes]
        if is_full(group.request_id) and group.root is not None:
            takers = [homes[span_key(group.root)]] if span_key(group.root) in homes else takers
        if takers:
            first = min(takers, key=lambda one: (one.request.provisional, one.request.start_ns, one.request.request_id))
            renamed[group.request_id] = first.request.request_id
    return renamed
