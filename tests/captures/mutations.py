"""What networks, exporters and batches do to spans: strategies that reorder, double, cut and spoil them."""

from __future__ import annotations

import importlib.util
import random
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

from goldrank.model import Span, SpanEvent
from hypothesis import strategies as st

_ODD: tuple[Any, ...] = (
    None,
    True,
    7,
    -1.5,
    float("nan"),
    b"\xff",
    "",
    "[",
    '{"documents": [',
    [],
    {},
    [[[]]],
    ["x"],
    {"a": {"b": 1}},
)
"""Values that no exporter should send at these places, and that some will."""


def _load(name: str) -> ModuleType:
    """A helper of tests/collectors, which is not importable by name from here."""
    path = Path(__file__).parents[1] / "collectors" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"captures_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


encode = _load("wire_spans").encode
"""Spans to the bytes of one OTLP request."""


@st.composite
def arrivals(draw: st.DrawFn, spans: Sequence[Span]) -> list[list[Span]]:
    """All spans in any order and any batches, some of them twice."""
    order = list(draw(st.permutations(range(len(spans))))) if spans else []
    again = draw(st.lists(st.sampled_from(order), max_size=4)) if order else []
    where = draw(st.integers(0, len(order)))
    sequence = [*order[:where], *again, *order[where:]]
    cuts = sorted(draw(st.lists(st.integers(0, len(sequence)), max_size=4)))
    edges = [0, *cuts, len(sequence)]
    return [[spans[n] for n in sequence[a:b]] for a, b in pairwise(edges)]


@st.composite
def losses(draw: st.DrawFn, spans: Sequence[Span]) -> list[Span]:
    """Spans of which some never came, and some lost their oldest attributes or events, or had their texts cut."""
    kept = [span for span in spans if draw(st.integers(0, 5))]
    limit = draw(st.sampled_from((None, None, 40, 80, 200)))
    return [_shorten(_drop_oldest(span, draw(st.sampled_from((0, 0, 0, 1, 3, 8, 20)))), limit) for span in kept]


def _drop_oldest(span: Span, count: int) -> Span:
    """As the SDK does at its limits: the oldest attributes and events go, and how many is said."""
    items = list(span.attributes.items())
    gone, lost = min(count, max(0, len(items) - 1)), min(count, len(span.events))
    if not gone and not lost:
        return span
    return span._replace(
        attributes=dict(items[gone:]),
        events=span.events[lost:],
        dropped_attributes=span.dropped_attributes + gone,
        dropped_events=span.dropped_events + lost,
    )


def _shorten(span: Span, limit: int | None) -> Span:
    if limit is None:
        return span
    cut = {key: value[:limit] if isinstance(value, str) else value for key, value in span.attributes.items()}
    return span._replace(attributes=cut)


@st.composite
def spoilt(draw: st.DrawFn, spans: Sequence[Span]) -> list[Span]:
    """Spans with values, names, parents, times and links that make no sense."""
    seed = draw(st.integers(0, 2**32 - 1))
    share = draw(st.sampled_from((0.02, 0.1, 0.5)))
    dice = random.Random(seed)  # a game, no secret
    keys = [key for span in spans for key in span.attributes] or ["a"]
    ids = [span.span_id for span in spans]
    return [_spoil(span, dice, share, keys, ids) for span in spans]


def _spoil(span: Span, dice: random.Random, share: float, keys: Sequence[str], ids: Sequence[str]) -> Span:
    attributes: dict[str, Any] = {}
    for key, value in span.attributes.items():
        roll = dice.random()
        if roll < share / 3:
            continue
        attributes[dice.choice(keys) if roll < share / 2 else key] = _odd(value, dice) if roll < share else value
    changed: dict[str, Any] = {"attributes": attributes}
    if dice.random() < share:
        changed["parent_span_id"] = dice.choice([None, "f" * 16, *ids])
    if dice.random() < share:
        changed |= {"start_ns": dice.choice([0, span.end_ns, 2**63]), "end_ns": dice.choice([0, span.start_ns])}
    if dice.random() < share:
        changed |= {"status": dice.randrange(4), "name": dice.choice(["", "x" * 300, span.name])}
    if dice.random() < share:
        changed["links"] = ((span.trace_id, dice.choice(ids)),)
    if span.events and dice.random() < share:
        odd = {key: _odd(value, dice) for key, value in span.events[0].attributes.items()}
        changed["events"] = (SpanEvent(span.events[0].name, 0, odd), *span.events[1:])
    return span._replace(**changed)


def _odd(value: Any, dice: random.Random) -> Any:
    if isinstance(value, str) and value and dice.random() < 0.6:
        at = dice.randrange(len(value))
        return dice.choice([value[:at], value[:at] + dice.choice('"\\[]{},\0') + value[at:], value[at:], value * 2])
    return dice.choice(_ODD)
