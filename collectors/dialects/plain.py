"""Any other span: kept as it is, no stage, and of a request only what every OpenTelemetry span says."""

from __future__ import annotations

from typing import Any, Final

from ...model import Outcome, Span, wire
from .reading import ChunkBook, Reading
from .values import as_json_value, as_text

_ERROR_STATUS: Final = 2
_ERROR_LENGTH: Final = 2000


def read(span: Span, book: ChunkBook) -> Reading:  # noqa: ARG001 - every dialect has the same form
    """The header that the span gives if it turns out to be the root of its trace."""
    header: dict[str, Any] = {
        **read_resource(span),
        "user": as_text(span.attributes.get(wire.USER)),
        "session": as_text(span.attributes.get(wire.SESSION)),
        "outcome": read_status(span),
        "error": span.status_message[:_ERROR_LENGTH] or None if span.status == _ERROR_STATUS else None,
        "attributes": {key: as_json_value(value) for key, value in span.attributes.items()},
        "answer_note": "not recorded",
    }
    return Reading(request=header)


def read_resource(span: Span) -> dict[str, Any]:
    """App, version and environment."""
    return {
        "app": as_text(span.resource.get(wire.APP)) or "",
        "app_version": as_text(span.resource.get(wire.APP_VERSION)),
        "environment": as_text(span.resource.get(wire.ENVIRONMENT)) or "",
    }


def read_status(span: Span) -> Outcome:
    """The outcome by OpenTelemetry's own status; a span without an end is incomplete."""
    if span.end_ns == 0:
        return Outcome.INCOMPLETE
    return Outcome.ERROR if span.status == _ERROR_STATUS else Outcome.OK
