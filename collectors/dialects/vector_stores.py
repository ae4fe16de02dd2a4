"""Clients of vector stores (Chroma, Qdrant, Pinecone, Milvus, Weaviate, Marqo) as Traceloop records them.

Hits are events, one a hit; some clients record none. A query over several vectors holds all their hits one after the
other (`store_events` tells them apart).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from ...model import Span, StageKind
from .facts import Facts
from .json_text import load
from .store_events import lists_from_events
from .table import Field, Table, count, read_table
from .values import as_count, as_text

SYSTEMS: Final = ("chroma", "qdrant", "pinecone", "milvus", "weaviate", "marqo", "lancedb")
SEARCHES: Final = re.compile(r"query|search|recommend|discover|near_|bm25|hybrid", re.IGNORECASE)
SEARCHES_BY_NAME: Final = re.compile(r"\.get\.do\Z|\.query\.(fetch_objects|raw)\Z")
"""Spans of Weaviate whose operation alone says too little; the builder of a query (`get`) searches nothing yet."""
SETUP: Final = re.compile(r"add|upsert|insert|delete|update|create|upload|drop|modify", re.IGNORECASE)
FIELDS: Final[Table] = (
    Field(
        "top_k",
        (
            *("db.vector.query.top_k", "db.chroma.query.n_results", "db.milvus.search.limit", "pinecone.query.top_k"),
            *("db.milvus.query.limit", "db.weaviate.collections.query.fetch_objects.limit"),
        ),
        count,
    ),
    Field(
        "searched",
        (
            *("db.collection.name", "db.milvus.search.collection_name", "db.milvus.query.collection_name"),
            *("pinecone.query.namespace", "db.pinecone.query.namespace", "db.name"),
        ),
    ),
    Field("filters", ("pinecone.query.filter", "db.milvus.search.filter", "db.chroma.query.where"), load),
)
BATCH: Final = ("db.chroma.query.embeddings_count", "db.chroma.query.texts_count", "db.vector.query.embeddings_count")
_COLLECTION: Final = re.compile(r"qdrant\.\w+\.collection_name\Z")
_REQUESTS: Final = re.compile(r"qdrant\.\w+\.requests_count\Z")
HINT: Final = "this client's instrumentation records no hits; put @goldrank.retrieve on the function that searches"


def read(span: Span) -> Facts | None:
    """A call of a vector store's client: a search, or one that fills the store."""
    system = as_text(span.attributes.get("db.system")) or as_text(span.attributes.get("db.system.name")) or ""
    if system.lower() not in SYSTEMS:
        return None
    said = as_text(span.attributes.get("db.operation")) or as_text(span.attributes.get("db.operation.name"))
    what = said or span.name.rpartition(".")[2]
    if not SEARCHES.search(what) and not SEARCHES_BY_NAME.search(span.name):
        return Facts(writer="store", name=span.name, setup=SETUP.search(what) is not None)
    found = read_table(FIELDS, span.attributes)
    found.setdefault("searched", _first(_COLLECTION, span.attributes) or system)
    queries = _queries(span)
    by_id = "pinecone.query.id" in span.attributes  # a search by a record's id has no vector of its own
    embeds = system.lower() == "pinecone" and not by_id
    lists = lists_from_events(span, queries=queries, depth=found.get("top_k"), embeds=embeds)
    if len(lists) > 1:
        found["given"] = lists
        found["notes"] = {"queries": f"{len(lists)} in one call; their hits were told apart"}
        return Facts(writer="store batch", kind=StageKind.RETRIEVE, name=span.name, hint=HINT, **found)
    documents = lists[0] if lists else None
    if queries > 1:
        found["notes"] = {"queries": f"{queries} in one call"}
    return Facts(writer="store", kind=StageKind.RETRIEVE, name=span.name, documents=documents, hint=HINT, **found)


def _queries(span: Span) -> int:
    """How many queries one call held."""
    counts = (*(span.attributes.get(key) for key in BATCH), _first(_REQUESTS, span.attributes))
    return max(as_count(one) or 1 for one in counts)


def _first(pattern: re.Pattern[str], attributes: Mapping[str, Any]) -> str | None:
    """The value of the first attribute of such a name: Qdrant's client puts the name of its method into it."""
    return next((as_text(value) for key, value in attributes.items() if pattern.match(key)), None)
