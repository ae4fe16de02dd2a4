"""A file with everything that people made by hand."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict

from ..model import Refused, UsageError
from .workspace import Workspace


class Backup(BaseModel):
    """Where to put it."""

    model_config = ConfigDict(frozen=True)

    target: str
    """Absolute path of the new file."""
    overwrite: bool = False


class BackedUp(BaseModel):
    """The file."""

    model_config = ConfigDict(frozen=True)

    path: str
    size: int
    """Bytes."""
    counts: dict[str, int]
    """Kind -> how many things, each with its history."""


def backup(workspace: Workspace, ask: Backup) -> BackedUp:
    """Writes labels, cases, complaints, the queue, saved filters and batches; refused over an existing file unless
    told.
    """
    from ..store.handmade import Made
    from .archive import write_archive

    target = Path(ask.target)
    if not target.is_absolute():
        raise UsageError(f"The place of a backup is an absolute path; found {ask.target!r}.")
    if target.is_dir() or not target.parent.is_dir():
        raise UsageError(f"{target} is no place for a file: name a file in a folder that is there.")
    if target.exists() and not ask.overwrite:
        raise Refused(f"{target} exists already: name another file, or say --overwrite.")
    store = workspace.store
    with store.writing():  # one state of everything
        histories = {made: store.handmade.read(made) for made in Made}
        schema_version = store.intake.counts()["schema_version"]
    write_archive(target, histories, schema_version=schema_version, created_ns=workspace.now_ns())
    counts = {made.value: len(found) for made, found in histories.items()}
    return BackedUp(path=str(target), size=target.stat().st_size, counts=counts)
