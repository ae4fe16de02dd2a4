"""What went wrong with the file, said so that a person can act: who holds it, what is damaged, one remedy."""

from __future__ import annotations

import json
import re
from pathlib import Path

import duckdb

from ...model import StoreError, StoreLocked

_HOLDER = re.compile(r"held in (?P<program>.+?) \(PID (?P<pid>\d+)\)")
_LOG_BEGINS = b"d\x00b"
"""A DuckDB log begins with its version entry. DuckDB takes a log that begins otherwise for an empty one, and
would drop it silently."""


def check_log(path: Path) -> None:
    """Raises StoreError if the log beside `path` is no DuckDB log, before DuckDB drops it as empty."""
    log = log_of(path)
    try:
        with log.open("rb") as file:
            beginning = file.read(len(_LOG_BEGINS))
    except FileNotFoundError:
        return
    except OSError as error:
        raise StoreError(f"{log} cannot be read: {error.strerror}. Nothing was changed.") from error
    if beginning and beginning != _LOG_BEGINS:
        raise _broken_log(path, "it does not begin as a DuckDB log does")


def opening_error(path: Path, error: Exception) -> StoreError:
    """Why the file could not be opened, as an error for the person at the screen."""
    text = _first_line(error)
    if "Could not set lock" in text or "being used by another process" in text:
        return StoreLocked(_locked(path, text))
    if "replaying WAL" in text or "Corrupt WAL" in text:
        return _broken_log(path, text)
    if "not a valid DuckDB database" in text:
        return StoreError(
            f"{path} is not a DuckDB file, or its beginning is damaged. Nothing was changed. "
            "Move it aside and put a snapshot in its place, or start without one: a new store is made."
        )
    if "version number" in text:
        return StoreError(f"{path} was written by another DuckDB: {text} Upgrade duckdb in this environment.")
    if "different configuration" in text:
        return StoreLocked(f"{path} is open in this process already, in another mode: use that store.")
    return StoreError(f"{path} cannot be opened: {text} Nothing was changed.")


def explain(path: Path, error: duckdb.Error) -> StoreError:
    """An error of DuckDB in the middle of the work."""
    text = _first_line(error)
    if "closed" in text and isinstance(error, duckdb.ConnectionException):
        return StoreError(f"{path} is closed.")
    if "No space left" in text or "Could not write" in text:
        return StoreError(f"{path} cannot be written: {text} Make room on the disk; nothing of this change was kept.")
    if "invalidated" in text:
        return StoreError(f"{path} stopped working after an earlier error: {text} Restart goldrank to open it again.")
    return StoreError(f"{path}: {text}")


def log_of(path: Path) -> Path:
    """DuckDB's write-ahead log of a file."""
    return path.with_name(path.name + ".wal")


def _broken_log(path: Path, reason: str) -> StoreError:
    log = log_of(path)
    return StoreError(
        f"{log} is damaged: {reason.rstrip('.')}. Nothing was changed. It holds the newest changes of {path.name}. "
        f"Put a snapshot in their place, or go on without what it holds: mv '{log}' '{log}.damaged'"
    )


def _locked(path: Path, text: str) -> str:
    """Names the holder of the file and one thing to do."""
    holder = _HOLDER.search(text)
    if holder is None:
        return f"{path} is in use by another process. Close that program and try again."
    pid = int(holder["pid"])
    hub = _hub(path.parent)
    if hub is not None and hub.get("pid") == pid:
        where = f" at {hub['url']}" if hub.get("url") else ""
        return (
            f"{path} is held by the goldrank hub (PID {pid}){where}. "
            "Look there, or use the goldrank commands: they go through the hub while it runs."
        )
    return (
        f"{path} is held by {Path(holder['program']).name} (PID {pid}). "
        "Close that program and try again; while a hub runs, `goldrank snapshot FILE` makes a copy to look at."
    )


def _hub(folder: Path) -> dict[str, object] | None:
    """What the hub of this folder says of itself; None where there is none or it cannot be read."""
    try:
        hub = json.loads((folder / "hub.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return hub if isinstance(hub, dict) else None


def _first_line(error: Exception) -> str:
    """The message without DuckDB's pointers to its website and its dumps."""
    text = str(error).strip().split("\n")[0].split(". See also")[0].strip()
    return text if text.endswith((".", "!")) else text + "."
