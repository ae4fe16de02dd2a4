"""Words of requests are sorted as a whole now and then."""

from __future__ import annotations

import duckdb
import pytest
from goldrank.store import RequestFilter
from goldrank.store.duckdb import settling
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


def test_requests_are_found_while_their_words_are_sorted(store, make, monkeypatch):
    """Sorted with every batch: new, replaced and old requests are found by their words, and the next one too."""
    monkeypatch.setattr(settling, "_LOOK_EVERY", 1)
    monkeypatch.setattr(settling, "is_time", lambda _: True)

    def found(words: str) -> set[str]:
        return {row.request_id for row in store.requests.page(RequestFilter(words=words), limit=10).rows}

    first, second = make.request(1, question="the oldest walrus"), make.request(2, question="a young walrus")
    store.intake.commit(make.batch(first))
    store.intake.commit(make.batch(second))
    assert found("walrus") == {first.request_id, second.request_id}
    store.intake.commit(make.batch(make.request(1, question="an otter")))
    assert found("walrus") == {second.request_id}
    assert found("otter") == {first.request_id}
