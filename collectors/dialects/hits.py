"""The HITS attribute: one JSON object a list, texts carried once a request (`model.wire`)."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeVar

from ...model import (
    DERIVED_ID_PREFIX,
    Completeness,
    Hit,
    IdSource,
    ScoreKind,
    TextState,
    derived_chunk_id,
    text_hash,
    wire,
)
from .reading import ChunkBook, KnownText
from .values import Json, as_count, as_id, as_score

PARENT_KEYS: Final = ("parent_id", "parent_chunk_id", "parent_doc_id", "parent_node_id", "parent")
"""Metadata keys that name the larger chunk, in the order in which they are tried."""

_ID_SOURCES: Final = {source.value: source for source in IdSource}
_SCORE_KINDS: Final = {kind.value: kind for kind in ScoreKind}
_STATES: Final = {state.value: state for state in Completeness}
_WITHOUT_LIST: Final = (Completeness.NOT_RECORDED, Completeness.SUPPRESSED, Completeness.REDACTED)
"""States in which a writer says on purpose that there is no list."""
_CACHED_LENGTH: Final = 4096
"""Longest text, in characters, whose hash is kept for the next request."""
_Member = TypeVar("_Member")


class HitList(NamedTuple):
    """A list as read."""

    hits: tuple[Hit, ...] | None = None
    """None: the stage has no list, or it could not be read."""
    length: int | None = None
    missing_top: int = 0
    completeness: Completeness = Completeness.COMPLETE
    shape: str | None = None
    trouble: bool = False
    """Something was recorded that is no list."""


_NO_TEXT: Final = KnownText(None, None, TextState.NOT_CAPTURED)
_HIDDEN: Final = KnownText(None, None, TextState.REDACTED)
_NOT_RECEIVED: Final = KnownText(None, None, TextState.NOT_RECEIVED)


def collect_texts(parsed: Json, book: ChunkBook) -> None:
    """Adds the texts that a parsed HITS attribute carries; one that is no list carries none."""
    if not isinstance(parsed, dict) or not isinstance(parsed.get(wire.HITS_LIST), list):
        return
    scope = str(parsed.get(wire.HITS_SCOPE, ""))
    for item in parsed[wire.HITS_LIST]:
        if isinstance(item, dict) and isinstance(item.get(wire.HIT_TEXT_NUMBER), int):
            own = _own_text(item)
            if own is not None:
                book.add_text(scope, item[wire.HIT_TEXT_NUMBER], own)


def collect_indexes(parsed: Json, book: ChunkBook, *, index: str, list_id: str) -> None:
    """Adds the index of every hit of a parsed HITS attribute."""
    if not isinstance(parsed, dict) or not isinstance(parsed.get(wire.HITS_LIST), list):
        return
    scope = str(parsed.get(wire.HITS_SCOPE, ""))
    for rank, item in enumerate(parsed[wire.HITS_LIST], start=_missing_top(parsed) + 1):
        if isinstance(item, dict):
            chunk_id = as_id(item.get(wire.HIT_ID))
            book.add_index(chunk_id or _make_id(item, rank, scope, _find_text(item, scope, book), list_id), index)


def read_list(parsed: Json, book: ChunkBook, *, index: str | None, list_id: str) -> HitList:
    """A parsed HITS attribute with its texts.

    `index` is what the stage itself searched; `list_id` names the list where a hit has neither id nor text.
    """
    if not isinstance(parsed, dict):
        return HitList(completeness=Completeness.NOT_RECORDED, trouble=True)
    state = _lookup(_STATES, parsed.get(wire.HITS_STATE), Completeness.COMPLETE)
    shape = parsed.get(wire.HITS_SHAPE)
    shape = shape if isinstance(shape, str) else None
    length = as_count(parsed.get(wire.HITS_LENGTH))
    items = parsed.get(wire.HITS_LIST)
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        said = state if state in _WITHOUT_LIST and items is None else None
        return HitList(None, length, 0, said or Completeness.NOT_RECORDED, shape, trouble=said is None)
    missing_top = _missing_top(parsed)
    read = _HitReader(str(parsed.get(wire.HITS_SCOPE, "")), book, index, list_id).read
    hits = tuple([read(item, rank) for rank, item in enumerate(items, start=missing_top + 1)])
    if state is Completeness.COMPLETE:
        state = _judge(hits, length)
    return HitList(hits, length if length is not None else len(items), missing_top, state, shape)


def _missing_top(parsed: dict[str, Any]) -> int:
    """How many of the best ranks a parsed list lacks."""
    length = as_count(parsed.get(wire.HITS_LENGTH))
    if parsed.get(wire.HITS_STATE) != Completeness.TOP_MISSING or length is None:
        return 0
    return max(0, length - len(parsed[wire.HITS_LIST]))


def _judge(hits: tuple[Hit, ...], length: int | None) -> Completeness:
    """A list that claims to be complete: is it?"""
    if length is not None and length > len(hits):
        return Completeness.TRUNCATED
    if any(hit.text_state is TextState.NOT_RECEIVED for hit in hits):
        return Completeness.TEXT_NOT_RECEIVED
    return Completeness.COMPLETE


class _HitReader:
    """Reads the items of one list. The most frequent thing that an ingester does, so it takes short ways."""

    def __init__(self, scope: str, book: ChunkBook, index: str | None, list_id: str) -> None:
        self.scope = scope
        self.book = book
        self.index = index
        self.list_id = list_id

    def read(self, item: dict[str, Any], rank: int) -> Hit:
        """One hit."""
        get = item.get
        known = _find_text(item, self.scope, self.book)
        chunk_id = as_id(get(wire.HIT_ID))
        source = _lookup(_ID_SOURCES, get(wire.HIT_ID_SOURCE), IdSource.FIELD)
        if chunk_id is None:
            chunk_id = _make_id(item, rank, self.scope, known, self.list_id)
            source = IdSource.DERIVED
        metadata = get(wire.HIT_METADATA)
        if not isinstance(metadata, dict):
            metadata = {}
        return Hit(
            rank=rank,
            chunk_id=chunk_id,
            id_source=source,
            doc_id=as_id(get(wire.HIT_DOC)),
            index=self.index or self.book.find_index(chunk_id),
            score=as_score(get(wire.HIT_SCORE)),
            score_kind=_lookup(_SCORE_KINDS, get(wire.HIT_SCORE_KIND), ScoreKind.UNKNOWN),
            text=known.text,
            text_hash=known.text_hash,
            text_state=known.state,
            metadata=metadata,
            parent_id=as_id(get(wire.HIT_PARENT)) or (_find_parent(metadata) if metadata else None),
        )


def _find_text(item: dict[str, Any], scope: str, book: ChunkBook) -> KnownText:
    number = item.get(wire.HIT_TEXT_NUMBER)
    if isinstance(number, int):
        return book.find_text(scope, number) or _NOT_RECEIVED
    return _own_text(item) or _NO_TEXT


def _own_text(item: dict[str, Any]) -> KnownText | None:
    text = item.get(wire.HIT_TEXT)
    if item.get(wire.HIT_REDACTED) and not isinstance(text, str):
        return _HIDDEN
    if not isinstance(text, str):
        return None
    if item.get(wire.HIT_REDACTED):
        state = TextState.REDACTED
    else:
        state = TextState.KNOWN if item.get(wire.HIT_CUT) is None else TextState.CUT
    return KnownText(text, _hash(text), state)


def _hash(text: str) -> str:
    return _hash_short(text) if len(text) <= _CACHED_LENGTH else text_hash(text)


@lru_cache(maxsize=8192)
def _hash_short(text: str) -> str:
    """Chunks come back in request after request; normalising them again is most of what reading a hit costs."""
    return text_hash(text)


def _make_id(item: dict[str, Any], rank: int, scope: str, known: KnownText, list_id: str) -> str:
    """The id of a hit that came without one.

    From its text. Where that never came, from the number of the text: inside this request the same number is
    the same text. A hit with neither gets an id that nothing else has, so that it keeps its rank and never matches.
    """
    if known.text is not None:
        return derived_chunk_id(known.text)
    number = item.get(wire.HIT_TEXT_NUMBER)
    if isinstance(number, int):
        return f"{DERIVED_ID_PREFIX}not-received:{scope}:{number}"
    return f"{DERIVED_ID_PREFIX}no-text:{list_id}:{rank}"


def _lookup(table: dict[str, _Member], value: object, default: _Member) -> _Member:
    if value is None:
        return default
    return table.get(value, default) if isinstance(value, str) else default


def _find_parent(metadata: dict[str, Any]) -> str | None:
    for key in PARENT_KEYS:
        if key in metadata:
            parent = as_id(metadata[key])
            if parent is not None:
                return parent
    return None
