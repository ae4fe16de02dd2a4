"""The fast way for the usual list: all elements of one make, with id, text and score where they usually are.

It reads by column what `recognisers` would read element by element, several times faster, and declines any list
in which one element is not quite usual (tests compare the two). A request reads a hundred hits: this is most of
what recording costs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import isfinite
from operator import countOf, itemgetter
from typing import Any, Final, NamedTuple

from .recognisers import Reading, field_plan, metadata_plan
from .values import is_metadata

TEXTS: Final = "text"
"""The column of the texts, each as the app gave it; None for each hit where this kind has none."""


class Column(NamedTuple):
    """One thing that each usual hit has."""

    name: str
    """id, doc, s or m (as in a body), or TEXTS."""
    kind: type
    """The exact type of its values; no text may be empty."""
    get: Callable[[dict[str, Any]], Any]
    """Its value of one hit."""


class Columns(NamedTuple):
    """Where the usual hit has what."""

    each: tuple[Column, ...]
    """id, and those of doc, s, m and TEXTS that this kind of hit has."""
    score_word: str | None
    """The ScoreKind to be said; None: unknown."""
    rest: tuple[str, ...]
    """Fields beside the metadata that are metadata too."""
    width: int
    """How many fields such a hit has."""
    reads_all: bool
    """Each of its fields is in a column."""


def read_usual(elements: Sequence[Any], reading: Reading) -> dict[str, Any] | None:
    """All the elements as `wire.HITS_COLUMNS` draws them (id, and what of doc, s, sk and m they have), and TEXTS.

    None where the list is out of the ordinary.
    """
    make = type(elements[0])
    if reading.mapped or not _are_all(make, elements):
        return None
    rows: Sequence[Any] = elements
    if make is not dict:
        rows = [getattr(element, "__dict__", None) for element in elements]
        if not _are_all(dict, rows):
            return None
    columns = _columns_of(tuple(rows[0]), reading.word, reading.plain_score_word)
    if columns is None or countOf(map(len, rows), columns.width) != len(rows):
        return None
    if not columns.reads_all and len(frozenset().union(*rows)) != columns.width:
        return None  # not all have the same fields
    return _read(rows, columns)


def _read(rows: Sequence[dict[str, Any]], columns: Columns) -> dict[str, Any] | None:
    count = len(rows)
    found: dict[str, Any] = {}
    try:
        for name, kind, get in columns.each:
            values = found[name] = [*map(get, rows)]
            if countOf(map(type, values), kind) != count or (kind is str and "" in values):
                return None
    except KeyError:
        return None  # not all have the same fields
    if "s" in found and not isfinite(sum(found["s"])):
        return None
    metadatas = found.get("m")
    if metadatas is not None:
        has = ("doc" in found, TEXTS in found, "s" in found)
        known = _metadata_with(frozenset().union(*metadatas), has)
        if not known.is_plain:
            return None
        if known.document is not None:
            documents = [metadata.get(known.document) for metadata in metadatas]
            if not _are_all(str, documents) or "" in documents:
                return None
            found["doc"] = documents
    if columns.score_word is not None:
        found["sk"] = columns.score_word
    if columns.rest:
        _put_beside(found, rows, columns.rest)
    if TEXTS not in found:
        found[TEXTS] = [None] * count
    return found


def _are_all(kind: type, values: Sequence[Any]) -> bool:
    """Whether each is exactly of that type."""
    return countOf(map(type, values), kind) == len(values)  # cheaper than a set of them


def _put_beside(found: dict[str, Any], rows: Sequence[dict[str, Any]], rest: tuple[str, ...]) -> None:
    beside = [{key: row[key] for key in rest if is_metadata(row[key])} for row in rows]
    if any(beside):
        metadatas: Sequence[dict[str, Any]] = found.get("m") or ({},) * len(rows)
        found["m"] = [{**more, **metadata} for more, metadata in zip(beside, metadatas, strict=True)]


@lru_cache(maxsize=1_000)
def _columns_of(keys: tuple[Any, ...], word: str, plain_score_word: str | None) -> Columns | None:
    plan = field_plan(keys, word)
    if (
        plan.store is not None
        or not plan.ids
        or plan.inners
        or plan.parents
        or plan.is_message
        or "relationships" in keys
    ):
        return None
    if len(plan.metadatas) > 1:
        return None
    if plan.documents and plan.documents[:1] == plan.texts[:1]:
        return None
    found = (
        ("id", str, plan.ids),
        ("doc", str, plan.documents),
        ("s", float, [key for key, _word in plan.scores]),
        ("m", dict, plan.metadatas),
        (TEXTS, str, plan.texts),
    )
    each = tuple(Column(name, kind, itemgetter(names[0])) for name, kind, names in found if names)
    score_word = (plan.scores[0][1] or plain_score_word) if plan.scores else None
    return Columns(each, score_word, plan.rest, len(keys), reads_all=len(each) == len(keys))


class _Metadata(NamedTuple):
    """What is read out of metadata with certain keys."""

    is_plain: bool
    """At most the document: it is kept as it is."""
    document: str | None = None
    """The key that names the document, where the hit itself does not."""


@lru_cache(maxsize=2_000)
def _metadata_with(keys: frozenset[Any], has: tuple[bool, bool, bool]) -> _Metadata:
    """Metadata with these keys, of hits that have a document, a text, a score of their own."""
    plan = metadata_plan(tuple(keys))
    has_document, has_text, has_score = has
    if (
        plan.ids
        or plan.parents
        or plan.keep is not None
        or plan.nested is not None
        or (plan.texts and not has_text)
        or (plan.scores and not has_score)
    ):
        return _Metadata(is_plain=False)
    return _Metadata(is_plain=True, document=plan.documents[0] if plan.documents and not has_document else None)
