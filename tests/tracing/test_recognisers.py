"""What is read from real objects of LangChain, LlamaIndex, Haystack, Qdrant, Chroma-like results, and plain values."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum
from typing import Any, NamedTuple

import goldrank
import numpy as np
import pytest
from goldrank.model import derived_chunk_id, wire
from pydantic import BaseModel


def returned(kept: Any, value: Any, decorate: Any = goldrank.retrieve) -> dict[str, Any]:
    """The HITS attribute of a stage that returns `value`."""

    @decorate
    def search(query: str) -> Any:
        return value

    @goldrank.request
    def answer(question: str) -> str:
        return "" if search(question) is not value else "same"

    assert answer("q") == "same"
    return kept.json("search", wire.HITS)


def test_langchain_documents(kept):
    """A LangChain Document gives id, text, metadata and the document from its metadata; with a score it is a pair."""
    from langchain_core.documents import Document

    documents = [
        Document(page_content="one", metadata={"source": "a.md", "page": 1}, id="c1"),
        Document(page_content="two", metadata={"source": "b.md", "chunk_id": "b#2"}, id="c2"),
    ]
    found = returned(kept, [(documents[0], np.float32(0.5)), (documents[1], 0.25)])
    assert found["hits"] == [
        {"id": "c1", "doc": "a.md", "s": 0.5, "t": 0, "x": "one", "m": {"source": "a.md", "page": 1}},
        {
            "id": "b#2",
            "src": "metadata",
            "doc": "b.md",
            "s": 0.25,
            "t": 1,
            "x": "two",
            "m": {"source": "b.md", "chunk_id": "b#2"},
        },
    ]
    assert found["shape"] == "list[tuple[langchain_core.documents.base.Document, numpy.float32]]"


def test_langchain_documents_without_ids_get_one_from_their_text(kept):
    """Without any id the text makes it, the same one each time, and it is marked derived."""
    from langchain_core.documents import Document

    found = returned(kept, [Document(page_content="some  text")])
    assert found["hits"] == [{"id": derived_chunk_id("some text"), "src": "derived", "t": 0, "x": "some  text"}]


def test_llama_index_nodes(kept):
    """A NodeWithScore gives its node's id, text, document and parent."""
    from llama_index.core.schema import NodeRelationship, NodeWithScore, RelatedNodeInfo, TextNode

    node = TextNode(text="one", id_="n1", metadata={"page": 3})
    node.relationships[NodeRelationship.SOURCE] = RelatedNodeInfo(node_id="doc-1")
    node.relationships[NodeRelationship.PARENT] = RelatedNodeInfo(node_id="section-1")
    found = returned(kept, [NodeWithScore(node=node, score=0.5), NodeWithScore(node=TextNode(text="two", id_="n2"))])
    assert found["hits"] == [
        {"id": "n1", "doc": "doc-1", "s": 0.5, "m": {"page": 3}, "p": "section-1", "t": 0, "x": "one"},
        {"id": "n2", "t": 1, "x": "two"},
    ]


def test_llama_index_documents_hold_their_text_in_a_resource(kept):
    """A LlamaIndex Document is read though its text is a MediaResource."""
    from llama_index.core.schema import Document

    assert returned(kept, [Document(text="one", id_="d1")])["hits"] == [{"id": "d1", "t": 0, "x": "one"}]


def test_haystack_documents(kept):
    """A Haystack Document gives id, content, meta and score; a component's result holds them under "documents"."""
    from haystack import Document

    documents = [Document(id="h1", content="one", meta={"file_path": "a.md"}, score=0.7)]
    expected = [{"id": "h1", "doc": "a.md", "s": 0.7, "t": 0, "x": "one", "m": {"file_path": "a.md"}}]
    assert returned(kept, {"documents": documents})["hits"] == expected


class Page(Enum):
    """Ids as members."""

    REFUNDS = "refunds"


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (b"doc:1", "doc:1"),
        (bytearray("stra\u00dfe".encode()), "stra\u00dfe"),
        (b"\xff\x00", "ff00"),
        (Decimal(12), "12"),
        (Page.REFUNDS, "refunds"),
    ],
)
def test_ids_of_key_value_stores_databases_and_enums(kept, given, text):
    """Bytes are their text, else their digits; one such id does not end the recorded part of a list."""
    hits = returned(kept, [{"id": "a", "score": 0.9}, {"id": given, "score": 0.5}, {"id": "z", "score": 0.1}])
    assert [hit["id"] for hit in hits["hits"]] == ["a", text, "z"]


def test_qdrant_points(kept):
    """A Qdrant point gives its id as text, and text and document from its payload."""
    from qdrant_client.models import QueryResponse, ScoredPoint

    points = [
        ScoredPoint(id=7, version=1, score=0.5, payload={"text": "one", "doc_id": "d1", "lang": "en"}),
        ScoredPoint(id=str(uuid.UUID(int=1)), version=1, score=0.25, payload={"page_content": "two"}),
    ]
    expected = [
        {"id": "7", "doc": "d1", "s": 0.5, "t": 0, "x": "one", "m": {"version": 1, "doc_id": "d1", "lang": "en"}},
        {"id": str(uuid.UUID(int=1)), "s": 0.25, "t": 1, "x": "two", "m": {"version": 1}},
    ]
    found = returned(kept, points)["hits"]
    assert [{key: hit[key] for key in ("id", "s", "x")} for hit in found] == [
        {key: hit[key] for key in ("id", "s", "x")} for hit in expected
    ]
    assert found[0]["doc"] == "d1"
    assert QueryResponse  # the response model of the REST API holds the list under `points`


def test_an_object_that_holds_its_list_under_points(kept):
    """What qdrant_client.query_points returns is read by its `points`."""
    from qdrant_client.http.models import QueryResponse, ScoredPoint

    response = QueryResponse(points=[ScoredPoint(id=1, version=0, score=0.5, payload={"text": "one"})])
    assert [hit["id"] for hit in returned(kept, response)["hits"]] == ["1"]


def test_chroma_results(kept):
    """Chroma's dict of lists of lists is one list for one query, with distances as such."""
    result = {
        "ids": [["a", "b"]],
        "documents": [["one", "two"]],
        "metadatas": [[{"source": "x.md"}, None]],
        "distances": [[0.1, 0.2]],
        "embeddings": None,
    }
    found = returned(kept, result)
    assert found["hits"] == [
        {"id": "a", "doc": "x.md", "s": 0.1, "sk": "distance", "t": 0, "x": "one", "m": {"source": "x.md"}},
        {"id": "b", "s": 0.2, "sk": "distance", "t": 1, "x": "two"},
    ]
    columns = (
        "ids: list[list[str]], documents: list[list[str]], metadatas: list[list[dict]], distances: list[list[float]]"
    )
    assert found["shape"] == f"dict{{{columns}, embeddings: None}}"


def test_chroma_results_of_several_queries_are_no_one_list(kept):
    """Two rankings in one result are not joined into one: the list is not recorded."""
    assert returned(kept, {"ids": [["a"], ["b"]]})["state"] == "not_recorded"


@dataclass
class Chunk:
    """A chunk as an app may hold it."""

    chunk_id: str
    body: str
    relevance_score: float
    tags: list[str] = field(default_factory=list)


class Passage(BaseModel):
    """A passage as a pydantic model."""

    id: int
    content: str
    similarity: float


class Row(NamedTuple):
    """A row of a store."""

    id: str
    text: str
    score: float


class Slotted:
    """An object without a __dict__."""

    __slots__ = ("id", "text")

    def __init__(self) -> None:
        self.id, self.text = "s1", "one"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([Chunk("c1", "one", 0.5, ["x"])], {"id": "c1", "s": 0.5, "sk": "rerank", "x": "one", "m": {"tags": ["x"]}}),
        ([Passage(id=1, content="one", similarity=0.5)], {"id": "1", "s": 0.5, "sk": "similarity", "x": "one"}),
        ([Row("r1", "one", 0.5)], {"id": "r1", "s": 0.5, "x": "one"}),
        ([Slotted()], {"id": "s1", "x": "one"}),
        ([("c1", 0.5)], {"id": "c1", "s": 0.5}),
        ([["c1", 0.5]], {"id": "c1", "s": 0.5}),
        ([(3, 0.5)], {"id": "3", "s": 0.5}),
        ([(np.int64(3), np.float64(0.5))], {"id": "3", "s": 0.5}),
        ([(0.5, "c1")], {"id": "c1", "s": 0.5}),
        ([("c1", "one")], {"id": "c1", "x": "one"}),
        ([("c1", 0.5, "one")], {"id": "c1", "s": 0.5, "x": "one"}),
        ([("c1", 0.5, {"page": 2})], {"id": "c1", "s": 0.5, "m": {"page": 2}}),
        ([({"id": "c1", "text": "one"}, 0.5)], {"id": "c1", "s": 0.5, "x": "one"}),
        ([{"chunk": {"id": "c1", "text": "one"}, "score": 0.5}], {"id": "c1", "s": 0.5, "x": "one"}),
        ([{"id": 42.0, "score": 1}], {"id": "42.0", "s": 1.0}),
        ([{"id": uuid.UUID(int=2)}], {"id": str(uuid.UUID(int=2))}),
        ([{"_id": "e1", "_score": 2.5, "_source": {"text": "one"}}], {"id": "e1", "s": 2.5, "x": "one"}),
        ({"hits": {"hits": [{"_id": "e1"}]}}, {"id": "e1"}),
        ({"matches": [{"id": "p1", "score": 0.5, "metadata": {"text": "one"}}]}, {"id": "p1", "s": 0.5, "x": "one"}),
        ({"c1": 0.5, "c2": 0.25}, {"id": "c1", "s": 0.5}),
        ((["c1"], [0.5]), {"id": "c1", "s": 0.5}),
        ((np.array([["c1"]]), np.array([[0.5]])), {"id": "c1", "s": 0.5}),
        (np.array([4, 5]), {"id": "4"}),
        (["c1", "c2"], {"id": "c1"}),
        ([7, 8], {"id": "7"}),
        ([[{"id": "c1"}]], {"id": "c1"}),
    ],
)
def test_plain_values(kept, value, expected):
    """Dicts, pairs, dataclasses, pydantic objects, named tuples, rows of other stores, arrays and ids are read."""
    hit = returned(kept, value)["hits"][0]
    assert {key: hit[key] for key in hit if key not in ("t", "src")} == expected


def test_plain_texts_are_texts_and_get_derived_ids(kept):
    """Strings of several words are chunk texts, not ids."""
    hits = returned(kept, ["a passage of a few words", "another passage of words"])["hits"]
    assert [hit["x"] for hit in hits] == ["a passage of a few words", "another passage of words"]
    assert [hit["src"] for hit in hits] == ["derived", "derived"]


def test_texts_that_an_earlier_list_held_keep_their_ids(kept):
    """A reranker that returns only texts gives the ids that came with exactly these texts before."""

    @goldrank.retrieve
    def search(query):
        return [{"id": "c1", "text": "the first passage here"}, {"id": "c2", "text": "the second passage here"}]

    @goldrank.rerank
    def rerank(query, texts):
        return texts[::-1]

    @goldrank.request
    def answer(question):
        return " ".join(rerank(question, [hit["text"] for hit in search(question)]))

    answer("q")
    assert [(hit["id"], hit["src"], hit["t"]) for hit in kept.hits("rerank")] == [
        ("c2", "derived", 1),
        ("c1", "derived", 0),
    ]


def test_a_text_with_two_ids_names_neither(kept):
    """Where two chunks of a request hold the same text, a bare text is neither of them."""

    @goldrank.retrieve
    def search(query):
        return [{"id": "v1", "text": "the very same passage"}, {"id": "v2", "text": "the very same passage"}]

    @goldrank.rerank
    def rerank(query, texts):
        return texts[:1]

    @goldrank.request
    def answer(question):
        return rerank(question, [hit["text"] for hit in search(question)])[0]

    answer("q")
    assert kept.ids("rerank") == [derived_chunk_id("the very same passage")]


def test_an_empty_list_is_nothing_retrieved_and_none_is_not_recorded(kept):
    """An explicit empty list is a list; None and what nothing recognises are not."""
    assert returned(kept, []) == {"n": 0, "shape": "list", "scope": kept.json("search", wire.HITS)["scope"], "hits": []}


@pytest.mark.parametrize("value", [None, object(), 3, {1, 2}, [object()], [0.1, 0.2], [True], "joined text"])
def test_what_nothing_recognises_is_not_recorded(kept, value):
    """Never a repr and never an empty list: the state says that the list was not recorded."""
    found = returned(kept, value)
    assert found["state"] == "not_recorded"
    assert "hits" not in found


def test_an_unreadable_hit_further_down_ends_the_recorded_part(kept):
    """Ranks above an unreadable hit are right and kept; the true length is said."""
    found = returned(kept, [{"id": "a"}, {"id": "b"}, object(), {"id": "d"}])
    assert (found["n"], found["state"], [hit["id"] for hit in found["hits"]]) == (4, "truncated", ["a", "b"])


def test_a_long_list_is_cut_with_its_true_length(kept):
    """A thousand hits are recorded, and the list is marked truncated."""
    found = returned(kept, [{"id": f"c{n}"} for n in range(1_200)])
    assert (found["n"], found["state"], len(found["hits"]), found["hits"][-1]["id"]) == (
        1_200,
        "truncated",
        1_000,
        "c999",
    )


@pytest.mark.parametrize("score", [float("nan"), float("inf"), None, "high", True])
def test_a_score_that_is_no_number_is_absent(kept, score):
    """NaN, infinities and words are no scores."""
    assert "s" not in returned(kept, [{"id": "a", "score": score}])["hits"][0]


def test_scores_of_fusion_and_reranking_say_what_they_are(kept):
    """A reranker's score is of kind rerank; a fusion's only where a name says rrf. Its own key comes first."""
    hits = [{"id": "a", "score": 0.5, "rerank_score": 0.9}]
    assert returned(kept, hits, goldrank.rerank)["hits"][0] == {"id": "a", "s": 0.9, "sk": "rerank"}
    kept.spans.clear()
    assert returned(kept, [("a", 0.5)], goldrank.fuse)["hits"][0] == {"id": "a", "s": 0.5}
    kept.spans.clear()

    @goldrank.fuse(name="rrf")
    def fuse(lists):
        return [("a", 0.5)]

    fuse([])
    assert kept.hits("rrf") == [{"id": "a", "s": 0.5, "sk": "rrf"}]


def test_an_array_under_a_name_of_an_id_is_none_and_harms_nothing(kept):
    """Arrays say that they can be whole numbers and cannot: the text makes the id, and the hit is kept."""
    found = returned(kept, [{"id": np.array([0.1, 0.2]), "text": "one"}, {"id": np.array(7), "text": "two"}])
    assert [hit["id"] for hit in found["hits"]] == [derived_chunk_id("one"), "7"]


def test_hits_maps_what_nothing_recognises(kept):
    """`hits=` as a function gives ids that are mapped; as a name it says where the list is."""

    @goldrank.retrieve(hits=lambda frame: [(row[0], row[1]) for row in frame["rows"]])
    def search(query):
        return {"rows": [["c1", 0.5, "z", 4]]}

    @goldrank.retrieve(hits="rows")
    def other(query):
        return {"rows": [{"id": "c1"}]}

    search("q"), other("q")
    assert kept.hits("search") == [{"id": "c1", "src": "mapped", "s": 0.5}]
    assert kept.hits("other") == [{"id": "c1"}]


def test_chat_messages_are_no_hits(kept):
    """An assemble stage that returns chat messages gives a text, not chunks with derived ids."""

    @goldrank.assemble
    def build(question):
        return [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "q"}]

    build("q")
    assert kept.attributes("build")[wire.TEXT] == "Be brief.\n\nq"
    assert wire.HITS not in kept.attributes("build")


def test_vectors_and_scores_are_no_metadata(kept):
    """Embeddings and scores stay out of the metadata; plain fields beside it go in."""
    hit = {"id": "a", "score": 0.5, "embedding": [0.1] * 800, "lang": "en", "metadata": {"page": 1, "_distance": 0.3}}
    assert returned(kept, [hit])["hits"][0]["m"] == {"lang": "en", "page": 1}
