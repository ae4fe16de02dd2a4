"""Read what apps have recorded into the store."""

from __future__ import annotations

import threading
from typing import Final

from pydantic import BaseModel, ConfigDict

from ..model import StoreError
from .human_text import redactor
from .workspace import RunningIngester, Workspace

_LOOK_AGAIN_S: Final = 0.05


class Ingest(BaseModel):
    """Asks for everything that stands in the spool now."""

    model_config = ConfigDict(frozen=True)

    wait_s: float = 120.0
    """How long to wait, in seconds, for a hub that is reading already."""


class Ingested(BaseModel):
    """What was read."""

    model_config = ConfigDict(frozen=True)

    frames_read: int
    """Frames that are in the store now and were not before; those set aside are not among them."""
    frames_bad: int
    """Frames that could not be read and were set aside in `spool/bad`."""
    requests: int
    """Requests in the store now."""
    message: str = ""
    """What still waits, in words; empty when everything was read."""


def ingest(workspace: Workspace, ask: Ingest) -> Ingested:
    """Reads the spool to its end. Where a hub runs, its own ingester does the work and this waits for it."""
    running = workspace.ingester
    if running is not None and running.state.running:
        return _wait_for(workspace, running, ask.wait_s)
    from ..collectors.ingester import Ingester

    ingester = Ingester(workspace.spool, workspace.store, redact=(redactor(workspace),), now_ns=workspace.now_ns)
    read = 0
    while frames := ingester.run_once():
        read += frames
        workspace.tell(f"{read:,} frames read")
    state = ingester.state
    return _ingested(workspace, state.frames_read, state.frames_bad, state.message)


def _wait_for(workspace: Workspace, running: RunningIngester, wait_s: float) -> Ingested:
    before = running.state
    pause = threading.Event()
    for _ in range(int(wait_s / _LOOK_AGAIN_S) + 1):
        if not _unread(workspace):
            break
        if not running.state.healthy:
            raise StoreError(f"The hub cannot read the spool: {running.state.message}")
        pause.wait(_LOOK_AGAIN_S)
    after = running.state
    left = "" if not _unread(workspace) else f"The hub is still reading after {wait_s:.0f} s: `goldrank status` tells."
    return _ingested(
        workspace, after.frames_read - before.frames_read, after.frames_bad - before.frames_bad, left or after.message
    )


def _unread(workspace: Workspace) -> bool:
    from ..collectors.reading import read_batch

    return bool(read_batch(workspace.spool, workspace.store.intake.progress()).frames)


def _ingested(workspace: Workspace, frames_read: int, frames_bad: int, message: str) -> Ingested:
    rows = workspace.store.intake.counts()["rows"]
    return Ingested(
        frames_read=frames_read - frames_bad, frames_bad=frames_bad, requests=rows["requests"], message=message
    )
