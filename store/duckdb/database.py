"""The one connection, a cursor for each call, and the one lock that all writers take."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from ...model import StoreError, StoreLocked
from .gate import Gate
from .trouble import check_log, explain, log_of, opening_error

_WRITING = threading.RLock()
"""Two threads that update the same rows make DuckDB refuse one of them ("Conflict on update!"); with one
lock for the whole process they never meet."""

_OPEN: dict[tuple[int, Path], str] = {}
"""(process, file) of the stores that are open here. A second connection would break the first one's lock,
see `Database.__init__`."""

_SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "enable_external_access": "false",
    "lock_configuration": "true",
    # Its cache would grow with the file, up to most of the machine's memory; beyond this it drops or puts aside.
    "memory_limit": "512MB",
}
"""No statement can load code, read or write another file, or change this."""


_WAIT_FOR_READERS_S = 120.0
"""A page answers in parts of a second; a query that somebody typed may take longer."""


class _Open(threading.local):
    """The transaction in which this thread is."""

    cursor: duckdb.DuckDBPyConnection | None = None
    """Of a change."""
    broken: bool = False
    """A change inside it failed."""
    seeing: duckdb.DuckDBPyConnection | None = None
    """Of several calls that read one state."""


class Database:
    """A DuckDB file. All access goes through `reading` and `changing`."""

    def __init__(self, path: Path, *, read_only: bool) -> None:
        self.path = path.absolute()
        self.read_only = read_only
        self._open = _Open()
        self._forgetting: list[Callable[[], None]] = []
        self._gate = Gate()
        self._place = (os.getpid(), self.path.resolve())
        if self._place in _OPEN:
            raise StoreLocked(f"{self.path} is open in this process (PID {os.getpid()}) already: use that store.")
        if read_only and not self.path.exists():
            raise StoreError(f"There is no store at {self.path} yet: `goldrank ingest` or `goldrank up` makes one.")
        self._connection = _connect(self.path, read_only=read_only)
        if not read_only:
            remove_draft(self.path)  # only now is it sure that nobody else is making one
        # POSIX locks vanish when the process closes any handle of the file. DuckDB's lock is one, so a copy is
        # read through this handle, and it is closed after DuckDB's own.
        self.file = self.path.open("rb")
        _OPEN[self._place] = "open"

    def on_rollback(self, forget: Callable[[], None]) -> None:
        """Asks for a call after every change that was taken back, and after `forget`, before anybody else may write."""
        self._forgetting.append(forget)

    @contextmanager
    def reading(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor that sees one state of the store throughout."""
        known = self._open.cursor or self._open.seeing
        if known is not None:
            yield known
            return
        with self._cursor() as cursor:
            cursor.execute("begin transaction read only")
            try:
                yield cursor
            finally:
                _roll_back(cursor)

    @contextmanager
    def one_state(self) -> Iterator[None]:
        """One state for everything that this thread reads inside, and one cursor. Re-entrant.

        What is changed inside is not seen until it ends, but by the change itself.
        """
        if self._open.cursor is not None or self._open.seeing is not None:
            yield
            return
        with self.reading() as cursor:
            self._open.seeing = cursor
            try:
                yield
            finally:
                self._open.seeing = None

    @contextmanager
    def changing(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor inside a transaction that is committed at the end, or rolled back on any error."""
        if self._open.cursor is None:
            with self.together(), self.changing() as cursor:
                yield cursor
            return
        try:
            yield self._open.cursor
        except BaseException:
            self._open.broken = True
            raise

    @contextmanager
    def together(self) -> Iterator[None]:
        """One transaction for everything that this thread reads and changes inside. Re-entrant.

        Nobody sees a part of it. An error takes back all of it, also one that was caught inside.
        """
        if self._open.cursor is not None:
            yield
            return
        with _WRITING, self._cursor() as cursor:
            cursor.execute("begin transaction")
            self._open.cursor, self._open.broken = cursor, False
            try:
                yield
                if self._open.broken:
                    raise StoreError(f"{self.path}: a part of a change failed, so nothing of it was kept.")
                cursor.execute("commit")
            except BaseException:
                _roll_back(cursor)
                self.forget()
                raise
            finally:
                self._open.cursor = None

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Holds the lock that all writers take. Re-entrant."""
        with _WRITING:
            yield

    def checkpoint(self) -> None:
        """Moves everything from the log into the file."""
        with _WRITING, self._cursor() as cursor:
            cursor.execute("checkpoint")

    def size(self) -> int:
        """Bytes of the file and its log on disk."""
        log = log_of(self.path)
        return self.path.stat().st_size + (log.stat().st_size if log.exists() else 0)

    def replace(self, draft: Path, *, wait_s: float = _WAIT_FOR_READERS_S) -> None:
        """Puts `draft`, a closed store beside this one, in the place of this file. All who wait go on with it.

        Whoever is killed leaves this file or that one, each whole. The caller has held `writing` since it read what
        the draft holds. StoreError where somebody reads for `wait_s` seconds on end; this file stays then.
        """
        with _WRITING:
            if self._open.cursor is not None:
                raise StoreError(f"{self.path} cannot be replaced inside a change.")
            with self._gate.alone(wait_s):
                self._connection.close()  # which empties the log into the file
                self.file.close()
                try:
                    if log_of(self.path).exists():
                        raise StoreError(f"The log of {self.path} could not be emptied now. Nothing was changed.")
                    draft.replace(self.path)
                    _sync_folder(self.path.parent)
                finally:
                    self._connection = _connect(self.path, read_only=False)
                    self.file = self.path.open("rb")
            self.forget()

    def forget(self) -> None:
        """Drops what is remembered of the tables' content: it is asked again."""
        for forget in self._forgetting:
            forget()

    def close(self) -> None:
        """Closes the file. Closing twice is harmless."""
        with _WRITING:
            self._connection.close()
            self.file.close()
            _OPEN.pop(self._place, None)

    @contextmanager
    def _cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        with self._gate.inside():
            try:
                cursor = self._connection.cursor()
                try:
                    yield cursor
                finally:
                    cursor.close()
            except duckdb.Error as error:
                raise explain(self.path, error) from error


def draft_of(path: Path) -> Path:
    """Where a new file is made that will take the place of `path`."""
    return path.with_name(path.name + ".new")


def remove_draft(path: Path) -> None:
    """Removes what a killed rewriting of `path` left: it may hold what was to be forgotten."""
    draft = draft_of(path)
    for left in (draft, log_of(draft)):
        left.unlink(missing_ok=True)
    for spilled in (draft, path):  # what DuckDB puts aside of a large sort
        shutil.rmtree(spilled.with_name(spilled.name + ".tmp"), ignore_errors=True)


def _connect(path: Path, *, read_only: bool) -> duckdb.DuckDBPyConnection:
    """The connection, or an error that says who holds the file or what is wrong with it."""
    check_log(path)
    is_new = not path.exists()
    try:
        if is_new:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        connection = duckdb.connect(path, read_only=read_only, config=_SETTINGS)
    except (duckdb.Error, OSError) as error:
        raise opening_error(path, error) from error
    if is_new:
        path.chmod(0o600)  # it holds what users asked
    return connection


def _roll_back(cursor: duckdb.DuckDBPyConnection) -> None:
    """Ends the transaction. One that DuckDB has ended itself (after a fatal error) needs nothing."""
    try:
        cursor.execute("rollback")
    except duckdb.Error:
        return


def _sync_folder(folder: Path) -> None:
    """Makes a new name survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
