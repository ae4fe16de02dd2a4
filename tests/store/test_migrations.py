"""Migrations are numbered, dated, and happen whole or not at all."""

from __future__ import annotations

from datetime import date

import pytest
from goldrank.model import StoreError
from goldrank.store.duckdb.database import Database
from goldrank.store.duckdb.migrations import Migrations, version_of
from goldrank.store.duckdb.schema import MIGRATIONS


@pytest.fixture
def database(path):
    """An empty file."""
    opened = Database(path, read_only=False)
    yield opened
    opened.close()


def tables(database):
    """The names of its tables."""
    with database.reading() as cursor:
        return sorted(name for (name,) in cursor.execute("select table_name from duckdb_tables()").fetchall())


def two_steps():
    """Migrations of two steps."""
    migrations = Migrations()

    @migrations.step(date(2026, 1, 1), "first reason")
    def first(cursor):
        cursor.execute("create table one(i int)")

    @migrations.step(date(2026, 2, 1), "second reason")
    def second(cursor):
        cursor.execute("create table two(i int)")

    return migrations


def test_each_step_leaves_its_record(database):
    """Name, date and reason are in the store; running again does nothing."""
    two_steps().apply(database)
    two_steps().apply(database)
    assert tables(database) == ["one", "schema_version", "two"]
    with database.reading() as cursor:
        rows = cursor.execute("select version, name, date, reason from schema_version order by 1").fetchall()
    assert rows == [(1, "first", "2026-01-01", "first reason"), (2, "second", "2026-02-01", "second reason")]


def test_only_what_is_missing_runs(database):
    """A store of version 1 gets step 2 alone."""
    two_steps().apply(database)
    migrations = two_steps()

    @migrations.step(date(2026, 3, 1), "third reason")
    def third(cursor):
        cursor.execute("insert into one values (7)")

    migrations.apply(database)
    migrations.apply(database)
    with database.reading() as cursor:
        assert cursor.execute("select i from one").fetchall() == [(7,)]
    assert version_of(database) == 3


def test_a_step_that_fails_leaves_nothing(database):
    """Neither its tables nor its record; the steps before it stay."""
    migrations = two_steps()

    @migrations.step(date(2026, 3, 1), "breaks")
    def third(cursor):
        cursor.execute("create table three(i int)")
        cursor.execute("insert into three values ('no number')")

    with pytest.raises(StoreError, match="no number"):
        migrations.apply(database)
    assert tables(database) == ["one", "schema_version", "two"]
    assert version_of(database) == 2


def test_an_old_store_is_not_migrated_when_only_read(path):
    """It is refused with the remedy, and left as it is."""
    database = Database(path, read_only=False)
    two_steps().apply(database)
    database.close()
    migrations = two_steps()

    @migrations.step(date(2026, 3, 1), "later")
    def third(cursor):
        cursor.execute("create table three(i int)")

    database = Database(path, read_only=True)
    with pytest.raises(StoreError, match="version 2, and version 3 is needed"):
        migrations.apply(database)
    assert tables(database) == ["one", "schema_version", "two"]
    database.close()


def test_every_step_of_ours_has_a_date_and_a_reason(database):
    """The schema of this goldrank is complete, and says why."""
    MIGRATIONS.apply(database)
    with database.reading() as cursor:
        rows = cursor.execute("select version, date, reason from schema_version order by 1").fetchall()
    assert [version for version, _, _ in rows] == list(range(1, MIGRATIONS.newest + 1))
    for _, day, reason in rows:
        assert date.fromisoformat(day)
        assert reason
