"""Hits of a vector store's client that are events, one a hit, best first: which query each answers, and its rank.

The SDK drops the oldest events of a span, and those are the best hits of the first query: a rank counts what was
dropped before it. Where that cannot be told there is no list: a wrong rank is worse than none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from ...model import Completeness, ScoreKind, Span, SpanEvent
from .documents import TEXT_KEYS, describe, make_doc, read_document, read_score
from .facts import Doc, DocList
from .json_text import load
from .lists import EVENT_HINT, by_rank
from .values import as_count, as_id, as_text

RESULTS: Final = ("db.query.result", "db.search.result")
EMBEDDINGS: Final = ("db.query.embeddings", "db.search.embeddings")
"""What was searched for. It comes before the hits, so it is dropped before them."""
COUNTS: Final = ("db.vector.query.result_count", "db.milvus.search.result_count")
"""Says how many hits there were, also where they are not recorded. Milvus numbers it where there were several queries:
`..._0`, `..._1`."""
_QUERY: Final = "db.search.query.id"
_MANY: Final = 1000
"""No call holds more queries."""


def lists_from_events(span: Span, *, queries: int, depth: int | None, embeds: bool) -> tuple[DocList, ...]:
    """The lists in the events of one call, in the order of its queries; none where no list can be told.

    `queries`: how many it asked. `depth`: how many hits it asked for. `embeds`: this client puts its vectors into
    events before the hits, and does not say how many.
    """
    events = [event for event in span.events if event.name in RESULTS]
    sizes = _sizes(span)
    if not events and not span.dropped_events and sizes == (0,):
        return (DocList((), length=0),)
    if not events:
        return ()
    lost = _lost(span, len(events), most=None if depth is None else depth * max(queries, len(sizes)), embeds=embeds)
    if lost is None:
        return (_unknown(f"how many of its best hits are missing cannot be told: {EVENT_HINT}"),)
    total = lost + len(events)
    if sizes and sum(sizes) == total:
        return _split(events, lost, sizes)
    named = [as_id(event.attributes.get(_QUERY)) for event in events]
    if None not in named:
        return _by_name(events, named, lost)
    if queries > 1:
        return _evenly(events, lost, queries, depth)
    return (_list(events, lost),)


def _sizes(span: Span) -> tuple[int, ...]:
    """How many hits each query had, where the client says so."""
    for key in COUNTS:
        if (one := as_count(span.attributes.get(key))) is not None:
            return (one,)
        found: list[int] = []
        while len(found) < _MANY and (size := as_count(span.attributes.get(f"{key}_{len(found)}"))) is not None:
            found.append(size)
        if found:
            return tuple(found)
    return ()


def _lost(span: Span, here: int, *, most: int | None, embeds: bool) -> int | None:
    """How many hits are among the dropped events; None where nobody knows."""
    dropped = span.dropped_events
    if not dropped or any(event.name in EMBEDDINGS for event in span.events):
        return 0
    if most is not None and dropped + here > most:  # more events than hits: the others came before them
        return max(0, most - here)
    return None if embeds else dropped


def _split(events: Sequence[SpanEvent], lost: int, sizes: Sequence[int]) -> tuple[DocList, ...]:
    """Lists of known lengths, one after the other, of which the first `lost` hits are missing."""
    found, start = [], 0
    for size in sizes:
        missing = min(size, max(0, lost - start))
        at = start + missing - lost
        own = events[at : at + size - missing]
        start += size
        if size and not own:
            found.append(_unknown(f"all of its hits were dropped: {EVENT_HINT}", length=size))
        else:
            found.append(_list(own, missing))
    return tuple(found)


def _by_name(events: Sequence[SpanEvent], named: Sequence[str | None], lost: int) -> tuple[DocList, ...]:
    """By the name of the query. Only the first one that is here lacks hits; how many is known where it is query 0."""
    groups = [[event for event, name in zip(events, named, strict=True) if name == one] for one in dict.fromkeys(named)]
    rest = [_list(group, 0) for group in groups[1:]]
    if lost and named[0] != "0":
        reason = f"how many of its best hits are missing cannot be told: {EVENT_HINT}"
        return (_unknown(reason), *rest)
    return (_list(groups[0], lost), *rest)


def _evenly(events: Sequence[SpanEvent], lost: int, queries: int, depth: int | None) -> tuple[DocList, ...]:
    """Several queries that nothing tells apart: split evenly where that divides, and where each part begins anew."""
    size, rest = divmod(lost + len(events), queries)
    if not rest and (size == depth or not lost):
        found = _split(events, lost, (size,) * queries)
        if size == depth or all(_ascends(one) for one in found):
            return found
    return (_unknown(f"the hits of {queries} queries are mixed in it and cannot be told apart"),)


def _ascends(listed: DocList) -> bool:
    """Whether a list could be one query's: its distances never fall. One without distances could."""
    distances = [doc.score for doc in listed.docs or () if doc.score is not None]
    return all(one <= two for one, two in pairwise(distances))


def _unknown(reason: str, length: int | None = None) -> DocList:
    return DocList(None, length=length, completeness=Completeness.NOT_RECORDED, reason=reason)


def _list(events: Sequence[SpanEvent], missing: int) -> DocList:
    docs = [_doc(event.attributes) for event in events]
    scores = [doc.score for doc in docs if doc.score_kind == ScoreKind.DISTANCE.value and doc.score is not None]
    if len(scores) == len(docs) > 1 and scores[0] > scores[-1] and _falls(scores):
        docs = [doc._replace(score_kind=ScoreKind.SIMILARITY.value) for doc in docs]
    return by_rank(dict(enumerate(docs, missing + 1)), dropped=missing > 0, hint=EVENT_HINT)


def _falls(scores: Sequence[float]) -> bool:
    """Whether what is called a distance falls with the rank: Milvus calls a similarity so, too."""
    return all(one >= two for one, two in pairwise(scores))


def _doc(attributes: Mapping[str, Any]) -> Doc:
    """One hit; Milvus writes its distance as a text, Pinecone its metadata as Python does. A row is one, too."""
    fields = {key.rpartition(".")[2]: value for key, value in attributes.items() if ".result." in key}
    if not fields:
        return read_document(dict(attributes)) or Doc()
    metadata = load(fields.get("metadata", fields.get("entity")))
    metadata = metadata if isinstance(metadata, dict) else {}
    text = as_text(fields.get("document"))
    if not text:
        text = next((metadata[key] for key in TEXT_KEYS if isinstance(metadata.get(key), str)), text)
    score, note, kind = None, None, ScoreKind.UNKNOWN
    for key, meaning in (("score", ScoreKind.UNKNOWN), ("distance", ScoreKind.DISTANCE)):
        if score is None and note is None and fields.get(key) is not None:
            (score, note), kind = read_score(fields[key]), meaning
    return make_doc(own_id=as_id(fields.get("id")), text=text, said=describe(metadata), score=(score, kind.value, note))
