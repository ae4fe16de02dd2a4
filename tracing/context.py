"""Where the open stage is kept: in the OpenTelemetry context, so that whatever carries one carries the other."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar, Token
from typing import TYPE_CHECKING, Any, Final

from opentelemetry import context as otel
from opentelemetry import trace

if TYPE_CHECKING:
    from opentelemetry.trace import Span

    from .open_stage import OpenStage

STAGE_KEY: Final = otel.create_key("goldrank-open-stage")
SPAN_KEY: Final = next(iter(trace.set_span_in_context(trace.INVALID_SPAN, otel.Context())))
"""Under which OpenTelemetry keeps the current span: setting both at once copies the context once."""

Entered = Token[otel.Context]


def _variable() -> ContextVar[otel.Context] | None:
    """Where OpenTelemetry keeps the active context; None where an app configured something else (OTEL_PYTHON_CONTEXT).

    Its own functions go through two calls to get there, and a stage asks three times.
    """
    entered: Any = otel.attach(otel.get_current())
    otel.detach(entered)
    return entered.var if isinstance(entered, Token) else None


_VARIABLE: Final = _variable()

current_context: Final[Callable[[], otel.Context]] = otel.get_current if _VARIABLE is None else _VARIABLE.get
"""The context that is active here."""


def open_stage(context: otel.Context | None = None) -> OpenStage | None:
    """The innermost open stage (or request) here, or in `context`."""
    return (current_context() if context is None else context).get(STAGE_KEY)  # type: ignore[return-value] # ours


def span_in(context: otel.Context) -> Span | None:
    """OpenTelemetry's current span in `context`, or None."""
    return context.get(SPAN_KEY)  # type: ignore[return-value] # nobody else writes there


def with_span(context: otel.Context, span: Span) -> otel.Context:
    """`context` in which `span` is OpenTelemetry's current span."""
    return trace.set_span_in_context(span, context)


def with_stage(context: otel.Context, stage: OpenStage, *, beside: bool) -> otel.Context:
    """`context` in which `stage` is the open one, and (unless `beside`) its span the current one."""
    if beside:
        return otel.Context({**context, STAGE_KEY: stage})
    return otel.Context({**context, SPAN_KEY: stage.span, STAGE_KEY: stage})


enter: Final[Callable[[otel.Context], Entered]] = otel.attach if _VARIABLE is None else _VARIABLE.set
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
        if current_context() is context and entered.old_value is not Token.MISSING:
            enter(entered.old_value)
