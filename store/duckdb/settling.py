"""The words of requests, sorted anew from time to time: whoever looks for one word then reads a few rows of millions.

Each transaction adds its words sorted, so a store of many transactions is many short sorted runs, and a look for one
word reads all of them. A third of the table may be such runs; then it is sorted as a whole. Over the years a word is so
sorted a few times: about 0.1 ms a request in all.
"""

from __future__ import annotations

from typing import Final

import duckdb

from .row import first_row

_LOOK_EVERY: Final = 2000
"""Requests between two looks whether it is time."""
_LEAST: Final = 1_000_000
"""Rows; so many are read in a few milliseconds."""
_RUNS: Final = """
with segments as (
    select count, (stats['max'])::bigint - (stats['min'])::bigint as width from pragma_storage_info('words')
    where column_name = 'h' and segment_type = 'UINTEGER'
),
everything as (select sum(count) as total from segments)
select total::bigint, sum(count) filter (where width > 2 * 4294967296.0 * count / total)::bigint
from segments, everything group by total
"""
"""All rows, and those in segments that hold words of twice their share of the alphabet or more."""


class Settling:
    """Knows when to look. Only called by the writer that holds the lock."""

    def __init__(self) -> None:
        self._since_look = 0

    def after(self, cursor: duckdb.DuckDBPyConnection, requests: int) -> None:
        """After so many requests were added: sorts the words where too many are not."""
        self._since_look += requests
        if self._since_look < _LOOK_EVERY:
            return
        self._since_look = 0
        if is_time(cursor):
            settle(cursor)


def is_time(cursor: duckdb.DuckDBPyConnection, *, least: int = _LEAST) -> bool:
    """Whether at least so many rows, and a third of all, stand in short runs."""
    row = first_row(cursor, _RUNS)
    total, in_runs = (0, 0) if row is None else (int(row[0] or 0), int(row[1] or 0))
    return in_runs >= max(least, total // 3)


def settle(cursor: duckdb.DuckDBPyConnection) -> None:
    """Sorts the words by hash and request. Others see them all throughout."""
    cursor.execute("create table settled_words(h uinteger not null, rid bigint not null, tf integer not null)")
    cursor.execute("insert into settled_words select h, rid, tf from words order by h, rid")
    cursor.execute("drop table words")
    cursor.execute("alter table settled_words rename to words")
