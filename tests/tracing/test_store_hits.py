"""What is read from results of search engines and vector stores: real objects of their clients, and their JSON."""

from __future__ import annotations

import logging
import sqlite3
import uuid
from collections import namedtuple
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import goldrank
import pytest
from goldrank.model import Hit, StageKind, wire
from goldrank.model.errors import UsageError
from goldrank.model.replay import Pin
from goldrank.tracing.hits import read_list
from goldrank.tracing.recognisers import reading_of
from goldrank.tracing.replaying.rebuild import rebuild_pin
from goldrank.tracing.replaying.refusals import NotRebuildable
from goldrank.tracing.texts import TextBook


def read(value: Any, word: str = "retrieve") -> list[dict[str, Any]]:
    """The hits in `value`, by row, with their texts as `x`."""
    found = read_list(value, reading_of(word, "search"), TextBook("test"))
    assert found is not None, "no list was recognised"
    rows = zip(found.by_row(), found.texts, strict=True)
    return [{**body, **({} if text is None else {"x": text})} for body, text in rows]


def shape(value: Any) -> str:
    """The shape tag of the list in `value`."""
    found = read_list(value, reading_of("retrieve", "search"), TextBook("test"))
    assert found is not None
    return found.shape


# ---- Elasticsearch, OpenSearch ----------------------------------------------------------------------

ELASTIC = {
    "took": 3,
    "timed_out": False,
    "hits": {
        "total": {"value": 2, "relation": "eq"},
        "max_score": 2.5,
        "hits": [
            {"_index": "docs", "_id": "e1", "_score": 2.5, "_source": {"text": "one", "doc_id": "d1"}},
            {"_index": "docs", "_id": "e2", "_score": 1.5, "_source": {"text": "two", "doc_id": "d2"}},
        ],
    },
}
"""As both print a search response in their documentation."""
ELASTIC_HITS = [
    {"id": "e1", "doc": "d1", "s": 2.5, "x": "one", "m": {"_index": "docs", "doc_id": "d1"}},
    {"id": "e2", "doc": "d2", "s": 1.5, "x": "two", "m": {"_index": "docs", "doc_id": "d2"}},
]


def elastic_response(body: Any) -> Any:
    """What `Elasticsearch.search` returns."""
    from elastic_transport import ApiResponseMeta, HttpHeaders, NodeConfig, ObjectApiResponse

    node = NodeConfig("http", "localhost", 9200)
    return ObjectApiResponse(
        body=body, meta=ApiResponseMeta(status=200, http_version="1.1", headers=HttpHeaders(), duration=0.1, node=node)
    )


def test_elasticsearch_and_opensearch_responses():
    """The dict that OpenSearch's client returns, and the response object of Elasticsearch's, give the same hits.

    Their `_score` may be BM25, a similarity or a fusion: its kind is not known.
    """
    assert read(ELASTIC) == ELASTIC_HITS
    assert read(elastic_response(ELASTIC)) == ELASTIC_HITS
    assert read(elastic_response(ELASTIC)["hits"]["hits"]) == ELASTIC_HITS


def test_an_elasticsearch_response_without_hits_is_an_empty_list():
    """Nothing was retrieved: that is recorded, and is not the same as not recorded."""
    assert read(elastic_response({"hits": {"total": {"value": 0}, "hits": []}})) == []


def test_elasticsearch_query_builder_hits():
    """A response of `elasticsearch.dsl`, and its Hit objects, whose document and meta stand apart."""
    from elasticsearch.dsl import Search
    from elasticsearch.dsl.response import Response

    response = Response(Search(), ELASTIC)
    assert read(response) == ELASTIC_HITS
    hits = read(list(response))
    assert [(hit["id"], hit["s"], hit["x"], hit["doc"]) for hit in hits] == [
        ("e1", 2.5, "one", "d1"),
        ("e2", 1.5, "two", "d2"),
    ]


def test_elasticsearch_fields_without_a_source():
    """With `_source` off every field is a list."""
    hit = {"_index": "docs", "_id": "e1", "_score": 2.5, "fields": {"text": ["one"], "tags": ["a", "b"], "year": [7]}}
    assert read([hit]) == [{"id": "e1", "s": 2.5, "x": "one", "m": {"tags": ["a", "b"], "year": 7}}]


def test_metadata_inside_a_payload_names_chunk_and_document():
    """LangChain keeps the app's metadata inside the source or payload; it stays there, and is read."""
    stored = {"text": "one", "metadata": {"chunk_id": "a#2", "source": "a.md"}}
    expected = {
        "id": "a#2",
        "src": "metadata",
        "doc": "a.md",
        "s": 0.5,
        "x": "one",
        "m": {"metadata": {"chunk_id": "a#2", "source": "a.md"}},
    }
    assert read([{"_id": "e1", "_score": 0.5, "_source": stored}]) == [expected]
    assert read([{"id": "e1", "score": 0.5, "payload": stored}]) == [expected]


# ---- Pinecone ---------------------------------------------------------------------------------------


def test_pinecone_matches():
    """`Index.query` as object and as dict: its score is a similarity or a distance, by the index's metric."""
    from pinecone import QueryResponse, ScoredVector

    response = QueryResponse(
        matches=[
            ScoredVector(id="p1", score=0.5, values=[0.1] * 8, metadata={"text": "one", "source": "a.md"}),
            ScoredVector(id="p2", score=0.25, metadata={"text": "two", "source": "b.md"}),
        ]
    )
    expected = [
        {"id": "p1", "doc": "a.md", "s": 0.5, "x": "one", "m": {"source": "a.md"}},
        {"id": "p2", "doc": "b.md", "s": 0.25, "x": "two", "m": {"source": "b.md"}},
    ]
    assert read(response) == expected
    assert read(response.matches) == expected
    as_dict = [
        {"id": match.id, "score": match.score, "values": [], "metadata": match.metadata} for match in response.matches
    ]
    assert read({"matches": as_dict, "namespace": "", "usage": {"read_units": 1}}) == expected


def test_pinecone_records_of_an_integrated_index():
    """`Index.search`: hits stand below `result`, and what the app stored is in `fields`."""
    from pinecone import Hit as PineconeHit
    from pinecone import SearchRecordsResponse, SearchResult, SearchUsage

    response = SearchRecordsResponse(
        result=SearchResult(hits=[PineconeHit(id_="p1", score_=0.5, fields={"chunk_text": "one", "tags": ["a"]})]),
        usage=SearchUsage(read_units=1),
    )
    expected = [{"id": "p1", "s": 0.5, "x": "one", "m": {"tags": ["a"]}}]
    assert read(response) == expected
    assert read(response.result.hits) == expected
    fields = {"chunk_text": "one", "tags": ["a"], "year": 7}
    as_dict = {"result": {"hits": [{"_id": "p1", "_score": 0.5, "fields": fields}]}, "usage": {"read_units": 6}}
    assert read(as_dict) == [{"id": "p1", "s": 0.5, "x": "one", "m": {"tags": ["a"], "year": 7}}]


class OpenApiModel:
    """What Pinecone's clients before version 8 returned: all fields in one dict, read by `__getattr__`."""

    def __init__(self, **fields: Any) -> None:
        self.__dict__["_data_store"] = fields

    def __getattr__(self, name: str) -> Any:
        return self.__dict__["_data_store"][name]


def test_pinecone_matches_of_older_clients():
    """Read without calling the attributes of the model."""
    match = OpenApiModel(id="p1", score=0.5, values=[], metadata={"text": "one"})
    expected = [{"id": "p1", "s": 0.5, "x": "one"}]
    assert [{key: hit[key] for key in ("id", "s", "x")} for hit in read(OpenApiModel(matches=[match]))] == expected
    assert [{key: hit[key] for key in ("id", "s", "x")} for hit in read([match])] == expected


# ---- Weaviate ---------------------------------------------------------------------------------------


def weaviate_objects(**said: Any) -> Any:
    """What a v4 query returns for one object."""
    from weaviate.collections.classes.internal import MetadataReturn, Object, QueryReturn

    stored = {"text": "one", "source": "a.md", "page": 3}
    found = Object(
        uuid=uuid.UUID(int=1),
        metadata=MetadataReturn(**said),
        properties=stored,
        references=None,
        vector={"default": [0.1] * 8},
        collection="Passages",
    )
    return QueryReturn(objects=[found])


@pytest.mark.parametrize(
    ("said", "score", "kind"),
    [
        ({"distance": 0.2, "certainty": 0.9}, 0.2, "distance"),
        ({"certainty": 0.9}, 0.9, "similarity"),
        ({"score": 0.7, "explain_score": "bm25"}, 0.7, None),
        ({"score": 0.7, "rerank_score": 0.1}, 0.1, "rerank"),
        ({"distance": 0.2, "rerank_score": 0.1}, 0.1, "rerank"),
        ({}, None, None),
    ],
)
def test_weaviate_objects(said, score, kind):
    """An object of the v4 client: properties are the metadata, and the score is the one that the list is sorted by."""
    returned = weaviate_objects(**said)
    (hit,) = read(returned)
    assert (hit.get("s"), hit.get("sk")) == (score, kind)
    assert (hit["id"], hit["doc"], hit["x"]) == (str(uuid.UUID(int=1)), "a.md", "one")
    assert hit["m"] == {"source": "a.md", "page": 3}
    assert read(returned.objects) == [hit]


def test_weaviate_graphql_results():
    """Answers of the v3 client: `_additional` beside the properties, scores as texts."""
    rows = [
        {"text": "one", "source": "a.md", "_additional": {"id": "w1", "distance": 0.2, "certainty": 0.9}},
        {"text": "two", "source": "b.md", "_additional": {"id": "w2", "distance": 0.3, "certainty": 0.8}},
    ]
    hits = read({"data": {"Get": {"Passage": rows}}})
    assert [(hit["id"], hit["s"], hit["sk"], hit["doc"], hit["x"]) for hit in hits] == [
        ("w1", 0.2, "distance", "a.md", "one"),
        ("w2", 0.3, "distance", "b.md", "two"),
    ]
    assert read([{"text": "one", "_additional": {"id": "w1", "score": "0.5"}}]) == [{"id": "w1", "s": 0.5, "x": "one"}]
    ranked = {"text": "one", "_additional": {"id": "w1", "score": "0.5", "rerank": [{"score": 0.9}]}}
    assert read([ranked]) == [{"id": "w1", "s": 0.9, "sk": "rerank", "x": "one"}]
    assert read({"data": {"Get": {"Passage": []}}}) == []


def test_weaviate_results_of_two_classes_are_no_one_list():
    """Two rankings in one answer are not joined into one."""
    value = {"data": {"Get": {"A": [{"_additional": {"id": "1"}}], "B": [{"_additional": {"id": "2"}}]}}}
    assert read_list(value, reading_of("retrieve", "search"), TextBook("test")) is None


# ---- Redis ------------------------------------------------------------------------------------------


def test_redis_gives_its_scores_as_texts():
    """redis-py's documents and RedisVL's dicts; the name that a query gives to the distance says no kind."""
    from redis.commands.search.result import Result

    answered = [2, b"doc:1", [b"vector_score", b"0.11", b"content", b"one"], b"doc:2", [b"score", b"3e-1"]]
    newer = {
        b"total_results": 2,
        b"results": [
            {b"id": b"doc:1", b"extra_attributes": {b"vector_score": b"0.11", b"content": b"one"}},
            {b"id": b"doc:2", b"extra_attributes": {b"score": b"3e-1"}},
        ],
    }
    for found in (Result(answered, hascontent=True), Result.from_resp3(newer)):
        assert read(found) == [{"id": "doc:1", "s": 0.11, "x": "one"}, {"id": "doc:2", "s": 0.3}]
    rows = [{"id": "doc:1", "vector_distance": "0.11", "content": "one", "lang": "en"}]
    assert read(rows) == [{"id": "doc:1", "s": 0.11, "x": "one", "m": {"lang": "en"}}]


@pytest.mark.parametrize("text", ["nan", "inf", "1_000", "0.5 s", "", "high", "\u0661", "1" * 50])
def test_a_text_that_is_no_number_is_no_score(text):
    """What Python's float would take beyond plain numbers counts as little as words do."""
    assert read([{"id": "a", "score": text}]) == [{"id": "a"}]


# ---- Azure AI Search --------------------------------------------------------------------------------


def azure_result(**said: Any) -> dict[str, Any]:
    """One result as the client gives it."""
    from azure.search.documents._operations._patch import _convert_search_result
    from azure.search.documents.models import SearchResult

    fields = {"chunk_id": "a1", "parent_id": "doc-1", "chunk": "one", "title": "T"}
    captions = [{"text": "cap", "highlights": ""}]
    result = SearchResult(
        {"@search.captions": captions, **{f"@search.{key}": value for key, value in said.items()}, **fields}
    )
    return _convert_search_result(result)


def test_azure_search_results():
    """The score is the semantic ranker's where there is one, of kind rerank; else of unknown kind."""
    expected = {"id": "a1", "s": 0.03, "p": "doc-1", "x": "one", "m": {"title": "T"}}
    assert read([azure_result(score=0.03)]) == [expected]
    ranked = {**expected, "s": 2.1, "sk": "rerank"}
    assert read([azure_result(score=0.03, rerankerScore=2.1)]) == [ranked]
    assert read([azure_result(score=0.03, rerankerScore=2.1, rerankerBoostedScore=3.5)]) == [{**ranked, "s": 3.5}]
    rest = {"@odata.context": "…", "value": [{"@search.score": 0.03, "chunk_id": "a1", "chunk": "one"}]}
    assert read(rest) == [{"id": "a1", "s": 0.03, "x": "one"}]
    assert read({"@odata.context": "…", "value": []}) == []


def test_a_paged_iterator_of_azure_is_left_to_the_app(kept, caplog):
    """It can be read only once: the list is not recorded, the log says how to have it recorded, the app reads all."""
    from azure.core.paging import PageIterator
    from azure.search.documents._operations._patch import SearchItemPaged

    pages = {None: ("next", [azure_result(score=0.5)]), "next": (None, [azure_result(score=0.25)])}
    asked = []

    def get(token: Any) -> Any:
        asked.append(token)
        return pages[token]

    @goldrank.retrieve
    def search(query: str) -> Any:
        return SearchItemPaged(page_iterator_class=lambda **_: PageIterator(get, lambda page: page))

    @goldrank.retrieve
    def search_again(query: str) -> Any:
        return list(search(query))

    with caplog.at_level(logging.WARNING, logger="goldrank"):
        returned = search("q")
    assert asked == []
    assert len(list(returned)) == 2
    assert kept.json("search", wire.HITS)["state"] == "not_recorded"
    assert "search returned a SearchItemPaged" in caplog.text
    kept.spans.clear()
    assert len(search_again("q")) == 2
    assert [hit["s"] for hit in kept.hits("search_again")] == [0.5, 0.25]


# ---- Bedrock, Milvus, Vespa -------------------------------------------------------------------------

BEDROCK = {
    "ResponseMetadata": {"HTTPStatusCode": 200},
    "retrievalResults": [
        {
            "content": {"text": "one", "type": "TEXT"},
            "location": {"type": "S3", "s3Location": {"uri": "s3://bucket/a.pdf"}},
            "metadata": {
                "x-amz-bedrock-kb-chunk-id": "1%3A0%3AAAbb",
                "x-amz-bedrock-kb-data-source-id": "DS",
                "x-amz-bedrock-kb-source-uri": "s3://bucket/a.pdf",
            },
            "score": 0.53,
        },
        {
            "content": {"text": "two", "type": "TEXT"},
            "location": {"type": "CONFLUENCE", "confluenceLocation": {"url": "https://wiki/b"}},
            "score": 0.41,
        },
        {
            "content": {"text": "three"},
            "location": {"type": "CUSTOM", "customDocumentLocation": {"id": "doc-c"}},
            "score": 0.4,
        },
    ],
}
"""As boto3 documents the answer of bedrock-agent-runtime's `retrieve`."""


def test_bedrock_retrieve_results():
    """The chunk is named by the metadata, the document by its location; without a chunk id the text makes one."""
    hits = read(BEDROCK)
    assert [(hit.get("id"), hit["doc"], hit["s"], hit["x"]) for hit in hits] == [
        ("1%3A0%3AAAbb", "s3://bucket/a.pdf", 0.53, "one"),
        (None, "https://wiki/b", 0.41, "two"),
        (None, "doc-c", 0.4, "three"),
    ]
    assert "sk" not in hits[0]
    assert read(BEDROCK["retrievalResults"]) == hits
    assert read({"retrievalResults": []}) == []


def test_dicts_that_only_look_like_bedrock_are_read_as_they_are():
    """A chunk of the app's own with a content and a location."""
    assert read([{"id": "c1", "content": "one", "location": "Berlin", "score": 0.5}]) == [
        {"id": "c1", "s": 0.5, "x": "one", "m": {"location": "Berlin"}}
    ]


def test_milvus_hits():
    """A hit's "distance" is a similarity under some metrics, so its kind is not known; the key has any name."""
    rows = [{"id": 7, "distance": 0.9, "entity": {"text": "one", "source": "a.md"}}]
    expected = [{"id": "7", "doc": "a.md", "s": 0.9, "x": "one", "m": {"source": "a.md"}}]
    assert read(rows) == expected
    assert read([rows]) == expected
    assert read([{"passage_key": 7, "distance": 0.9, "entity": {"text": "one", "source": "a.md"}}]) == expected


class VespaQueryResponse:
    """As pyvespa's: the answer in `json`; `hits` is a property."""

    def __init__(self, json: Any) -> None:
        self.json, self.status_code, self.url = json, 200, "http://localhost/search/"


def test_vespa_hits():
    """The document's id, its relevance, and its fields; `source` is a cluster, no document."""
    child = {
        "id": "index:content/0/abc",
        "relevance": 0.5,
        "source": "content",
        "fields": {"sddocname": "passage", "documentid": "id:ns:passage::1", "text": "one", "title": "T"},
    }
    answer = {"root": {"id": "toplevel", "relevance": 1.0, "fields": {"totalCount": 1}, "children": [child]}}
    expected = [{"id": "id:ns:passage::1", "s": 0.5, "x": "one", "m": {"title": "T"}}]
    assert read(answer) == read(VespaQueryResponse(answer)) == expected
    assert read({"root": {"id": "toplevel", "relevance": 1.0, "fields": {"totalCount": 0}}}) == []


# ---- rows of a database -----------------------------------------------------------------------------

Passage = namedtuple("Passage", "pk manual body dist lang")  # noqa: PYI024 - what psycopg's namedtuple_row makes

SELECT = "select 7 pk, 'd1' manual, 'one' body, 0.25 dist, 'en' lang union all select 8, 'd2', 'two', 0.5, 'de'"


def sqlite_rows() -> list[Any]:
    """Rows as sqlite3 gives them by name."""
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    found = connection.execute(SELECT).fetchall()
    connection.close()
    return found


def sqlalchemy_rows() -> list[Any]:
    """Rows as SQLAlchemy gives them."""
    from sqlalchemy import create_engine, text

    engine = create_engine("sqlite://")
    with engine.connect() as connection:
        found = list(connection.execute(text(SELECT)).all())
    engine.dispose()
    return found


ROWS: list[tuple[str, Callable[[], list[Any]], dict[str, Any]]] = [
    ("tuples", lambda: [(7, "d1", "one", 0.25, "en"), (8, "d2", "two", 0.5, "de")], {}),
    ("named tuples", lambda: [Passage(7, "d1", "one", 0.25, "en"), Passage(8, "d2", "two", 0.5, "de")], {"lang": "en"}),
    (
        "dicts",
        lambda: [
            {"pk": 7, "manual": "d1", "body": "one", "dist": Decimal("0.25"), "lang": "en"},
            {"pk": 8, "manual": "d2", "body": "two", "dist": Decimal("0.5"), "lang": "de"},
        ],
        {"lang": "en"},
    ),
    ("sqlite3", sqlite_rows, {"lang": "en"}),
    ("SQLAlchemy", sqlalchemy_rows, {"lang": "en"}),
]


@pytest.mark.parametrize(("rows", "metadata"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_rows_are_read_by_a_table_of_columns(kept, rows, metadata):
    """`hits=` says what is where; columns with a name that it does not mention are metadata."""
    named = {"id": "pk", "doc_id": "manual", "text": "body", "distance": "dist"}
    placed = {"id": 0, "doc_id": 1, "text": 2, "distance": 3}

    @goldrank.retrieve(hits=named if metadata else placed)
    def search(query: str) -> Any:
        return rows()

    @goldrank.rerank(hits=named if metadata else placed)
    def rerank(query: str, found: Any) -> Any:
        return found[::-1]

    @goldrank.request
    def answer(question: str) -> str:
        return str(len(rerank(question, search(question))))

    assert answer("q") == "2"
    first = {"id": "7", "src": "mapped", "doc": "d1", "s": 0.25, "sk": "distance", "t": 0, "x": "one"}
    assert kept.hits("search")[0] == {**first, **({"m": metadata} if metadata else {})}
    assert kept.ids("search") == ["7", "8"]
    assert kept.ids("rerank") == ["8", "7"]
    assert kept.inputs("rerank") == [("search", 2)], "the app's own rows are recognised"


def test_a_block_reads_rows_by_a_table_of_columns(kept):
    """`stage.hits` takes the same table."""
    with goldrank.stage("retrieve", name="search") as stage:
        stage.hits([(7, "one", 0.25, "x")], columns={"id": 0, "text": 1, "similarity": 2})
    assert kept.hits("search") == [{"id": "7", "src": "mapped", "s": 0.25, "sk": "similarity", "t": 0, "x": "one"}]


def test_rows_that_lack_the_columns_are_not_recorded(kept):
    """A table that fits nothing never invents hits."""

    @goldrank.retrieve(hits={"id": 5})
    def search(query: str) -> Any:
        return [(7, "one")]

    search("q")
    assert kept.json("search", wire.HITS)["state"] == "not_recorded"


@pytest.mark.parametrize(
    ("columns", "said"),
    [({"id": 0, "rank": 1}, "'rank'"), ({"score": 0}, "id or the text"), ({"id": 0.5}, "0.5"), ({"id": True}, "True")],
)
def test_a_table_of_columns_that_cannot_be_used_is_refused_at_the_start(columns, said):
    """When the function is decorated, never later."""
    with pytest.raises(UsageError, match=said):
        goldrank.retrieve(hits=columns)(lambda query: [])


def test_rows_of_three_columns_are_told_by_their_types():
    """(id, text, distance) with a number as id is no (score, id, ...)."""
    assert read([(7, "one", 0.25)]) == [{"id": "7", "s": 0.25, "x": "one"}]
    assert read([(7, "one passage of some words")]) == [{"id": "7", "x": "one passage of some words"}]
    assert read([(7, "c1")]) == [{"id": "c1", "s": 7.0}]
    assert read([(0.25, "c1", "one")]) == [{"id": "c1", "s": 0.25, "x": "one"}]
    assert read([(uuid.UUID(int=1), "one", 0.25)]) == [{"id": str(uuid.UUID(int=1)), "s": 0.25, "x": "one"}]


# ---- replays ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [
        BEDROCK["retrievalResults"],
        [{"@search.score": 0.5, "id": "a", "content": "one"}],
        [{"text": "one", "_additional": {"id": "w1"}}],
        [{"id": "v1", "relevance": 0.5, "fields": {"text": "one"}}],
        [{"_id": "e1", "fields": {"text": ["one"]}}],
        [{"passage_key": 7, "distance": 0.9, "entity": {"text": "one"}}],
    ],
)
def test_a_replay_does_not_make_them_again_from_their_hits(value):
    """What a store keeps beside the hits was not recorded: a pinned stage needs a `rebuild=`, and says so."""
    pin = Pin(
        stage_id="1" * 16,
        kind=StageKind.RETRIEVE,
        name="search",
        query="q",
        shape=shape(value),
        hits=(Hit(rank=1, chunk_id="a", text="one", score=0.5),),
    )
    with pytest.raises(NotRebuildable, match="result of"):
        rebuild_pin(pin)
