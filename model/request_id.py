"""Request ids: `<trace id>-<span id of the request span>`, 32 and 16 lower-case hex digits."""

from __future__ import annotations

SHORT_ID_DIGITS = 8
"""How many leading digits of a request id pages show, and the shortest prefix that a search accepts."""


def make_request_id(trace_id: int, span_id: int) -> str:
    """The request id of a request span, from the integers that OpenTelemetry uses."""
    return f"{trace_id.to_bytes(16).hex()}-{span_id.to_bytes(8).hex()}"  # half the time of formatting numbers


def short_id(request_id: str) -> str:
    """The digits that pages show: the first eight."""
    return request_id[:SHORT_ID_DIGITS]
