"""How the spans of some traces hang together: each span once, its parent where it is known, parents first."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ..model import Span
from .dialects import Mark
from .dialects.facts import Facts
from .dialects.goldrank import mark
from .dialects.others import read_other

SpanKey = tuple[str, str]
"""(trace id, span id)."""


class Tree(NamedTuple):
    """The spans of some traces."""

    spans: dict[SpanKey, Span]
    marks: dict[SpanKey, Mark]
    parents: dict[SpanKey, SpanKey]
    """Span -> its parent, for those whose parent is here; without circles."""
    order: tuple[SpanKey, ...]
    """Every span after its parent."""
    facts: dict[SpanKey, Facts | None]
    """What dialects of other writers say of a span, for those that were asked for."""

    def facts_of(self, key: SpanKey) -> Facts | None:
        """What dialects of other writers say of a span; read when first asked for. None: nothing, or it is ours."""
        if key not in self.facts:
            self.facts[key] = read_other(self.spans[key])
        return self.facts[key]


def span_key(span: Span) -> SpanKey:
    """What names a span."""
    return span.trace_id, span.span_id


def parent_key(span: Span) -> SpanKey:
    """The key of the parent that the span names; one with an empty span id where it names none."""
    return span.trace_id, span.parent_span_id or ""


def merge_spans(spans: Iterable[Span]) -> dict[SpanKey, Span]:
    """Each span once, in the order of first appearance: of several the last one that has an end."""
    merged: dict[SpanKey, Span] = {}
    for span in spans:
        known = merged.get(span_key(span))
        if known is None or span.end_ns or not known.end_ns:
            merged[span_key(span)] = span
    return merged


def make_tree(spans: Iterable[Span]) -> Tree:
    """The tree of these spans. A circle of parents, which no honest writer makes, is cut at one place."""
    merged = merge_spans(spans)
    parents = {
        key: parent_key(span) for key, span in merged.items() if parent_key(span) in merged and parent_key(span) != key
    }
    order: list[SpanKey] = []
    placed: set[SpanKey] = set()
    for key in merged:
        way: dict[SpanKey, None] = {}
        step: SpanKey | None = key
        while step is not None and step not in placed and step not in way:
            way[step] = None
            step = parents.get(step)
        if step is not None and step in way:
            way = _cut_circle(list(way), step, parents)
        order += reversed(way)
        placed.update(way)
    return Tree(merged, {key: mark(span) for key, span in merged.items()}, parents, tuple(order), {})


def _cut_circle(way: list[SpanKey], met: SpanKey, parents: dict[SpanKey, SpanKey]) -> dict[SpanKey, None]:
    """A way upwards that ran into itself at `met`, cut above the smallest key of the circle, whichever way led there.

    Arranged as the way that it is now: every span before its parent.
    """
    at = way.index(met)
    circle = way[at:]
    top = circle.index(min(circle))
    del parents[circle[top]]
    return dict.fromkeys([*way[:at], *circle[top + 1 :], *circle[: top + 1]])
