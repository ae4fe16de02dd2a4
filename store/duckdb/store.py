"""The DuckDB store: one file, one connection, one lock for all writers."""

from __future__ import annotations

import logging
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from ...model import StoreError
from ..store import Table
from .batches import DuckBatches
from .cases import DuckCases
from .chunks import DuckChunks
from .complaints import DuckComplaints
from .corpora import DuckCorpora
from .database import Database
from .erasures import DuckErasures
from .handmade import DuckHandMade
from .intake import DuckIntake
from .labels import DuckLabels
from .numbers import new_dictionaries
from .query import read
from .requests import DuckRequests
from .saved_filters import DuckSavedFilters
from .schema import MIGRATIONS
from .snapshot import take_snapshot
from .triages import DuckTriages

LOG: Final = logging.getLogger("goldrank.store")


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
        self.erasures = DuckErasures(database, dictionaries)
        self.handmade = DuckHandMade(database)

    @property
    def path(self) -> Path:
        """Absolute."""
        return self._database.path

    def writing(self) -> AbstractContextManager[None]:
        return self._database.together()

    def reading(self) -> AbstractContextManager[None]:
        return self._database.one_state()

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
    store = DuckStore(database)
    if not read_only:
        _finish_erasure(store)
    return store


def _finish_erasure(store: DuckStore) -> None:
    """An erasure that was cut short left rows that are gone and a file that still holds them."""
    try:
        if store.erasures.finish():
            LOG.warning("goldrank: an erasure that was cut short is finished: %s was written anew", store.path)
    except StoreError as error:
        LOG.warning("goldrank: an erasure was cut short, and its file could not be written anew yet: %s", error)
