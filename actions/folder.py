"""The data folder: which one is meant, and the fixed names inside it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from ..model import StoreError

DIRECTORY_VARIABLE: Final = "GOLDRANK_DIR"
DEFAULT_DIRECTORY: Final = Path(".goldrank")
_ROOM: Final = 65_536
"""Bytes that a hub needs at once: the least that a disk must have left."""


class Folder:
    """The names inside one data folder. Making one touches no disk."""

    def __init__(self, directory: Path) -> None:
        self.path = _plain(directory)
        self.spool = self.path / "spool"
        self.bad = self.spool / "bad"
        self.store = self.path / "store.duckdb"
        self.hub_lock = self.path / "hub.lock"
        self.hub_json = self.path / "hub.json"
        self.hub_socket = self.path / "hub.sock"

    @property
    def used(self) -> bool:
        """Whether an app has ever recorded here, or a store was made."""
        return self.spool.is_dir() or self.store.exists()

    def make(self) -> None:
        """Makes the folder, closed to other users, where it is missing. StoreError where it cannot be one."""
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise self.unusable(error) from error

    def unusable(self, error: OSError) -> StoreError:
        """Why it cannot be the data folder, and what to do."""
        return StoreError(
            f"{self.path} cannot be used as data folder: {error.strerror or error}. "
            "Name another one with --directory or GOLDRANK_DIR."
        )

    def check_room(self) -> None:
        """OSError where nothing can be written into the folder, which is said better before anything is begun."""
        draft = self.path / f".room.{os.getpid()}"
        try:
            draft.write_bytes(bytes(_ROOM))
        finally:
            draft.unlink(missing_ok=True)


def data_directory(argument: str | Path | None = None) -> Path:
    """The data folder: the argument, else GOLDRANK_DIR, else `./.goldrank`; absolute, without `..`."""
    chosen = argument or os.environ.get(DIRECTORY_VARIABLE) or DEFAULT_DIRECTORY
    return _plain(Path(chosen).expanduser())


def _plain(path: Path) -> Path:
    """The path as people read it. `..` goes up from where a link leads, so links are only followed where one stands."""
    return path.resolve() if ".." in path.parts else path.absolute()
