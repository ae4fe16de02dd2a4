"""Where the open stage is kept: in the OpenTelemetry context, so that whatever carries one carries the other."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import Token
from typing import TYPE_CHECKING, Final

from opentelemetry import context as otel
from opentelemetry import trace

if TYPE_CHECKING:
    from opentelemetry.trace import Span

    from .open_stage import OpenStage

_KEY: Final = otel.create_key("goldrank-open-stage")
_SPAN_KEY: Final = next(iter(trace.set_span_in_context(trace.INVALID_SPAN, otel.Context())))
"""Under which OpenTelemetry keeps the current span: setting both at once copies the context once."""

Entered = Token[otel.Context]


current_context: Final[Callable[[], otel.Context]] = otel.get_current
"""The context that is active here."""


def open_stage(context: otel.Context | None = None) -> OpenStage | None:
    """The innermost open stage (or request) here, or in `context`."""
    return (otel.get_current() if context is None else context).get(_KEY)  # type: ignore[return-value] # ours


def span_in(context: otel.Context) -> Span | None:
    """OpenTelemetry's current span in `context`, or None."""
    return context.get(_SPAN_KEY)  # type: ignore[return-value] # nobody else writes there


def with_span(context: otel.Context, span: Span) -> otel.Context:
    """`context` in which `span` is OpenTelemetry's current span."""
    return trace.set_span_in_context(span, context)


def with_stage(context: otel.Context, stage: OpenStage, *, beside: bool) -> otel.Context:
    """`context` in which `stage` is the open one, and (unless `beside`) its span the current one."""
    if beside:
        return otel.Context({**context, _KEY: stage})
    return otel.Context({**context, _SPAN_KEY: stage.span, _KEY: stage})


enter: Final[Callable[[otel.Context], Entered]] = otel.attach
"""Makes a context the active one, until `leave`."""


def leave(entered: Entered, context: otel.Context) -> None:
    """Undoes `enter(context)`.

    A stream may be closed from another task than the one that read it; then there is nothing of ours to undo
    here. `opentelemetry.context.detach` would log an error each time
    (open-telemetry/opentelemetry-python#2606), so the token is reset directly.
    """
    try:
        entered.var.reset(entered)
    except ValueError:
        if otel.get_current() is context and entered.old_value is not Token.MISSING:
            otel.attach(entered.old_value)
