"""The one connection, a cursor for each call, and the one lock that all writers take."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from ...model import StoreError, StoreLocked
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
}
"""No statement can load code, read or write another file, or change this."""


class _Open(threading.local):
    """The transaction in which this thread is."""

    cursor: duckdb.DuckDBPyConnection | None = None
    broken: bool = False
    """A change inside it failed."""


class Database:
    """A DuckDB file. All access goes through `reading` and `changing`."""

    def __init__(self, path: Path, *, read_only: bool) -> None:
        self.path = path.absolute()
        self.read_only = read_only
        self._open = _Open()
        self._forgetting: list[Callable[[], None]] = []
        self._place = (os.getpid(), self.path.resolve())
        if self._place in _OPEN:
            raise StoreLocked(f"{self.path} is open in this process (PID {os.getpid()}) already: use that store.")
        if read_only and not self.path.exists():
            raise StoreError(f"There is no store at {self.path} yet: `goldrank ingest` or `goldrank up` makes one.")
        self._connection = _connect(self.path, read_only=read_only)
        # POSIX locks vanish when the process closes any handle of the file. DuckDB's lock is one, so a copy is
        # read through this handle, and it is closed after DuckDB's own.
        self.file = self.path.open("rb")
        _OPEN[self._place] = "open"

    def on_rollback(self, forget: Callable[[], None]) -> None:
        """Asks for a call after every change that was taken back, before anybody else may write."""
        self._forgetting.append(forget)

    @contextmanager
    def reading(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor that sees one state of the store throughout."""
        if self._open.cursor is not None:
            yield self._open.cursor
            return
        with self._cursor() as cursor:
            cursor.execute("begin transaction read only")
            try:
                yield cursor
            finally:
                _roll_back(cursor)

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
                for forget in self._forgetting:
                    forget()
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

    def close(self) -> None:
        """Closes the file. Closing twice is harmless."""
        with _WRITING:
            self._connection.close()
            self.file.close()
            _OPEN.pop(self._place, None)

    @contextmanager
    def _cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        try:
            cursor = self._connection.cursor()
            try:
                yield cursor
            finally:
                cursor.close()
        except duckdb.Error as error:
            raise explain(self.path, error) from error


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
