"""Words of requests are sorted as a whole now and then."""

from __future__ import annotations

import duckdb
import pytest
from goldrank.store.duckdb.settling import is_time, settle

ROWS = 250_000


@pytest.fixture
def cursor():
    """Words of twenty transactions, each sorted for itself."""
    with duckdb.connect() as connection:
        connection.execute("create table words(h uinteger not null, rid bigint not null, tf integer not null)")
        for run in range(20):
            connection.execute(
                "insert into words select (hash(i % 997) % 4294967296)::uinteger as h, ? * 100 + i // 100, 1 + i % 3 "
                "from range(?) t(i) order by h, i",
                [run, ROWS // 20],
            )
        yield connection


def content(cursor) -> object:
    """All rows."""
    return cursor.execute("select h, rid, tf from words order by all").fetchall()


def test_runs_are_sorted_once(cursor):
    """Many short runs are sorted; nothing is lost or added, and it is not time again at once."""
    assert is_time(cursor, least=ROWS // 2)
    before = content(cursor)
    cursor.execute("begin")
    settle(cursor)
    cursor.execute("commit")
    assert content(cursor) == before
    assert not is_time(cursor, least=ROWS // 2)
    stored = cursor.execute("select h, rid from words").fetchall()
    assert stored == sorted(stored)


def test_few_rows_are_left_alone(cursor):
    """What is read in a moment need not be sorted, and an empty table neither."""
    assert not is_time(cursor)
    cursor.execute("delete from words")
    assert not is_time(cursor)


def test_a_change_that_is_taken_back_leaves_the_words(cursor):
    """Sorting is part of a transaction."""
    before = content(cursor)
    cursor.execute("begin")
    settle(cursor)
    cursor.execute("rollback")
    assert content(cursor) == before
    assert is_time(cursor, least=ROWS // 2)
