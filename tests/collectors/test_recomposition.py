"""Everything derived comes back from the stored spans."""

from __future__ import annotations

from collections.abc import Callable

from goldrank.collectors import Ingester, recompose_all
from goldrank.model import Span, wire
from goldrank.store import ChunkQuery, RequestFilter
from goldrank.store.duckdb.store import DuckStore
from wire_spans import make_request, make_stage, span_id

Write = Callable[..., None]
DERIVED = ("requests", "stages", "hits", "words", "passages", "passage_words", "vocabulary")


def spans() -> tuple[Span, ...]:
    """A request with two lists, texts once, and a prompt."""
    hits = [{"id": "a", "t": 0, "x": "Refunds within thirty days. " * 8}, {"id": "b", "t": 1, "x": "Gift cards."}]
    return (
        make_request(1, attributes={wire.QUESTION: "Can I get a refund?", wire.ANSWER: "Yes. " * 40}),
        make_stage(2, 1, hits=hits, attributes={wire.INDEX: "docs"}),
        make_stage(3, 1, hits=[{"id": "b", "t": 1}, {"id": "a", "t": 0}], start_ms=1),
    )


def content(store: DuckStore, table: str) -> tuple[tuple[object, ...], ...]:
    """The rows of a table; numbers of passages may be given out anew."""
    columns = "* exclude (passage_key)" if table in {"passages", "passage_words"} else "*"
    return store.query(f"select {columns} from {table} order by all", limit=5000).rows


def test_all_derived_rows_come_back(ingester: Ingester, write: Write, store: DuckStore) -> None:
    """Even where they are wrong or gone; the request keeps its number."""
    write(*spans())
    ingester.run_once()
    before = {table: content(store, table) for table in DERIVED}
    with store._database.changing() as cursor:  # only from inside can derived rows be spoilt
        cursor.execute("update requests set question = 'wrong', extra = null")
        for table in ("stages", "hit_rows", "words", "passages", "passage_words", "vocabulary"):
            cursor.execute(f"delete from {table}")
    told: list[tuple[int, int]] = []
    assert recompose_all(store, lambda done, total: told.append((done, total))) == 1
    assert told == [(1, 1)]
    assert {table: content(store, table) for table in DERIVED} == before
    assert store.chunks.search(ChunkQuery(text="gift cards")).rows[0].chunk_id == "b"
    assert store.requests.page(RequestFilter(words="refund"), limit=5).matching == 1


def test_a_request_that_joins_others_now_takes_their_rows(ingester: Ingester, write: Write, store: DuckStore) -> None:
    """A request id that today's code makes of no span gives its row and labels to the one that holds its spans."""
    write(*spans())
    ingester.run_once()
    request_id = store.requests.page(RequestFilter(), limit=5).rows[0].request_id
    old = f"{request_id.partition('-')[0]}-{span_id(99)}"
    with store._database.changing() as cursor:  # as an older version would have stored it
        cursor.execute("update requests set request_id = ?", [old])
    assert recompose_all(store) == 1
    assert [row.request_id for row in store.requests.page(RequestFilter(), limit=5).rows] == [request_id]
    assert store.requests.spans(request_id, limit=9).total == 3


def test_requests_without_stored_spans_stay(store: DuckStore) -> None:
    """There is nothing to make them from."""
    assert recompose_all(store) == 0
