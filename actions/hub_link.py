"""Who holds the data folder, and how a command reaches the hub that does.

`hub.lock` decides: whoever holds its flock may open the store. `hub.json` says how to reach a hub; a hub that was
killed leaves it behind, so nobody concludes from it that a hub runs.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from ..model import StoreError, StoreLocked
from .folder import Folder

HUB = "hub"
COMMAND = "command"


class FolderHeld(StoreLocked):
    """Another goldrank process has the folder's lock."""


class HubInfo(BaseModel):
    """How to reach the hub: what `hub.json` holds."""

    model_config = ConfigDict(frozen=True)

    pid: int
    url: str
    """"http://127.0.0.1:8501", without a slash at the end."""
    socket: str | None = None
    """Absolute path of the unix socket; None where there is none."""
    token: str
    since_ns: int
    directory: str
    """Absolute path of the data folder."""
    certificate: str | None = None
    """Absolute path of the certificate, PEM, where `url` is https."""


class Holder(BaseModel):
    """Who holds the lock: what `hub.lock` holds while it is locked."""

    model_config = ConfigDict(frozen=True)

    pid: int
    since_ns: int
    what: str = HUB
    """"hub", or "command" for a command that works on the store itself."""
    address: str = ""
    """The hub's URL, once it is bound."""

    @property
    def words(self) -> str:
        """ "PID 812, since 2026-11-30 09:12:05 UTC, http://127.0.0.1:8501"."""
        since = datetime.fromtimestamp(self.since_ns / 1e9, UTC)
        parts = [f"PID {self.pid}", f"since {since:%Y-%m-%d %H:%M:%S} UTC", self.address]
        return ", ".join(part for part in parts if part)


class HubLock:
    """The lock while it is held."""

    def __init__(self, descriptor: int, holder: Holder) -> None:
        self._descriptor = descriptor
        self.holder = holder
        self._write()

    def say_address(self, url: str) -> None:
        """Adds the address to what others read when they meet the lock."""
        self.holder = self.holder.model_copy(update={"address": url})
        self._write()

    def _write(self) -> None:
        """Who holds it is only said to others: on a full disk nobody reads it, and the lock is held all the same."""
        text = self.holder.model_dump_json().encode()
        with suppress(OSError):
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, text, 0)


@contextmanager
def hub_lock(directory: Path, *, what: str = HUB) -> Iterator[HubLock]:
    """Holds the folder's lock; FolderHeld, a StoreLocked, names the holder where another process has it.

    Taken before the store is opened, so that a second hub reads a sentence instead of a traceback.
    """
    folder = Folder(directory)
    folder.make()
    try:
        descriptor = os.open(folder.hub_lock, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise folder.unusable(error) from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise FolderHeld(_held(folder)) from None
        yield HubLock(descriptor, Holder(pid=os.getpid(), since_ns=time.time_ns(), what=what))
        os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)


def read_holder(directory: Path) -> Holder | None:
    """What the lock file says; None where it says nothing. Whether it is still held only taking it tells."""
    try:
        return Holder.model_validate_json(Folder(directory).hub_lock.read_bytes())
    except (OSError, ValidationError):
        return None


def write_hub_info(info: HubInfo) -> None:
    """Writes `hub.json` so that a reader sees all of it or nothing of it; readable by its owner only."""
    target = Folder(Path(info.directory)).hub_json
    draft = target.with_name(f".hub.json.{info.pid}")
    draft.unlink(missing_ok=True)
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(info.model_dump_json(indent=2) + "\n")
    draft.replace(target)


def read_hub_info(directory: Path) -> HubInfo | None:
    """What `hub.json` says; None where there is no such file or it is not readable as one."""
    path = Folder(directory).hub_json
    try:
        return HubInfo.model_validate_json(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError, ValidationError):
        return None
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}. It belongs to whoever started the hub.") from error


def remove_hub_info(directory: Path, pid: int) -> None:
    """Removes `hub.json` if it is the one of this process."""
    info = read_hub_info(directory)
    if info is not None and info.pid == pid:
        Folder(directory).hub_json.unlink(missing_ok=True)


def _held(folder: Folder) -> str:
    holder = read_holder(folder.path)
    if holder is None:
        return f"Another process holds {folder.path} and is just starting. Try again in a moment."
    if holder.what == HUB:
        return f"A hub is running on {folder.path} ({holder.words}). Look there, or stop it first: kill {holder.pid}"
    return f"Another goldrank command works on {folder.path} ({holder.words}). Wait for it, or stop it."


__all__ = [
    "COMMAND",
    "HUB",
    "FolderHeld",
    "Holder",
    "HubInfo",
    "HubLock",
    "hub_lock",
    "read_holder",
    "read_hub_info",
    "remove_hub_info",
    "write_hub_info",
]
