"""A copy of the store that another program can open."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict

from ..model import Refused, UsageError
from .workspace import Workspace


class Snapshot(BaseModel):
    """Where to put the copy."""

    model_config = ConfigDict(frozen=True)

    target: str
    """Absolute path of the new file."""
    overwrite: bool = False


class SnapshotMade(BaseModel):
    """The copy."""

    model_config = ConfigDict(frozen=True)

    path: str
    size: int
    """Bytes."""


def snapshot(workspace: Workspace, ask: Snapshot) -> SnapshotMade:
    """Writes the copy beside its place and renames it; refused over an existing file unless told."""
    target = Path(ask.target)
    if not target.is_absolute():
        raise UsageError(f"The place of a snapshot is an absolute path; found {ask.target!r}.")
    if target.is_dir():
        raise UsageError(f"{target} is a folder; name the file too.")
    if not target.parent.is_dir():
        raise UsageError(f"There is no folder {target.parent}: make it first.")
    if target.resolve() == workspace.store.path.resolve():
        raise Refused(f"{target} is the store itself; name another file.")
    if target.exists() and not ask.overwrite:
        raise Refused(f"{target} exists already: name another file, or say --overwrite.")
    workspace.store.snapshot(target)
    return SnapshotMade(path=str(target), size=target.stat().st_size)
