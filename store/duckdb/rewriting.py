"""The store written anew into another file: what was deleted is gone from its bytes, and the disk has its room back.

DuckDB keeps the blocks of deleted rows, with what stands in them. So every table is copied into a new file, the two are
compared, and the new one takes the place of the old one by one rename.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from typing import Final, NamedTuple

import duckdb

from ...model import StoreError
from .columns import insert_table
from .database import Database, draft_of, remove_draft
from .row import first_row
from .schema import MIGRATIONS
from .trouble import log_of

_ROWS_AT_ONCE: Final = 50_000
_SORTED: Final = {"words": "h, rid", "passage_words": "h, passage_key"}
"""Tables that are asked by one column alone: sorted by it they answer in a third of the time."""
_SPARE: Final = 1.2
_LEAST_BYTES: Final = 16 * 1024 * 1024
_WEIGHT: Final = """
select coalesce((select sum(strlen(attributes) + coalesce(strlen(events), 0) + 60) from spans), 0)
    + coalesce((select sum(coalesce(strlen(text), 0) + coalesce(strlen(parts), 0) + 30) from texts), 0)
    + (select count(*) * 7 from hit_rows) + (select count(*) * 6 from words) + (select count(*) * 6 from passage_words)
    + coalesce((select sum(strlen(metadata)) from metas), 0) + coalesce((select sum(strlen(body)) from diagnoses), 0)
"""


class Room(NamedTuple):
    """What a rewriting needs of the disk, all in bytes."""

    now: int
    """The store and its log."""
    expected: int
    """About as much the new file will take."""
    needed: int
    """So much must be free while both files are there."""
    free: int


class _Content(NamedTuple):
    """What a table holds: two tables that agree in both hold the same rows."""

    rows: int
    total: int
    """Sum of a hash of each row."""


def weight_of(cursor: duckdb.DuckDBPyConnection) -> int:
    """About as many bytes stand in the tables, before packing; only good for a share."""
    row = first_row(cursor, _WEIGHT)
    return 0 if row is None else int(row[0])


def room_for(database: Database, share: float) -> Room:
    """What a rewriting needs that keeps this share of what the store holds."""
    now = database.size()
    expected = int(now * min(1.0, share))
    needed = int(expected * _SPARE) + _LEAST_BYTES
    return Room(now, expected, needed, shutil.disk_usage(database.path.parent).free)


def check_room(needed: int, free: int) -> None:
    """StoreError with the numbers where the disk has no room for the new file beside the old one."""
    if free < needed:
        raise StoreError(
            f"The store is written into a new file beside the old one, which needs about {_megabytes(needed)} MB "
            f"free; the disk has {_megabytes(free)} MB. Nothing was changed. Make room and try again."
        )


def rewrite(database: Database, tell: Callable[[str], None] = lambda _: None) -> None:
    """Writes the store into a new file that takes its place. Writers wait, readers go on but for the moment of the
    exchange. Killed at any moment, the old file or the new one is there, whole.
    """
    draft = draft_of(database.path)
    with database.writing():
        remove_draft(database.path)
        try:
            _fill(database, tell)
            if log_of(draft).exists():
                raise StoreError(f"{draft} could not be finished: its log stays. Nothing was changed; try again.")
            _sync(draft)
            tell("the new file takes the place of the old one")
            database.replace(draft)
        finally:
            remove_draft(database.path)


def _fill(database: Database, tell: Callable[[str], None]) -> None:
    """Makes the new file and closes it."""
    new = Database(draft_of(database.path), read_only=False)
    try:
        MIGRATIONS.apply(new)
        with database.reading() as source:
            for table in _tables(source):
                tell(f"{table} is copied")
                _copy(source, new, table)
        new.checkpoint()
    finally:
        new.close()


def _copy(source: duckdb.DuckDBPyConnection, new: Database, table: str) -> None:
    """One table. Its name is from the catalogue of our own store."""
    order = f" order by {_SORTED[table]}" if table in _SORTED else ""
    with new.changing() as cursor:
        if _columns(cursor, table) != _columns(source, table):
            raise StoreError(f"The table {table} is not as this goldrank makes it, so the store was not rewritten.")
        cursor.execute(f"delete from {table}")  # the migrations' own record is copied too
        for batch in source.sql(f"select * from {table}{order}").to_arrow_reader(_ROWS_AT_ONCE):
            insert_table(cursor, table, _table_of(batch))
    with new.reading() as cursor:
        there, here = _content(source, table), _content(cursor, table)
    if there != here:
        raise StoreError(
            f"The copy of {table} holds {here.rows:,} rows, and {there.rows:,} were expected, or they differ. "
            "Nothing was changed; try again."
        )


def _tables(cursor: duckdb.DuckDBPyConnection) -> list[str]:
    rows = cursor.execute("select table_name from duckdb_tables() where not temporary order by table_name").fetchall()
    return [name for (name,) in rows]


def _columns(cursor: duckdb.DuckDBPyConnection, table: str) -> list[tuple[str, str]]:
    return cursor.execute(
        "select column_name, data_type from duckdb_columns() where table_name = ? and not internal "
        "order by column_index",
        [table],
    ).fetchall()


def _content(cursor: duckdb.DuckDBPyConnection, table: str) -> _Content:
    row = first_row(cursor, f"select count(*), coalesce(sum(hash(t)::hugeint), 0) from {table} t")
    return _Content(0, 0) if row is None else _Content(*map(int, row))


def _table_of(batch: object) -> object:
    import pyarrow as pa  # type: ignore[import-untyped]

    return pa.Table.from_batches([batch])


def _sync(path: os.PathLike[str]) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _megabytes(size: int) -> str:
    return f"{size / 1_000_000:,.0f}"
