"""Results of search engines and vector stores whose fields are not the usual ones, put into usual fields.

An element is told by the names of its fields alone, so what is learnt of one name set holds for all that have it
and a list of usual hits pays nothing for these. To add a store: a function `(fields) -> usual fields`, a line in
STORES, a test with a real object, a line in docs/recording.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from . import names
from .values import fields_of, is_a

Fields = Mapping[str, Any]

_NO_FIELDS: Final[Fields] = {}


class Store(NamedTuple):
    """How one store's elements are told, and read."""

    name: str
    marks: frozenset[str]
    """Fields that all of its elements have."""
    usual: Callable[[Fields], Fields]
    """The same element under the names that `tracing.names` knows; as it was where it is none of them after all."""
    rebuildable: bool = False
    """A replay can make the element again from its shape tag: the fields keep their places."""


def store_of(keys: frozenset[Any]) -> Store | None:
    """The store whose element has these fields; None: none, or one with usual fields."""
    for store in STORES:
        if store.marks <= keys:
            return store
    return None


def fields_in(value: Any) -> Fields:
    """The fields of a value inside an element; none where it has none."""
    return (None if value is None else fields_of(value)) or _NO_FIELDS


# ---- elements ---------------------------------------------------------------------------------------


def _azure(fields: Fields) -> Fields:
    """Azure AI Search: results are sorted by the semantic ranker's score where there is one.

    `@search.score` is BM25, a vector's similarity or reciprocal rank fusion: the query says which, not the result.
    """
    found = {key: value for key, value in fields.items() if not key.startswith(_AZURE)}
    ranked = next((fields[key] for key in _AZURE_RANKED if fields.get(key) is not None), None)
    if ranked is not None:
        return {**found, "rerank_score": ranked}
    return {**found, "score": fields[f"{_AZURE}score"]}


_AZURE: Final = "@search."
_AZURE_RANKED: Final = (
    "@search.reranker_boosted_score",
    "@search.rerankerBoostedScore",
    "@search.reranker_score",
    "@search.rerankerScore",
)


def _bedrock(fields: Fields) -> Fields:
    """A result of Bedrock's Retrieve: the chunk's id is in the metadata, the document is where it lies."""
    content = fields["content"]
    if not is_a(content, dict):
        return fields
    metadata = fields_in(fields.get("metadata"))
    return {
        "id": metadata.get("x-amz-bedrock-kb-chunk-id"),
        "doc_id": _place(fields["location"]) or metadata.get("x-amz-bedrock-kb-source-uri"),
        "text": content.get("text"),
        "score": fields.get("score"),
        "metadata": metadata,
    }


def _place(location: Any) -> Any:
    """The address in {"type": "S3", "s3Location": {"uri": …}}, whatever sort of place it is."""
    for place in fields_in(location).values():
        if is_a(place, dict):
            return next((place[key] for key in ("uri", "url", "id") if place.get(key)), None)
    return None


def _weaviate(fields: Fields) -> Fields:
    """An object of Weaviate's v4 client: its scores are in `metadata`, what the app stored in `properties`."""
    return {
        "id": fields["uuid"],
        "metadata": fields["properties"],
        **_weaviate_score(fields_in(fields["metadata"])),
    }


def _weaviate_v3(fields: Fields) -> Fields:
    """A result of Weaviate's GraphQL: `_additional` beside the properties; its `score` is a text."""
    own = fields_in(fields["_additional"])
    ranked = own.get("rerank")
    if is_a(ranked, list) and ranked:
        own = {**own, "rerank_score": fields_in(ranked[0]).get("score")}
    stored = {key: value for key, value in fields.items() if key != "_additional"}
    return {"id": own.get("id"), "metadata": stored, **_weaviate_score(own)}


def _weaviate_score(said: Fields) -> Fields:
    """The score that the objects are sorted by."""
    for key, usual in (("rerank_score", "rerank_score"), ("distance", "distance"), ("score", "score")):
        if said.get(key) is not None:
            return {usual: said[key]}
    return {"similarity": said["certainty"]} if said.get("certainty") is not None else {}


def _milvus(fields: Fields) -> Fields:
    """A hit of Milvus. Its "distance" is a similarity under IP and COSINE: the collection's metric says which."""
    return {"id": _milvus_id(fields), "score": fields["distance"], "entity": fields["entity"]}


def _milvus_id(fields: Fields) -> Any:
    """The primary key has the name that the collection's schema gives it."""
    known = next((key for key in names.ID_FIELDS if key in fields), None)
    others = [key for key in fields if key not in _MILVUS_OWN]
    key = known or (others[0] if len(others) == 1 else None)
    return None if key is None else fields[key]


_MILVUS_OWN: Final = frozenset({"distance", "entity", "offset", "highlight", "score"})


def _vespa(fields: Fields) -> Fields:
    """A hit of Vespa: `source` is the content cluster, `id` an internal place where the summary lacks documentid."""
    stored = {key: value for key, value in fields_in(fields["fields"]).items() if key not in _VESPA_OWN}
    own_id = fields_in(fields["fields"]).get("documentid") or fields.get("id")
    return {"id": own_id, "score": fields["relevance"], "metadata": stored}


_VESPA_OWN: Final = frozenset({"documentid", "sddocname", "matchfeatures", "summaryfeatures", "rankfeatures"})


def _fields_alone(fields: Fields) -> Fields:
    """Pinecone's search over an integrated index, and Elasticsearch without `_source` (there each field is a list)."""
    stored = fields_in(fields["fields"])
    if stored and all(is_a(value, list) for value in stored.values()):
        stored = {key: value[0] if len(value) == 1 else value for key, value in stored.items()}
    own_id, score = fields.get("_id", fields.get("id_")), fields.get("_score", fields.get("score_"))
    return {"id": own_id, "score": score, "metadata": stored}


def _elastic_object(fields: Fields) -> Fields:
    """A hit of the Elasticsearch and OpenSearch query builders: the document, and `meta` beside it."""
    meta = fields_in(fields["meta"])
    meta = fields_in(meta.get("_d_")) or meta
    return {"id": meta.get("id"), "score": meta.get("score"), "metadata": fields_in(fields["_d_"])}


def _pinecone_old(fields: Fields) -> Fields:
    """A match of Pinecone's clients before version 8, which keep all fields in one dict."""
    return fields_in(fields["_data_store"])


STORES: Final[tuple[Store, ...]] = (
    Store("Azure AI Search", frozenset({"@search.score"}), _azure),
    Store("Bedrock", frozenset({"content", "location"}), _bedrock),
    Store("Weaviate", frozenset({"uuid", "properties", "metadata"}), _weaviate),
    Store("Weaviate", frozenset({"_additional"}), _weaviate_v3),
    Store("Milvus", frozenset({"id", "distance", "entity"}), _milvus, rebuildable=True),
    Store("Milvus", frozenset({"distance", "entity"}), _milvus),
    Store("Vespa", frozenset({"relevance", "fields"}), _vespa),
    Store("Pinecone", frozenset({"id_", "score_", "fields"}), _fields_alone),
    Store("a search engine", frozenset({"_id", "fields"}), _fields_alone),
    Store("Elasticsearch", frozenset({"_d_", "meta"}), _elastic_object),
    Store("Pinecone", frozenset({"_data_store"}), _pinecone_old),
)
"""The first whose marks are all there counts."""


# ---- whole results ----------------------------------------------------------------------------------

_WRAPPERS: Final = ("_body", "_d_", "_data_store", "json")
"""Where a client's response object keeps what the server sent: Elasticsearch, its query builder, Pinecone, Vespa."""
_PATHS: Final = (("retrievalResults",), ("result", "hits"), ("root", "children"), ("hits", "hits"), ("matches",))
"""Where a list is in what the server sent: Bedrock, Pinecone's search, Vespa, Elasticsearch, Pinecone's query."""
_FIRST: Final = frozenset({*_WRAPPERS, *(path[0] for path in _PATHS), "value", "data"})
"""Whatever has none of these is nothing of theirs."""


def list_in_result(value: Any) -> Sequence[Any] | None:
    """The list inside a whole response of a search engine or vector store; None where it is none of theirs."""
    if is_a(value, list | tuple | str | bytes):
        return None
    fields = fields_of(value)
    if fields is None or _FIRST.isdisjoint(fields):
        return None
    for wrapper in _WRAPPERS:
        inner = fields.get(wrapper)
        if is_a(inner, dict):
            return _in_json(inner)
    return _in_json(fields)


def _in_json(fields: Fields) -> Sequence[Any] | None:
    for path in _PATHS:
        found: Any = fields
        for key in path:
            found = fields_in(found).get(key)
        if is_a(found, list):
            return found
    for find in (_of_azure, _of_graphql, _of_no_hits):
        rarer = find(fields)
        if rarer is not None:
            return rarer
    return None


def _of_azure(fields: Fields) -> Sequence[Any] | None:
    """Azure AI Search over REST: {"value": […]}, a name that others use for anything."""
    value = fields.get("value")
    return value if is_a(value, list) and "@odata.context" in fields else None


def _of_graphql(fields: Fields) -> Sequence[Any] | None:
    """Weaviate's {"data": {"Get": {"Passage": […]}}}, for one class."""
    lists = list(fields_in(fields_in(fields.get("data")).get("Get")).values())
    return lists[0] if len(lists) == 1 and is_a(lists[0], list) else None


def _of_no_hits(fields: Fields) -> Sequence[Any] | None:
    """Vespa leaves `children` out where nothing matched."""
    counted = fields_in(fields_in(fields.get("root")).get("fields")).get("totalCount")
    return [] if counted == 0 and is_a(counted, int) else None
