"""The fast way for the usual list: all elements of one make, with id, text and score where they usually are.

It reads by column what `recognisers` would read element by element, several times faster, and declines any list
in which one element is not quite usual (tests compare the two). A request reads a hundred hits: this is most of
what recording costs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import isfinite
from operator import itemgetter
from typing import Any, Final, NamedTuple

from .recognisers import Reading, field_plan, metadata_plan
from .values import is_metadata

Bodies = list[dict[str, Any]]
"""One dict a hit, as `wire` draws it."""

_STR: Final = {str}
_FLOAT: Final = {float}
_DICT: Final = {dict}


class Columns(NamedTuple):
    """Where the usual hit has what."""

    get: Callable[[dict[str, Any]], tuple[Any, ...]]
    """The values of one hit, in the order of `names`."""
    names: tuple[str, ...]
    """What they are: id, and those of doc, s, m (as in a body) and text (last) that this kind of hit has."""
    score_word: str | None
    """The ScoreKind to be said; None: unknown."""
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
    hits = [columns.get(row) for row in rows]
    read = _read_whole(hits) if columns.names == _WHOLE else _read_columns(hits, columns.names)
    if read is None:
        return None
    bodies, texts = read
    if "m" in columns.names:
        has = ("doc" in columns.names, "text" in columns.names, "s" in columns.names)
        if not _is_plain(frozenset().union(*[body["m"] for body in bodies]), has):
            return None
    if columns.score_word is not None:
        for body in bodies:
            body["sk"] = columns.score_word
    if columns.rest:
        _put_beside(bodies, rows, columns.rest)
    return bodies, texts


_WHOLE: Final = ("id", "doc", "s", "m", "text")


def _read_whole(hits: list[tuple[Any, ...]]) -> tuple[Bodies, list[str | None]] | None:
    """Hits that have everything, as in most apps: one loop by hand takes half the time of columns."""
    bodies: Bodies = []
    texts: list[str | None] = []
    for chunk_id, doc, score, metadata, text in hits:
        if not (
            type(chunk_id) is type(doc) is type(text) is str
            and type(score) is float
            and type(metadata) is dict
            and chunk_id
            and doc
            and text
            and score - score == 0  # neither NaN nor infinite
        ):
            return None
        bodies.append({"id": chunk_id, "doc": doc, "s": score, "m": metadata})
        texts.append(text)
    return bodies, texts


def _read_columns(hits: list[tuple[Any, ...]], names: tuple[str, ...]) -> tuple[Bodies, list[str | None]] | None:
    by_name = dict(zip(names, zip(*hits, strict=True), strict=True))
    if not all(_CHECKS[name](values) for name, values in by_name.items()):
        return None
    texts: list[str | None] = list(by_name.pop("text")) if "text" in by_name else [None] * len(hits)
    return [dict(zip(by_name, hit, strict=False)) for hit in hits], texts


def _are_texts(values: tuple[Any, ...]) -> bool:
    return set(map(type, values)) == _STR and all(values)


def _are_scores(values: tuple[Any, ...]) -> bool:
    return set(map(type, values)) == _FLOAT and isfinite(sum(values))


def _are_dicts(values: tuple[Any, ...]) -> bool:
    return set(map(type, values)) == _DICT


_CHECKS: Final[dict[str, Callable[[tuple[Any, ...]], bool]]] = {
    "id": _are_texts,
    "doc": _are_texts,
    "s": _are_scores,
    "m": _are_dicts,
    "text": _are_texts,
}


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
    if plan.documents and plan.documents[:1] == plan.texts[:1]:
        return None
    fields = [
        ("id", plan.ids[0]),
        ("doc", plan.documents[0] if plan.documents else None),
        ("s", plan.scores[0][0] if plan.scores else None),
        ("m", plan.metadatas[0] if plan.metadatas else None),
        ("text", plan.texts[0] if plan.texts else None),
    ]
    present = {name: key for name, key in fields if key is not None}
    score_word = (plan.scores[0][1] or plain_score_word) if plan.scores else None
    return Columns(_getter(tuple(present.values())), tuple(present), score_word, plan.rest)


def _getter(keys: tuple[str, ...]) -> Callable[[dict[str, Any]], tuple[Any, ...]]:
    if len(keys) == 1:
        return lambda row: (row[keys[0]],)
    getter: Callable[[dict[str, Any]], tuple[Any, ...]] = itemgetter(*keys)
    return getter


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
