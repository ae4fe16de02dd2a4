"""A span as received: decoded OTLP, before anything is understood."""

from __future__ import annotations

from typing import Any, NamedTuple


class SpanEvent(NamedTuple):
    """A timed event of a span."""

    name: str
    time_ns: int
    attributes: dict[str, Any]


class Span(NamedTuple):
    """One OTLP span. Attribute values are plain Python: str, bool, int, float, bytes, list, dict, None."""

    trace_id: str
    """32 lower-case hex digits."""
    span_id: str
    """16 lower-case hex digits."""
    parent_span_id: str | None
    name: str
    kind: int
    """OTLP SpanKind number."""
    start_ns: int
    end_ns: int
    """0: no end."""
    status: int
    """OTLP StatusCode number: 0 unset, 1 ok, 2 error."""
    status_message: str
    attributes: dict[str, Any]
    resource: dict[str, Any]
    scope: str
    """Name of the instrumentation scope."""
    events: tuple[SpanEvent, ...] = ()
    links: tuple[tuple[str, str], ...] = ()
    """(trace id, span id) of each link."""
    dropped_attributes: int = 0
    dropped_events: int = 0
    repaired: bool = False
    """A lone surrogate was replaced by U+FFFD, or NUL by its visible mark, in some text of this span."""
