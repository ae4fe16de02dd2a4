"""Which spans belong to which request.

1. A request span is the root of its request, whatever stands above it. Of request spans inside one another
   the outermost is the root.
2. A span belongs to the request that it stands in, else to the one that it (or the nearest span above it)
   names, else to the one of a span that it links to.
3. The rest of a trace (servers above a request, spans whose parent never came) goes to the request of that
   trace in whose time it began, else to the earliest.
4. A trace without a request span: stages in it are one provisional request under the trace id. Telemetry of
   others has its topmost span for a request span (`other_homes`); while that is missing it is provisional as well.

All of it depends on the spans alone and not on the order in which they came.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Final, NamedTuple

from ..model import Span
from .dialects import Role
from .dialects.facts import LOG_EVENT
from .other_homes import choose, follow_links, is_full, key_of, own_id, place_others
from .tree import SpanKey, Tree, parent_key, span_key

NO_REQUEST: Final = "no request (parent unknown)"
"""Stages were recorded outside of any request."""
REQUEST_SPAN_MISSING: Final = "request span missing"


class Group(NamedTuple):
    """The spans of one request."""

    request_id: str
    root: Span | None
    """None: provisional, and `request_id` is the trace id."""
    spans: tuple[Span, ...]
    """By start time, then span id."""
    missing: tuple[str, ...]
    """What is known to be missing, in words."""


def group_spans(tree: Tree) -> tuple[Group, ...]:
    """The requests of a tree that holds all the spans of all the traces that it touches, by request id."""
    members: dict[str, list[Span]] = defaultdict(list)
    for key, home in find_homes(tree).items():
        members[home].append(tree.spans[key])
    groups = []
    for home in sorted(members):
        spans = tuple(sorted(members[home], key=lambda span: (span.start_ns, span.span_id)))
        root = tree.spans[key_of(home)] if is_full(home) else None
        missing = _missing_root(spans, tree) if root is None else _missing_below(root, spans, tree)
        groups.append(Group(home, root, spans, missing))
    return tuple(groups)


def find_homes(tree: Tree) -> dict[SpanKey, str]:
    """Span -> id of its request; a bare trace id where no request span is known."""
    inside = _find_outermost(tree)
    named = _find_named(tree, inside)
    said: dict[SpanKey, str] = {}
    homes: dict[SpanKey, str] = {}
    for key in tree.order:
        says = tree.marks[key].request_id or said.get(tree.parents.get(key, key))
        if says is not None:
            said[key] = says
        if key in inside:
            homes[key] = named[own_id(inside[key])]
        elif says is not None:
            homes[key] = named.get(says, says)
    _follow_links(tree, homes)
    for key, home in homes.items():
        if named.get(home) != home:  # the request span itself has not come
            homes[key] = key_of(home)[0]
    _place_rest(tree, homes)
    return homes


def _find_outermost(tree: Tree) -> dict[SpanKey, SpanKey]:
    """Span -> the outermost request span that it stands in (or is)."""
    inside: dict[SpanKey, SpanKey] = {}
    for key in tree.order:
        above = inside.get(tree.parents.get(key, key))
        if above is not None:
            inside[key] = above
        elif tree.marks[key].role is Role.REQUEST:
            inside[key] = key
    return inside


def _find_named(tree: Tree, inside: dict[SpanKey, SpanKey]) -> dict[str, str]:
    """Own id of every request span -> the id of the request that it belongs to in the end.

    A request span inside another belongs to that one; one that was continued from elsewhere names its request,
    and that may in turn be inside a third.
    """
    next_id: dict[str, str] = {}
    for key, top in inside.items():
        if tree.marks[key].role is Role.REQUEST:
            said = tree.marks[key].request_id if key == top else None
            next_id[own_id(key)] = said or own_id(top)
    named: dict[str, str] = {}
    for one in next_id:
        end, seen = one, {one}
        while next_id.get(end, end) not in seen:
            end = next_id[end]
            seen.add(end)
        named[one] = end
    return named


def _follow_links(tree: Tree, homes: dict[SpanKey, str]) -> None:
    """Gives a whole piece of a trace to the request that its topmost span links to."""
    for key in tree.order:
        if key in homes:
            continue
        if key not in tree.parents:
            home = next((homes[link] for link in tree.spans[key].links if link in homes), None)
        else:
            home = homes.get(tree.parents[key])
        if home is not None:
            homes[key] = home


def _place_rest(tree: Tree, homes: dict[SpanKey, str]) -> None:
    """Places what stands in no request, names none and links to none."""
    candidates: dict[str, set[str]] = defaultdict(set)
    for key, home in homes.items():
        candidates[key[0]].add(home)
    rest: dict[str, list[SpanKey]] = defaultdict(list)
    for key in tree.order:
        if key not in homes:
            rest[key[0]].append(key)
    others: set[SpanKey] = set()
    for trace_id, keys in rest.items():
        among = sorted(candidates[trace_id])
        if among:
            homes.update({key: choose(tree.spans[key], among, tree) for key in keys})
        else:
            homes.update(place_others(trace_id, keys, tree))
            others.update(keys)
    follow_links(others, homes, tree)


def _missing_root(spans: tuple[Span, ...], tree: Tree) -> tuple[str, ...]:
    """Why a request is provisional."""
    marks = [tree.marks[span_key(span)] for span in spans]
    outside = any(mark.role is Role.STAGE for mark in marks) and all(mark.request_id is None for mark in marks)
    torn = any(span.parent_span_id is not None and parent_key(span) not in tree.spans for span in spans)
    return (NO_REQUEST,) if outside and not torn else (REQUEST_SPAN_MISSING,)


def _missing_below(root: Span, spans: tuple[Span, ...], tree: Tree) -> tuple[str, ...]:
    """How many spans are named as a parent inside the request and never came.

    What stands above the request span (a server, a proxy) is not ours to miss, so spans of other writers count only
    where they name this request themselves, or where a dialect knows them. A log record of a model call names its span.
    """
    gaps = set()
    for span in spans:
        mark = tree.marks[span_key(span)]
        ours = mark.role is not Role.OTHER or mark.request_id is not None or LOG_EVENT in span.attributes
        ours = ours or tree.facts_of(span_key(span)) is not None
        if ours and span is not root and is_orphan(span, tree) and span.trace_id == root.trace_id:
            gaps.add(span.parent_span_id)
    gaps.discard(root.parent_span_id)
    if not gaps:
        return ()
    return (f"{len(gaps)} span missing" if len(gaps) == 1 else f"{len(gaps)} spans missing",)


def is_orphan(span: Span, tree: Tree) -> bool:
    """Whether the span names a parent that is not here."""
    return span.parent_span_id is not None and parent_key(span) not in tree.spans
