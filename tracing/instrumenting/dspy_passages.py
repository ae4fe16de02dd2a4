"""The passages in what DSPy's retrievers, retrieval models and indexes return, and whose ids and scores they are.

A passage is a text, or a thing with `long_text` and whatever stands beside it; a prediction holds lists side by side.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ..hits import MAX_HITS
from ..recognisers import RawHit, read_hit, reading_of
from ..values import fields_of, id_text, is_a

Noticed = list[RawHit]
"""What was returned on the way to a list of passages, as read."""

COLUMNS: Final = ("passages", "scores", "indices")
_IDS: Final = ("ids", "pids", "doc_ids")
"""Names of a prediction's lists, side by side: one entry for each passage."""
_READING: Final = reading_of("retrieve", "dspy")
_TEXT: Final = "long_text"
"""What DSPy calls the text of a passage."""


def hits_of(found: Any, seen: Noticed) -> list[RawHit] | None:
    """The passages in the order in which the app got them, each with what was noticed of it.

    The same texts in the same order are the same list; else a text that was noticed in two ways says nothing.
    """
    hits = read_passages(found)
    if not hits:
        return hits
    last = seen[-len(hits) :]
    if [hit.text for hit in last] == [hit.text for hit in hits]:
        return [_filled(hit, other) for hit, other in zip(hits, last, strict=True)]
    known: dict[str | None, RawHit | None] = {}
    for hit in seen:
        known[hit.text] = hit if known.get(hit.text, hit) == hit else None
    return [_filled(hit, known.get(hit.text)) for hit in hits]


def _filled(hit: RawHit, other: RawHit | None) -> RawHit:
    if other is None:
        return hit
    gaps = {
        name: value
        for name in ("chunk_id", "score", "doc_id", "metadata")
        if getattr(hit, name) is None and (value := getattr(other, name)) is not None
    }
    return hit._replace(**gaps)


def read_passages(found: Any) -> list[RawHit] | None:
    """The passages in what a retriever returned; None where it holds no list of them."""
    store = getattr(found, "_store", None)  # of a dspy.Prediction
    columns = store if is_a(store, dict) else found
    if is_a(columns, Mapping) and is_a(columns.get("passages"), list | tuple):
        return _by_column(columns)
    if not is_a(found, list | tuple):
        return None
    hits = [_read_one(item) for item in found[:MAX_HITS]]
    known = [hit for hit in hits if hit is not None]
    return known if len(known) == len(hits) else None


def _by_column(columns: Mapping[str, Any]) -> list[RawHit] | None:
    passages = columns["passages"][:MAX_HITS]
    lists = [(name, columns[name]) for name in (*COLUMNS[1:], *_IDS, "metadatas") if name in columns]
    beside = {name: one for name, one in lists if is_a(one, list | tuple) and len(one) == len(columns["passages"])}
    found = []
    for place, passage in enumerate(passages):
        hit = _read_one(passage)
        if hit is None:
            return None
        found.append(_filled(hit, _read_row({name: one[place] for name, one in beside.items()}, hit.text)))
    return found


def _read_row(row: Mapping[str, Any], text: str | None) -> RawHit | None:
    """What stands beside a passage. Its place in the corpus is no id."""
    said: dict[str, Any] = {"text": text, "score": row.get("scores")}
    said["id"] = next((row[name] for name in _IDS if name in row), None)
    said["metadata"] = row.get("metadatas") or ({"corpus_index": row["indices"]} if "indices" in row else {})
    return read_hit(said, _READING)


def _read_one(item: Any) -> RawHit | None:
    """A text, or a thing with `long_text` and whatever stands beside it."""
    if is_a(item, str):
        return RawHit(text=str.__str__(item))
    store = getattr(item, "_store", None)
    fields = store if is_a(store, dict) else fields_of(item)
    if fields is None:
        return None
    text = fields.get(_TEXT, fields.get("text"))
    if not is_a(text, str):
        return read_hit(item, _READING)
    rest = {key: value for key, value in fields.items() if key not in (_TEXT, "text", "pid")}
    hit = read_hit({**rest, "text": text}, _READING)
    own_id = id_text(fields.get("pid"))
    hit = hit or RawHit(text=text)
    return hit._replace(chunk_id=own_id) if hit.chunk_id is None and own_id is not None else hit
