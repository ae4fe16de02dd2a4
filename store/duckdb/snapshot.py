"""A copy of the store that another process can open while this one goes on."""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO

from ...model import StoreError, UsageError
from .database import Database
from .trouble import log_of

_BLOCK = 4 * 1024 * 1024


def take_snapshot(database: Database, target: Path) -> None:
    """Writes the copy beside `target` and renames it, so that a reader sees a whole one or none.

    Writers wait while it is copied; readers go on. An older snapshot at `target` is replaced.
    """
    target = target.absolute()
    if target.resolve() == database.path.resolve():
        raise UsageError(f"{target} is the store itself: name another file for the snapshot.")
    if target.is_dir():
        raise UsageError(f"{target} is a folder: name a file in it.")
    draft = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with database.writing():
            if not database.read_only:
                database.checkpoint()
            _copy(database, draft)
        draft.replace(target)
    except OSError as error:
        raise StoreError(f"The snapshot {target} could not be written: {error.strerror}.") from error
    finally:
        if draft.parent.is_dir():
            draft.unlink(missing_ok=True)


def _copy(database: Database, draft: Path) -> None:
    """Copies the file through the handle that is open already: closing another one would drop DuckDB's lock."""
    if log_of(database.path).exists():
        raise StoreError(f"The log of {database.path} could not be emptied now. Try the snapshot again.")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as copy:
        _pour(database.file, copy)
        copy.flush()
        os.fsync(copy.fileno())


def _pour(source: BinaryIO, copy: BinaryIO) -> None:
    position = 0
    while block := os.pread(source.fileno(), _BLOCK, position):
        copy.write(block)
        position += len(block)
