"""The replay that is active here: what it asks for, and what came of each part of it.

A worker runs one replay at a time and holds it process-wide, so that every thread is inside it. In a live server it is
held in OpenTelemetry's context: other requests of that process must not notice it.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any, Final

from opentelemetry import context as otel

from ...model.replay import Override, Pin, PlaceRan, ReplayPlan, StageRan
from ...model.stage_words import StageKind
from ..recorder import SWITCH

_KEY: Final = otel.create_key("goldrank-replay")


class Ran:
    """One call of a stage, while it is not known yet what becomes of it."""

    def __init__(self, kind: StageKind, name: str) -> None:
        self.kind = kind
        self.name = name
        self.ran = PlaceRan.LIVE
        self.notes: list[str] = []

    def done(self) -> StageRan:
        """As it goes into the outcome."""
        return StageRan(kind=self.kind, name=self.name, ran=self.ran, note="; ".join(dict.fromkeys(self.notes)))


class Replay:
    """One run of a recorded request. Stages may call it from any thread."""

    def __init__(self, plan: ReplayPlan, *, script: ModuleType | None = None) -> None:
        self.plan = plan
        self.script = script
        """Stands in for `__main__` of the recorded process, where classes of hits are looked for."""
        self.lock = threading.RLock()
        self.request_id: str | None = None
        """Of the new request, once it has begun."""
        self.recorded = True
        """False: the app's sampler left the new request out."""
        self.ran: list[Ran] = []
        self.used: set[int] = set()
        """Places of overrides that some call took."""
        self.reasons: dict[int, str] = {}
        """Place of an override -> why a call that it meant could not take it."""
        self.injected: list[str] = []
        """Where the chunk was put, in words."""
        self.not_injected = ""
        self.in_prompt: bool | None = None
        """Whether the injected text was in a prompt; None: no prompt was seen."""
        self.neighbour: Any = None
        """The last hit that a stage gave: the injected chunk is made like it where its list is empty."""
        self.strays: dict[tuple[StageKind, str], None] = {}
        """Pinned stages that were called in a thread that had lost the replay."""
        self._pins: dict[tuple[StageKind, str, str | None], deque[Pin]] = {}
        self._counts: dict[tuple[StageKind, str], int] = {}
        for pin in plan.pins:
            self._pins.setdefault((pin.kind, pin.name, pin.query), deque()).append(pin)
            self._counts[pin.kind, pin.name] = self._counts.get((pin.kind, pin.name), 0) + 1

    def begin(self, kind: StageKind, name: str) -> Ran:
        """Notes that a stage is called."""
        ran = Ran(kind, name)
        with self.lock:
            self.ran.append(ran)
        return ran

    def names(self, kind: StageKind, name: str) -> bool:
        """Whether pins name this stage."""
        return (kind, name) in self._counts

    def take(self, kind: StageKind, name: str, query: str | None) -> Pin | str:
        """The pin for the next call of a stage with this query; where there is none, the reason."""
        with self.lock:
            waiting = self._pins.get((kind, name, query))
            if waiting:
                return waiting.popleft()
        count = self._counts[kind, name]
        if waiting is not None:
            return f"no recording for this call: it was recorded {_times(count)}, and each is used"
        said = "no query" if query is None else f"the query {query!r:.200}"
        return f"no recording for this call: {said} was not recorded for it"

    def overrides_for(self, kind: StageKind, name: str) -> list[tuple[int, Override]]:
        """(place, override) of those that mean this stage."""
        return [
            (place, override)
            for place, override in enumerate(self.plan.overrides)
            if override.target in {kind.value, name}
        ]

    def stray(self, kind: StageKind, name: str) -> None:
        """Notes a call of a pinned stage outside of every request and of every replay."""
        with self.lock:
            self.strays[kind, name] = None

    @property
    def left(self) -> list[Pin]:
        """Pins that no call took."""
        return [pin for waiting in self._pins.values() for pin in waiting]


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


class _Register:
    """The replays of this process."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.everywhere: Replay | None = None
        self.running: tuple[Replay, ...] = ()


_REGISTER: Final = _Register()


def current() -> Replay | None:
    """The replay that what runs here belongs to."""
    everywhere = _REGISTER.everywhere
    if everywhere is not None:
        return everywhere
    held = otel.get_value(_KEY)
    return held if isinstance(held, Replay) else None


def running() -> tuple[Replay, ...]:
    """All replays of this process."""
    return _REGISTER.running


@contextmanager
def active(replay: Replay, hook: Any, *, everywhere: bool) -> Iterator[None]:
    """Makes `replay` the active one; `hook` is what decorated calls ask while any is."""
    token = None if everywhere else otel.attach(otel.set_value(_KEY, replay))
    with _REGISTER.lock:
        if everywhere:
            _REGISTER.everywhere = replay
        _REGISTER.running = (*_REGISTER.running, replay)
        SWITCH.replays = hook
    try:
        yield
    finally:
        with _REGISTER.lock:
            if everywhere:
                _REGISTER.everywhere = None
            _REGISTER.running = tuple(one for one in _REGISTER.running if one is not replay)
            if not _REGISTER.running:
                SWITCH.replays = None
        if token is not None:
            otel.detach(token)
