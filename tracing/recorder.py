"""What `init` switched on: where spans are made, where they go, and what is done to texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, Protocol

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import NoOpTracer, Tracer

from ..model.frame_kind import FrameKind
from ..model.stage_words import StageKind
from .relay import Relay
from .settings import Settings
from .texts import TextRules


class Outlet(Protocol):
    """Where ended spans and frames go: the spool, an endpoint, or a test's list."""

    def on_start(self, span: Any, parent_context: Any = None) -> None: ...

    def on_end(self, span: ReadableSpan) -> None: ...

    def put(self, kind: FrameKind, payload: bytes) -> bool:
        """Takes a frame that is no span. False: it was not taken, and is counted."""
        ...

    def count(self, reason: str, n: int = 1) -> None:
        """Counts what was lost, or never sampled."""
        ...

    def flush(self, timeout_s: float = 5.0) -> bool: ...

    def force_flush(self, timeout_millis: int = 30_000) -> bool: ...

    def shutdown(self) -> None: ...


class Recorder(NamedTuple):
    """Everything that recording needs, made once by `init`."""

    settings: Settings
    tracer: Tracer
    relay: Relay
    outlet: Outlet
    rules: TextRules
    beside: bool
    """Spans are made beside the app's own provider, so the app's current span must stay what it is."""
    limits: tuple[int | None, int | None] | None
    """The provider's limits: attributes a span, characters a value. None: no limit, or none of them."""


class Nowhere:
    """An outlet that takes everything and keeps nothing."""

    def on_start(self, span: Any, parent_context: Any = None) -> None:
        """Nothing."""

    def on_end(self, span: ReadableSpan) -> None:
        """Nothing."""

    def put(self, kind: FrameKind, payload: bytes) -> bool:  # noqa: ARG002
        """Taken, and gone."""
        return True

    def count(self, reason: str, n: int = 1) -> None:
        """Nothing."""

    def flush(self, timeout_s: float = 5.0) -> bool:  # noqa: ARG002
        """There is nothing to wait for."""
        return True

    def force_flush(self, timeout_millis: int = 30_000) -> bool:  # noqa: ARG002
        """There is nothing to wait for."""
        return True

    def shutdown(self) -> None:
        """Nothing."""


class ReplayHook(Protocol):
    """What decorated calls ask while a replay is active (`replaying.calls`)."""

    def call(
        self, plan: Any, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]:
        """What is called instead of `function(*args, **kwargs)`."""
        ...

    def block(self, kind: StageKind, name: str, values: Mapping[str, Any]) -> None:
        """Takes note of a `with goldrank.stage(...)` block."""
        ...


class _Switch:
    """The one recorder of this process; None before `init` and after `shutdown`."""

    __slots__ = ("recorder", "replays", "waits_for_app")

    def __init__(self) -> None:
        self.recorder: Recorder | None = None
        self.replays: ReplayHook | None = None
        """Set while a recorded request is run again in this process: decorated calls ask it first."""
        self.waits_for_app = False
        """The app has no tracer provider yet; should it set one, recording changes over to it."""


SWITCH: Final = _Switch()


NO_RECORDER: Final = Recorder(Settings(), NoOpTracer(), Relay(), Nowhere(), TextRules(), beside=False, limits=None)
"""What stages have outside of any recording."""
