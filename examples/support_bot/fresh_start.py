"""A demo that was interrupted starts over: what it had recorded is deleted, and nothing else ever is.

A marker file stands in the data folder from before the first question until after the last complaint. Only a folder
with the marker is cleared, and only where all that was recorded in it comes from the process that the marker names.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

from goldrank.actions import AskStatus, FindRequests, Folder, find_requests, hub_lock, perform, status
from goldrank.model import Refused
from goldrank.store import RequestFilter
from goldrank.tracing.spool import list_segments

MARKER = "demo_unfinished.json"
_NOTE = (
    "The support bot's demo is being recorded here. If it is interrupted, its next run deletes this and starts over."
)
_ELSEWHERE = "Choose another folder with --directory."


def begin(directory: Path, *, app: str, environment: str) -> bool:
    """Marks the folder for a demo, and clears what an interrupted one left; True where there was one.

    Raises Refused where the folder holds anything else, StoreLocked where a hub or another command has it open.
    """
    folder = Folder(directory)
    marker = folder.path / MARKER
    interrupted = marker.exists()
    if interrupted:
        found = next(_not_ours(folder, _pid_of(marker), app, environment), None)
        if found is not None:
            raise Refused(f"{folder.path} holds {found} beside an unfinished demo; nothing was deleted. {_ELSEWHERE}")
        _clear(folder)
    elif _holds_anything(folder):
        raise Refused(f"{folder.path} holds recordings that this demo did not make, or that are complete. {_ELSEWHERE}")
    folder.make()
    marker.write_text(json.dumps({"pid": os.getpid(), "note": _NOTE}, indent=1) + "\n", "utf-8")
    return interrupted


def finish(directory: Path) -> None:
    """The demo is complete: nothing in the folder is deleted any more."""
    (directory / MARKER).unlink(missing_ok=True)


def _holds_anything(folder: Folder) -> bool:
    if list_segments(folder.spool):
        return True
    return folder.store.exists() and any(perform(folder.path, status, AskStatus()).rows.values())


def _pid_of(marker: Path) -> int | None:
    """The process that wrote the marker. None: it was stopped while it wrote it, so it recorded nothing."""
    try:
        return int(json.loads(marker.read_text("utf-8"))["pid"])
    except ValueError:
        return None


def _not_ours(folder: Folder, pid: int | None, app: str, environment: str) -> Iterator[str]:
    """What a run of the demo in process `pid` does not leave behind, in words."""
    for segment in list_segments(folder.spool):
        header = segment.header
        if header is None:
            yield f"a segment that cannot be read ({segment.name})"
        elif (header.app, header.pid) != (app, pid):
            yield f"recordings of {header.app} (PID {header.pid})"
        elif segment.alive:
            yield f"recordings of a process that still runs (PID {header.pid})"
    if not folder.store.exists():
        return
    rows = perform(folder.path, status, AskStatus()).rows
    if rows["labels"] or rows["cases"]:
        yield "labels or cases"
    ours = FindRequests(which=RequestFilter(app=app, environment=environment), limit=1)
    page = perform(folder.path, find_requests, ours)
    if page.matching != page.stored:
        yield "requests of another app"


def _clear(folder: Folder) -> None:
    """Deletes segments and store, with the folder locked, so that no hub opens what is being deleted."""
    with hub_lock(folder.path, what="command"):
        for segment in list_segments(folder.spool):
            segment.path.unlink(missing_ok=True)
        for name in (folder.store.name, f"{folder.store.name}.wal"):
            (folder.path / name).unlink(missing_ok=True)
