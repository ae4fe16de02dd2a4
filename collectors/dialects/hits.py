"""Lists of hits from their HITS attributes: texts carried once a request, ranks as recorded, ids.

The most frequent thing that an ingester does, so it goes by column; a hit that is odd in some way takes a longer way.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from ...model import (
    DERIVED_ID_PREFIX,
    Completeness,
    HitColumns,
    IdSource,
    ScoreKind,
    TextState,
    derived_chunk_id,
    text_hash,
    wire,
)
from .hit_form import HitForm
from .reading import ChunkBook, KnownText
from .values import as_count, as_id, as_score

PARENT_KEYS: Final = ("parent_id", "parent_chunk_id", "parent_doc_id", "parent_node_id", "parent")
"""Metadata keys that name the larger chunk, in the order in which they are tried."""

_ANY_PARENT_KEY: Final = frozenset(PARENT_KEYS)
_ID_SOURCES: Final = frozenset(source.value for source in IdSource)
_SCORE_KINDS: Final = frozenset(kind.value for kind in ScoreKind)
_STATES: Final = {state.value: state for state in Completeness}
_WITHOUT_LIST: Final = (Completeness.NOT_RECORDED, Completeness.SUPPRESSED, Completeness.REDACTED)
"""States in which a writer says on purpose that there is no list."""
_CACHED_LENGTH: Final = 4096
"""Longest text, in characters, whose hash is kept for the next request."""
_NOTHING: Final[dict[str, Any]] = {}
_DERIVED: Final = IdSource.DERIVED.value
_NOT_RECEIVED_STATE: Final = TextState.NOT_RECEIVED.value


class HitList(NamedTuple):
    """A list as read."""

    columns: HitColumns | None = None
    """None: the stage has no list, or it could not be read."""
    length: int | None = None
    missing_top: int = 0
    completeness: Completeness = Completeness.COMPLETE
    shape: str | None = None
    trouble: str = ""
    """What is wrong with it in words: "is not readable", "holds 1 hit that is not readable"."""


_NO_TEXT: Final = KnownText(None, None, TextState.NOT_CAPTURED.value)
_HIDDEN: Final = KnownText(None, None, TextState.REDACTED.value)
_NOT_RECEIVED: Final = KnownText(None, None, _NOT_RECEIVED_STATE)


def collect_texts(form: HitForm, book: ChunkBook) -> None:
    """Adds the texts that a list carries; the first carrier of a number counts: a number never means two texts."""
    columns = form.columns
    numbers = columns.get(wire.HIT_TEXT_NUMBER)
    if numbers is None or not (wire.HIT_TEXT in columns or wire.HIT_REDACTED in columns):
        return
    known = book.texts_of(form.scope)
    for number, own in zip(numbers, _own_texts(form), strict=True):
        if own is not None and isinstance(number, int) and number not in known:
            known[number] = own


def collect_indexes(form: HitForm, book: ChunkBook, *, index: str, list_id: str) -> None:
    """Adds the index in which a list found its chunks."""
    for chunk_id in _chunk_ids(form, _find_texts(form, book), list_id)[0]:
        book.add_index(chunk_id, index)


def read_list(form: HitForm, book: ChunkBook, *, index: str | None, list_id: str) -> HitList:
    """A list with its texts.

    `index` is what the stage itself searched; `list_id` names the list where a hit has neither id nor text.
    """
    head = form.head
    state = _state(head.get(wire.HITS_STATE))
    shape = head.get(wire.HITS_SHAPE)
    shape = shape if isinstance(shape, str) else None
    length = as_count(head.get(wire.HITS_LENGTH))
    if not form.has_list:
        said = (
            state if state in _WITHOUT_LIST and wire.HITS_LIST not in head and wire.HITS_COLUMNS not in head else None
        )
        trouble = "" if said is not None else "is not readable"
        return HitList(None, length, 0, said or Completeness.NOT_RECORDED, shape, trouble)
    columns = _read_columns(form, book, index, list_id)
    trouble = ""
    if form.unreadable:
        many = len(form.unreadable)
        trouble = "holds 1 hit that is not readable" if many == 1 else f"holds {many} hits that are not readable"
    if state is Completeness.COMPLETE:
        state = _judge(form, columns, length)
    return HitList(columns, length if length is not None else form.total, form.missing_top, state, shape, trouble)


def _judge(form: HitForm, columns: HitColumns, length: int | None) -> Completeness:
    """A list that claims to be complete: is it?"""
    if length is not None and length > form.total:
        return Completeness.TRUNCATED
    if form.unreadable:
        return Completeness.PARTLY_READABLE
    if _NOT_RECEIVED_STATE in columns.text_states:
        return Completeness.TEXT_NOT_RECEIVED
    return Completeness.COMPLETE


def _read_columns(form: HitForm, book: ChunkBook, index: str | None, list_id: str) -> HitColumns:
    get = form.columns.get
    count = form.total
    texts = _find_texts(form, book)
    chunk_ids, sources = _chunk_ids(form, texts, list_id)
    metas = get(wire.HIT_METADATA)
    metadata = [meta if type(meta) is dict else _NOTHING for meta in metas] if metas is not None else [_NOTHING] * count
    scores, notes = _scores(get(wire.HIT_SCORE), count)
    first = form.missing_top + 1
    return HitColumns(
        ranks=range(first, first + count),
        chunk_ids=chunk_ids,
        id_sources=sources,
        doc_ids=_ids(get(wire.HIT_DOC), count),
        indexes=[index] * count if index else [book.find_index(chunk_id) for chunk_id in chunk_ids],
        scores=scores,
        score_kinds=_members(get(wire.HIT_SCORE_KIND), _SCORE_KINDS, ScoreKind.UNKNOWN.value, count),
        score_notes=notes,
        texts=[known.text for known in texts],
        text_hashes=[known.text_hash for known in texts],
        text_states=[known.state for known in texts],
        metadata=metadata,
        parent_ids=_parents(get(wire.HIT_PARENT), metadata, count),
    )


def _ids(values: list[Any] | None, count: int) -> list[str | None]:
    if values is None:
        return [None] * count
    return [value if type(value) is str and value else as_id(value) for value in values]


def _chunk_ids(form: HitForm, texts: list[KnownText], list_id: str) -> tuple[list[str], list[str]]:
    """The chunk ids and where they came from."""
    found = _ids(form.columns.get(wire.HIT_ID), form.total)
    sources = _members(form.columns.get(wire.HIT_ID_SOURCE), _ID_SOURCES, IdSource.FIELD.value, form.total)
    if None not in found:
        return [chunk_id for chunk_id in found if chunk_id is not None], sources
    made = [chunk_id or _make_id(form, place, texts[place], list_id) for place, chunk_id in enumerate(found)]
    return made, [source if found[place] else _DERIVED for place, source in enumerate(sources)]


def _make_id(form: HitForm, place: int, known: KnownText, list_id: str) -> str:
    """The id of a hit that came without one.

    From its text. Where that never came, from the number of the text: inside this request the same number is
    the same text. A hit with neither gets an id that nothing else has, so that it keeps its rank and never matches.
    """
    rank = form.missing_top + place + 1
    if place in form.unreadable:
        return f"{DERIVED_ID_PREFIX}unreadable:{list_id}:{rank}"
    if known.text is not None:
        return derived_chunk_id(known.text)
    numbers = form.columns.get(wire.HIT_TEXT_NUMBER)
    if numbers is not None and isinstance(numbers[place], int):
        return f"{DERIVED_ID_PREFIX}not-received:{form.scope}:{numbers[place]}"
    return f"{DERIVED_ID_PREFIX}no-text:{list_id}:{rank}"


def _members(values: list[Any] | None, known: frozenset[str], default: str, count: int) -> list[str]:
    if values is None:
        return [default] * count
    return [value if isinstance(value, str) and value in known else default for value in values]


def _scores(values: list[Any] | None, count: int) -> tuple[list[float | None], Sequence[str | None]]:
    """Finite scores, and what stood in place of one that is none."""
    nothing: list[None] = [None] * count
    if values is None:
        return list(nothing), nothing
    scores = [as_score(value) for value in values]
    if None not in scores:
        return scores, nothing
    return scores, [_score_note(value) for value in values]


def _score_note(value: object) -> str | None:
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    if not isinstance(value, float) or math.isfinite(value):
        return None
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _parents(values: list[Any] | None, metadata: list[dict[str, Any]], count: int) -> list[str | None]:
    """The larger chunk of each hit, as the hit says or as its metadata does."""
    parents = _ids(values, count)
    for place, meta in enumerate(metadata):
        if meta and parents[place] is None and not _ANY_PARENT_KEY.isdisjoint(meta):
            parents[place] = _find_parent(meta)
    return parents


def _find_parent(metadata: dict[str, Any]) -> str | None:
    return next((parent for key in PARENT_KEYS if (parent := as_id(metadata.get(key))) is not None), None)


def _find_texts(form: HitForm, book: ChunkBook) -> list[KnownText]:
    """The text of each hit: by its number, else the one that it carries itself."""
    numbers = form.columns.get(wire.HIT_TEXT_NUMBER)
    if numbers is None:
        return [own or _NO_TEXT for own in _own_texts(form)]
    known = book.texts_of(form.scope)
    found = [known.get(number, _NOT_RECEIVED) if type(number) is int else _NO_TEXT for number in numbers]
    if _NO_TEXT in found:
        own_texts = _own_texts(form)
        found = [own or _NO_TEXT if text is _NO_TEXT else text for text, own in zip(found, own_texts, strict=True)]
    return found


def _own_texts(form: HitForm) -> list[KnownText | None]:
    """The texts that the hits of a list carry themselves."""
    texts = form.columns.get(wire.HIT_TEXT)
    cuts = form.columns.get(wire.HIT_CUT)
    hidden = form.columns.get(wire.HIT_REDACTED)
    nothing: list[None] = [None] * form.total
    if cuts is None and hidden is None:
        if texts is None:
            return list(nothing)
        state = TextState.KNOWN.value
        return [KnownText(text, hash_of(text), state) if isinstance(text, str) else None for text in texts]
    rows = zip(texts or nothing, cuts or nothing, hidden or nothing, strict=True)
    return [_own_text(text, cut, redacted=bool(redacted)) for text, cut, redacted in rows]


def _own_text(text: object, cut: object, *, redacted: bool) -> KnownText | None:
    if not isinstance(text, str):
        return _HIDDEN if redacted else None
    state = TextState.REDACTED if redacted else TextState.KNOWN if cut is None else TextState.CUT
    return KnownText(text, hash_of(text), state.value)


def hash_of(text: str) -> str:
    """The hash of a text; of short ones it is kept."""
    return _hash_short(text) if len(text) <= _CACHED_LENGTH else text_hash(text)


def hashes_of(texts: Sequence[str | None]) -> list[str | None]:
    """The hashes of the texts of a list; None where there is no text."""
    known = [text for text in texts if text is not None]
    if len(known) == len(texts) and max(map(len, known), default=0) <= _CACHED_LENGTH:
        return list(map(_hash_short, known))
    return [None if text is None else hash_of(text) for text in texts]


@lru_cache(maxsize=8192)
def _hash_short(text: str) -> str:
    """Chunks come back in request after request; normalising them again is most of what reading a hit costs."""
    return text_hash(text)


def _state(value: object) -> Completeness:
    return _STATES.get(value, Completeness.COMPLETE) if isinstance(value, str) else Completeness.COMPLETE
