"""Where the open stage is kept: in the OpenTelemetry context, so that whatever carries one carries the other."""

from __future__ import annotations

from contextvars import Token
from typing import TYPE_CHECKING, Final, cast

from opentelemetry import context as otel

if TYPE_CHECKING:
    from .open_stage import OpenStage

_KEY: Final = otel.create_key("goldrank-open-stage")

Entered = Token[otel.Context]


def current_context() -> otel.Context:
    """The context that is active here."""
    return otel.get_current()


def open_stage(context: otel.Context | None = None) -> OpenStage | None:
    """The innermost open stage (or request) here, or in `context`."""
    return cast("OpenStage | None", otel.get_value(_KEY, context))


def with_stage(context: otel.Context, stage: OpenStage) -> otel.Context:
    """`context` in which `stage` is the open one."""
    return otel.set_value(_KEY, stage, context)


def enter(context: otel.Context) -> Entered:
    """Makes `context` the active one, until `leave`."""
    return otel.attach(context)


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
