"""Hits that are events of a store's client: whose they are, and at which rank, also where the oldest were dropped."""

from __future__ import annotations

from typing import Any

import pytest
from goldrank.collectors import compose
from goldrank.model import Completeness, ScoreKind, Span, Stage, StageKind
from other_spans import chain, store_query


def stages(*spans: Span) -> list[Stage]:
    """The lists of these spans below one root."""
    (one,) = compose((chain(), *spans))
    return [stage for stage in one.recorded.stages if stage.kind is StageKind.RETRIEVE]


def ids(stage: Stage) -> list[str] | None:
    """The chunk ids of a list; None where it has none."""
    return None if stage.hits is None else [hit.chunk_id for hit in stage.hits]


def ranks(stage: Stage) -> list[int] | None:
    """The ranks of a list; None where it has none."""
    return None if stage.hits is None else [hit.rank for hit in stage.hits]


def results(names: str, **more: Any) -> list[dict[str, Any]]:
    """One hit a letter."""
    return [{"db.query.result.id": one, **more} for one in names]


def milvus(*queries: str, dropped: int = 0, **attributes: Any) -> Span:
    """A search in which each query found the documents of its letters, the oldest events dropped."""
    hits = [
        {"db.search.query.id": n, "db.search.result.id": one, "db.search.result.distance": str(1 - at / 10)}
        for n, query in enumerate(queries)
        for at, one in enumerate(query)
    ]
    key = "db.milvus.search.result_count"
    counts = {f"{key}_{n}": len(query) for n, query in enumerate(queries)} if len(queries) > 1 else {key: len(hits)}
    said = {"db.operation": "search", **counts, **attributes}
    return store_query("milvus", hits[dropped:], event="db.search.result", attributes=said, dropped_events=dropped)


@pytest.mark.parametrize(
    ("hits", "dropped", "depth", "expected"),
    [
        ("abc", 1, 3, [1, 2, 3]),  # the vector alone was dropped
        ("cd", 3, 4, [3, 4]),  # the vector and two hits
        ("cd", 3, 5, None),  # it asked for more than it found: nobody knows
        ("cd", 3, None, None),
    ],
)
def test_the_vector_before_the_hits_is_no_hit(
    hits: str, dropped: int, depth: int | None, expected: list[int] | None
) -> None:
    """Pinecone's client puts the vector into an event before the hits, which is dropped first."""
    asked = {} if depth is None else {"pinecone.query.top_k": depth}
    (stage,) = stages(store_query("Pinecone", results(hits), attributes=asked, dropped_events=dropped))
    assert ranks(stage) == expected
    assert stage.top_k == depth


def test_a_search_by_id_has_no_vector() -> None:
    """Then all that was dropped were hits."""
    span = store_query("Pinecone", results("cd"), attributes={"pinecone.query.id": "seed"}, dropped_events=2)
    assert ranks(stages(span)[0]) == [3, 4]


def test_a_vector_that_is_still_there_says_that_no_hit_was_dropped() -> None:
    """What comes first is dropped first."""
    span = store_query("Pinecone", results("ab"), dropped_events=1)
    vector = span.events[0]._replace(name="db.query.embeddings", attributes={"db.query.embeddings.vector": [0.1]})
    (stage,) = stages(span._replace(events=(vector, *span.events)))
    assert (ids(stage), stage.completeness) == (["a", "b"], Completeness.COMPLETE)


def test_dropped_hits_are_those_of_the_first_queries() -> None:
    """Milvus says how many hits each query had: those that were dropped are the first query's best ones."""
    first, second = stages(milvus("abcd", "efg", dropped=2))
    assert (ids(first), ranks(first), first.completeness) == (["c", "d"], [3, 4], Completeness.TOP_MISSING)
    assert (ids(second), ranks(second), second.completeness) == (["e", "f", "g"], [1, 2, 3], Completeness.COMPLETE)
    first, second = stages(milvus("ab", "efg", dropped=3))
    assert (ids(first), first.length, first.completeness) == (None, 2, Completeness.NOT_RECORDED)
    assert (ids(second), ranks(second)) == (["f", "g"], [2, 3])


def test_a_query_without_hits_is_one() -> None:
    """Alone or between others, where the client counts what it found."""
    (alone,) = stages(milvus(""))
    assert (ids(alone), alone.completeness) == ([], Completeness.COMPLETE)
    assert [ids(stage) for stage in stages(milvus("ab", "", "c"))] == [["a", "b"], [], ["c"]]


def test_a_falling_distance_is_a_similarity() -> None:
    """Milvus calls either a distance."""
    (stage,) = stages(milvus("ab"))
    assert {hit.score_kind for hit in stage.hits or ()} == {ScoreKind.SIMILARITY}


def test_an_uneven_batch_is_not_split_evenly() -> None:
    """Four hits and two: the second of two equal halves would begin with the last hit of the first query."""
    hits = [
        {**one, "db.query.result.distance": n} for one, n in zip(results("abcdef"), (1, 2, 3, 4, 1, 2), strict=True)
    ]
    two = {"db.chroma.query.embeddings_count": 2, "db.chroma.query.n_results": 4}
    (stage,) = stages(store_query("chroma", hits, attributes=two))
    assert (ids(stage), stage.completeness) == (None, Completeness.NOT_RECORDED)
    asked = two | {"db.chroma.query.n_results": 3}
    first, second = stages(store_query("chroma", results("bcdef"), attributes=asked, dropped_events=1))
    assert (ranks(first), ids(second), ranks(second)) == ([2, 3], ["d", "e", "f"], [1, 2, 3])


def test_rows_of_a_filter_query_are_documents() -> None:
    """Milvus' query by filter gives rows as they are in the table."""
    rows = [{"id": 7, "text": "Hi.", "doc_id": "d"}]
    (stage,) = stages(store_query("milvus", rows))
    assert [(hit.chunk_id, hit.text, hit.doc_id) for hit in stage.hits or ()] == [("7", "Hi.", "d")]


@pytest.mark.parametrize("name", ["db.weaviate.gql.query.get.do", "db.weaviate.collections.query.fetch_objects"])
def test_searches_of_weaviate_say_that_no_hits_were_recorded(name: str) -> None:
    """Its operation is only called `do` or `fetch_objects`."""
    said = {"db.operation": name.rpartition(".")[2]}
    (stage,) = stages(store_query("weaviate", [], attributes=said)._replace(name=name))
    assert stage.completeness is Completeness.NOT_RECORDED


def test_the_collection_of_qdrant_is_named_by_its_method() -> None:
    """`qdrant.recommend.collection_name`, `qdrant.search_groups.collection_name`, ..."""
    (stage,) = stages(store_query("Qdrant", [], attributes={"qdrant.recommend.collection_name": "kb"}))
    assert stage.index == "kb"
