"""Clients of vector stores (Chroma, Qdrant, Pinecone, Milvus, Weaviate, Marqo) as Traceloop records them.

Hits are events, one a hit; some clients record none. A query over several vectors holds all their hits one after the
other: they are told apart by query id, else split evenly where that divides.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ...model import Completeness, ScoreKind, Span, SpanEvent, StageKind
from .documents import describe, make_doc, read_score
from .facts import Doc, DocList, Facts
from .json_text import load
from .lists import EVENT_HINT, by_rank
from .table import Field, Table, count, read_table
from .values import as_count, as_id, as_text

SYSTEMS: Final = ("chroma", "qdrant", "pinecone", "milvus", "weaviate", "marqo", "lancedb")
SEARCHES: Final = re.compile(r"query|search|recommend|discover|near_|bm25|hybrid", re.IGNORECASE)
SETUP: Final = re.compile(r"add|upsert|insert|delete|update|create|upload|drop|modify", re.IGNORECASE)
FIELDS: Final[Table] = (
    Field("top_k", ("db.vector.query.top_k", "db.chroma.query.n_results", "db.milvus.search.limit"), count),
    Field(
        "searched",
        (
            *("db.collection.name", "qdrant.search.collection_name", "qdrant.search_batch.collection_name"),
            *("db.milvus.search.collection_name", "db.pinecone.query.namespace", "db.name"),
        ),
    ),
)
EMPTY: Final = ("db.vector.query.result_count",)
"""Says how many hits there were, also where they are not recorded."""
BATCH: Final = (
    "db.chroma.query.embeddings_count",
    "db.chroma.query.texts_count",
    "qdrant.search_batch.requests_count",
    "db.vector.query.embeddings_count",
)
RESULT: Final = "db.query.result"
SEARCH_RESULT: Final = "db.search.result"
HINT: Final = "this client's instrumentation records no hits; put @goldrank.retrieve on the function that searches"


def read(span: Span) -> Facts | None:
    """A call of a vector store's client: a search, or one that fills the store."""
    system = as_text(span.attributes.get("db.system")) or as_text(span.attributes.get("db.system.name")) or ""
    if system.lower() not in SYSTEMS:
        return None
    what = as_text(span.attributes.get("db.operation")) or span.name.rpartition(".")[2]
    if not SEARCHES.search(what):
        return Facts(writer="store", name=span.name, setup=SETUP.search(what) is not None)
    lists = _lists(span)
    found = read_table(FIELDS, span.attributes)
    found.setdefault("searched", system)
    if len(lists) > 1:
        found["given"] = lists
        found["notes"] = {"queries": f"{len(lists)} in one call; their hits were told apart"}
        return Facts(writer="store batch", kind=StageKind.RETRIEVE, name=span.name, hint=HINT, **found)
    documents = lists[0] if lists else None
    if (queries := _queries(span)) > 1:
        found["notes"] = {"queries": f"{queries} in one call"}
    return Facts(writer="store", kind=StageKind.RETRIEVE, name=span.name, documents=documents, hint=HINT, **found)


def _queries(span: Span) -> int:
    """How many queries one call held."""
    return max(as_count(span.attributes.get(key)) or 1 for key in BATCH)


def _lists(span: Span) -> tuple[DocList, ...]:
    events = [event for event in span.events if event.name in (RESULT, SEARCH_RESULT)]
    queries = _queries(span)
    if not events:
        explicit = next((as_count(span.attributes.get(key)) for key in EMPTY if key in span.attributes), None)
        return (DocList((), length=0),) if explicit == 0 and not span.dropped_events else ()
    named = [as_id(event.attributes.get("db.search.query.id")) for event in events]
    if None not in named and not span.dropped_events:
        groups = [
            [event for event, name in zip(events, named, strict=True) if name == one] for one in dict.fromkeys(named)
        ]
        return tuple(_list(group, 0) for group in groups)
    if queries > 1 and not span.dropped_events and len(events) % queries == 0:
        size = len(events) // queries
        return tuple(_list(events[at : at + size], 0) for at in range(0, len(events), size))
    found = _list(events, span.dropped_events)
    if queries > 1:
        reason = f"the hits of {queries} queries are mixed in it and cannot be told apart"
        found = found._replace(docs=None, ranks=None, completeness=Completeness.NOT_RECORDED, reason=reason)
    return (found,)


def _list(events: Sequence[SpanEvent], dropped: int) -> DocList:
    docs = {dropped + place: _doc(event.attributes) for place, event in enumerate(events, 1)}
    return by_rank(docs, dropped=dropped > 0, hint=EVENT_HINT)


def _doc(attributes: Mapping[str, Any]) -> Doc:
    """One hit; Milvus writes its distance as a text, Pinecone its metadata as Python does."""
    fields = {key.rpartition(".")[2]: value for key, value in attributes.items() if ".result." in key}
    metadata = load(fields.get("metadata", fields.get("entity")))
    metadata = metadata if isinstance(metadata, dict) else {}
    text = as_text(fields.get("document")) or as_text(metadata.get("text")) or as_text(metadata.get("page_content"))
    score, note, kind = None, None, ScoreKind.UNKNOWN
    for key, meaning in (("score", ScoreKind.UNKNOWN), ("distance", ScoreKind.DISTANCE)):
        if score is None and note is None and fields.get(key) is not None:
            (score, note), kind = read_score(fields[key]), meaning
    return make_doc(own_id=as_id(fields.get("id")), text=text, said=describe(metadata), score=(score, kind.value, note))
