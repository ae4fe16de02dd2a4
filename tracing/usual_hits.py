"""The fast way for the usual list: all elements of one make, with id, text and score where they usually are.

It reads by column what `recognisers` would read element by element, several times faster, and declines any list
in which one element is not quite usual (tests compare the two). A request reads a hundred hits: this is most of
what recording costs.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import isfinite
from typing import Any, Final, NamedTuple

from .recognisers import Reading, field_plan, metadata_plan
from .values import is_metadata

Bodies = list[dict[str, Any]]
"""One dict a hit, as `wire` draws it."""

_STR: Final = {str}
_FLOAT: Final = {float}
_DICT: Final = {dict}


class Columns(NamedTuple):
    """Where the usual hit has what. None: it has none."""

    id_key: str
    doc_key: str | None
    score_key: str | None
    score_word: str | None
    """The ScoreKind to be said; None: unknown."""
    text_key: str | None
    metadata_key: str | None
    rest: tuple[str, ...]
    """Fields beside the metadata that are metadata too."""


def read_usual(elements: Sequence[Any], reading: Reading) -> tuple[Bodies, list[str | None]] | None:
    """Bodies and texts of all the elements; None where the list is out of the ordinary."""
    make = type(elements[0])
    if set(map(type, elements)) != {make} or reading.mapped:
        return None
    rows: Sequence[Any] = elements
    if make is not dict:
        rows = [getattr(element, "__dict__", None) for element in elements]
        if set(map(type, rows)) != _DICT:
            return None
    keys = frozenset().union(*rows)
    if set(map(len, rows)) != {len(keys)}:
        return None  # not all have the same fields
    columns = _columns_of(keys, reading.word, reading.plain_score_word)
    return None if columns is None else _read(rows, columns)


def _read(rows: Sequence[dict[str, Any]], columns: Columns) -> tuple[Bodies, list[str | None]] | None:
    id_key, doc_key, score_key, score_word, text_key, metadata_key, rest = columns
    ids = [row[id_key] for row in rows]
    if set(map(type, ids)) != _STR or not all(ids):
        return None
    bodies: Bodies = [{"id": chunk_id} for chunk_id in ids]
    if doc_key is not None:
        docs = [row[doc_key] for row in rows]
        if set(map(type, docs)) != _STR or not all(docs):
            return None
        for body, doc in zip(bodies, docs, strict=True):
            body["doc"] = doc
    if score_key is not None:
        scores = [row[score_key] for row in rows]
        if set(map(type, scores)) != _FLOAT or not isfinite(sum(scores)):
            return None
        for body, score in zip(bodies, scores, strict=True):
            body["s"] = score
        if score_word is not None:
            for body in bodies:
                body["sk"] = score_word
    texts: list[str | None] = [None] * len(rows) if text_key is None else [row[text_key] for row in rows]
    if text_key is not None and (set(map(type, texts)) != _STR or not all(texts)):
        return None
    has = (doc_key is not None, text_key is not None, score_key is not None)
    if metadata_key is not None and not _put_metadata(bodies, [row[metadata_key] for row in rows], has):
        return None
    if rest:
        _put_beside(bodies, rows, rest)
    return bodies, texts


def _put_metadata(bodies: Bodies, metadatas: list[Any], has: tuple[bool, bool, bool]) -> bool:
    if set(map(type, metadatas)) != _DICT or not _is_plain(frozenset().union(*metadatas), has):
        return False
    for body, metadata in zip(bodies, metadatas, strict=True):
        body["m"] = metadata
    return True


def _put_beside(bodies: Bodies, rows: Sequence[dict[str, Any]], rest: tuple[str, ...]) -> None:
    for body, row in zip(bodies, rows, strict=True):
        beside = {key: row[key] for key in rest if is_metadata(row[key])}
        if beside:
            body["m"] = {**beside, **body.get("m", {})}


@lru_cache(maxsize=1_000)
def _columns_of(keys: frozenset[Any], word: str, plain_score_word: str | None) -> Columns | None:
    plan = field_plan(tuple(keys), word)
    if not plan.ids or plan.inners or plan.parents or plan.is_message or "relationships" in keys:
        return None
    if len(plan.metadatas) > 1:
        return None
    text_key = plan.texts[0] if plan.texts else None
    score_key, score_word = plan.scores[0] if plan.scores else (None, None)
    doc_key = plan.documents[0] if plan.documents else None
    if doc_key is not None and doc_key == text_key:
        return None
    return Columns(
        plan.ids[0],
        doc_key,
        score_key,
        score_word or plain_score_word,
        text_key,
        plan.metadatas[0] if plan.metadatas else None,
        plan.rest,
    )


@lru_cache(maxsize=2_000)
def _is_plain(keys: frozenset[Any], has: tuple[bool, bool, bool]) -> bool:
    """Whether nothing has to be read out of metadata with these keys, so that it is kept as it is."""
    plan = metadata_plan(tuple(keys))
    has_document, has_text, has_score = has
    return not (
        plan.ids
        or plan.parents
        or plan.keep is not None
        or (plan.documents and not has_document)
        or (plan.texts and not has_text)
        or (plan.scores and not has_score)
    )
