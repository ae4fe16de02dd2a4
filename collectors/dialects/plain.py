"""A span that is not goldrank's own, as the root of a request: what every OpenTelemetry span says."""

from __future__ import annotations

from typing import Any, Final

from ...model import Outcome, Span, wire
from .values import as_json_value, as_text

_ERROR_STATUS: Final = 2
_ERROR_LENGTH: Final = 2000
_OLDER_ENVIRONMENT: Final = "deployment.environment"
"""As OpenTelemetry called it before; many still do."""


def read_header(span: Span) -> dict[str, Any]:
    """The fields of the request whose root it is."""
    return {
        **read_resource(span),
        "user": as_text(span.attributes.get(wire.USER)),
        "session": as_text(span.attributes.get(wire.SESSION)),
        "outcome": read_status(span),
        "error": span.status_message[:_ERROR_LENGTH] or None if span.status == _ERROR_STATUS else None,
        "attributes": {key: as_json_value(value) for key, value in span.attributes.items()},
        "answer_note": "not recorded",
    }


def read_resource(span: Span) -> dict[str, Any]:
    """App, version and environment."""
    return {
        "app": as_text(span.resource.get(wire.APP)) or "",
        "app_version": as_text(span.resource.get(wire.APP_VERSION)),
        "environment": as_text(span.resource.get(wire.ENVIRONMENT) or span.resource.get(_OLDER_ENVIRONMENT)) or "",
    }


def read_status(span: Span) -> Outcome:
    """The outcome by OpenTelemetry's own status; a span without an end is incomplete."""
    if span.end_ns == 0:
        return Outcome.INCOMPLETE
    return Outcome.ERROR if span.status == _ERROR_STATUS else Outcome.OK
