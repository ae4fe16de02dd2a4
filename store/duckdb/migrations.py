"""Numbered migrations: each a function with a date and a reason, run in one transaction with its own record."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import date
from typing import NamedTuple

import duckdb

from ...model import StoreError
from .columns import insert
from .database import Database
from .row import first_row

Change = Callable[[duckdb.DuckDBPyConnection], None]


class Migration(NamedTuple):
    """One step of the schema."""

    version: int
    """1-based, without gaps."""
    name: str
    date: str
    reason: str
    change: Change


class Applied(NamedTuple):
    """A row of `schema_version`."""

    version: int
    name: str
    date: str
    reason: str
    applied_ns: int


class Migrations:
    """A list of migrations in order, filled by the decorator `step`."""

    def __init__(self) -> None:
        self._steps: list[Migration] = []

    def step(self, day: date, reason: str) -> Callable[[Change], Change]:
        """Declares the decorated function as the next migration."""

        def add(change: Change) -> Change:
            self._steps.append(Migration(len(self._steps) + 1, change.__name__, day.isoformat(), reason, change))
            return change

        return add

    @property
    def newest(self) -> int:
        """The version that this goldrank writes."""
        return len(self._steps)

    def apply(self, database: Database) -> None:
        """Brings the file to the newest version. A newer file, or an old one opened read-only, is refused unchanged."""
        found = version_of(database)
        if found > self.newest:
            raise StoreError(
                f"{database.path} has schema version {found}; this goldrank knows versions up to {self.newest}. "
                "Nothing was changed. Upgrade goldrank: a newer one wrote this store."
            )
        if found < self.newest and database.read_only:
            raise StoreError(
                f"{database.path} has schema version {found}, and version {self.newest} is needed, but it is open "
                "for reading only. Open it once for writing: `goldrank ingest` or `goldrank up`."
            )
        for migration in self._steps[found:]:
            _apply(database, migration)


def version_of(database: Database) -> int:
    """The newest version recorded in the file; 0 for a new one."""
    with database.reading() as cursor:
        known = first_row(cursor, "select 1 from duckdb_tables() where table_name = 'schema_version'")
        if known is None:
            tables = first_row(cursor, "select count(*) from duckdb_tables()")
            if tables is not None and tables[0] > 0:
                raise StoreError(f"{database.path} is a DuckDB file, but no store of goldrank. Nothing was changed.")
            return 0
        newest = first_row(cursor, "select max(version) from schema_version")
        return 0 if newest is None or newest[0] is None else int(newest[0])


def _apply(database: Database, migration: Migration) -> None:
    with database.changing() as cursor:
        cursor.execute(
            "create table if not exists schema_version("
            "version integer not null, name varchar not null, date varchar not null, reason varchar not null, "
            "applied_ns bigint not null)"
        )
        migration.change(cursor)
        insert(
            cursor,
            "schema_version",
            [Applied(migration.version, migration.name, migration.date, migration.reason, time.time_ns())],
        )
