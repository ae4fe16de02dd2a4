"""The DuckDB store: one file, one connection, one lock for all writers."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Self

from ..store import Table
from .batches import DuckBatches
from .cases import DuckCases
from .chunks import DuckChunks
from .complaints import DuckComplaints
from .corpora import DuckCorpora
from .database import Database
from .intake import DuckIntake
from .labels import DuckLabels
from .numbers import new_dictionaries
from .query import read
from .requests import DuckRequests
from .saved_filters import DuckSavedFilters
from .schema import MIGRATIONS
from .snapshot import take_snapshot
from .triages import DuckTriages


class DuckStore:
    """`store.Store` on DuckDB. A context manager that closes itself."""

    def __init__(self, database: Database) -> None:
        dictionaries = new_dictionaries()
        database.on_rollback(dictionaries.forget)
        self._database = database
        self.requests = DuckRequests(database)
        self.chunks = DuckChunks(database)
        self.corpora = DuckCorpora(database, dictionaries)
        self.labels = DuckLabels(database)
        self.cases = DuckCases(database)
        self.complaints = DuckComplaints(database)
        self.triages = DuckTriages(database)
        self.saved_filters = DuckSavedFilters(database)
        self.batches = DuckBatches(database)
        self.intake = DuckIntake(database, dictionaries)

    @property
    def path(self) -> Path:
        """Absolute."""
        return self._database.path

    def writing(self) -> AbstractContextManager[None]:
        return self._database.together()

    def query(self, sql: str, *, limit: int) -> Table:
        return read(self._database, sql, limit=limit)

    def snapshot(self, target: Path) -> None:
        take_snapshot(self._database, target)

    def close(self) -> None:
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def open_store(path: Path, *, read_only: bool = False) -> DuckStore:
    """Opens the store at `path`, made and brought to the newest schema where needed.

    StoreLocked names the process that holds it; StoreError says what else is wrong with the file.
    """
    database = Database(path, read_only=read_only)
    try:
        MIGRATIONS.apply(database)
    except BaseException:
        database.close()
        raise
    return DuckStore(database)
