"""What every action is given: the store, the spool, the clock and who acts."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:  # a command that a hub answers loads no store
    from ..model.redaction import Redaction
    from ..store import Store


class IngesterNow(Protocol):
    """How an ingester fares, see `collectors.ingester.IngesterState`."""

    @property
    def running(self) -> bool: ...
    @property
    def healthy(self) -> bool: ...
    @property
    def message(self) -> str: ...
    @property
    def last_commit_ns(self) -> int | None: ...
    @property
    def oldest_unread_s(self) -> float | None: ...
    @property
    def frames_read(self) -> int: ...
    @property
    def frames_bad(self) -> int: ...


class RunningReplays(Protocol):
    """The desk of the hub that runs requests again: `replay_desk.ReplayDesk`."""

    @property
    def target(self) -> str: ...

    def works_on(self, batch_id: str) -> bool: ...
    def why_stopped(self, batch_id: str) -> str: ...


class RunningIngester(Protocol):
    """The ingester that works beside the action: the hub's `collectors.ingester.Ingester`."""

    @property
    def state(self) -> IngesterNow: ...


def _tell_nobody(_progress: str) -> None:
    """Where nobody watches, progress is told to nobody."""


class Workspace(NamedTuple):
    """The surroundings of an action. Tests pass a fixed clock."""

    store: Store
    spool: Path
    who: str = "unknown"
    """The person or tool that acts; kept with labels and cases."""
    now_ns: Callable[[], int] = time.time_ns
    redact: tuple[Redaction, ...] | None = None
    """Run over every text that a person typed and that is stored. None: what GOLDRANK_REDACT names in the environment
    of this process; see `human_text`."""
    ingester: RunningIngester | None = None
    """The hub's own; None where no hub runs."""
    replays: RunningReplays | None = None
    """The hub's desk for replays; None where no hub runs, or one without an app."""
    hub: dict[str, Any] | None = None
    """pid, url, since_ns of the hub that runs the action; None where none does."""
    tell: Callable[[str], None] = _tell_nobody
    """Called with a line of progress during long work."""
