"""Texts, each kept once; a prompt is kept as the passages in it and what stands between them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import duckdb

from .columns import insert
from .encoding import dumps, loads
from .numbers import Numbers
from .row import rows_of

SHORTEST_PART = 48
"""Shorter passages are not looked for inside a prompt: the reference would cost as much as the text."""

ANSWER_KEY = 0
"""In place of the number of a stage's text: it is the request's answer, letter for letter, and no row of `texts`."""


class TextRow(NamedTuple):
    """A row of `texts`."""

    text_key: int
    digest: bytes
    text_hash: str | None
    """`model.text_hash` as the recording gave it; None for texts that are no passages."""
    text: str | None
    parts: str | None
    """Instead of `text`: JSON list of strings and of the numbers of other texts."""


def text_digest(text: str | None, text_hash: str | None) -> bytes:
    """16 bytes that name a text exactly, white space included, together with the hash it was recorded with."""
    return hashlib.blake2b(_marked(text_hash) + b"\x00" + _marked(text), digest_size=16).digest()


def _marked(text: str | None) -> bytes:
    """Nothing is told from an empty text."""
    return b"" if text is None else b"=" + text.encode("utf-8", "surrogatepass")


def _digest(named: tuple[str | None, ...]) -> bytes:
    text, text_hash = named
    return text_digest(text, text_hash)


_Named = tuple[str | None, str | None]
"""(text, its hash)."""
_NOTHING: _Named = (None, None)


class TextBatch:
    """The texts of one transaction: first everything is named, then settled, then numbers are asked for."""

    def __init__(self, numbers: Numbers) -> None:
        self._numbers = numbers
        self._places: dict[_Named, int] = {_NOTHING: 0}
        """What was named -> its place in `keys`."""
        self._passages: dict[int, tuple[str, ...]] = {}
        """Place -> passages that may stand in that text."""
        self._by_text: dict[str, int] = {}
        self.keys: list[int | None] = [None]
        """The number of each place, once settled; None at place 0, which is no text."""

    def name(self, text: str | None, text_hash: str | None = None, *, passages: tuple[str, ...] = ()) -> None:
        """Says that this text is needed. A text that is named as a passage already needs no second row."""
        if text_hash is None and (text is None or text in self._by_text):
            return
        place = self._places.setdefault((text, text_hash), len(self._places))
        if text is not None:
            self._by_text.setdefault(text, place)
        if passages:
            self._passages.setdefault(place, passages)

    def place(self, text: str | None, text_hash: str | None) -> int:
        """The place of a text of a hit, which is named by that."""
        place = self._places.setdefault((text, text_hash), len(self._places))
        if text is not None:
            self._by_text.setdefault(text, place)
        return place

    def place_of(self, text: str) -> int:
        """The place of a text that was named."""
        return self._by_text[text]

    def settle(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Gives every named text its number and inserts the new ones."""
        named = list(self._places)[1:]
        keys, new = self._numbers.number(cursor, named, _digest)
        self.keys += keys
        insert(cursor, "texts", [self._row(at + 1, digest, *named[at]) for at, digest in new])

    def key(self, text: str | None, text_hash: str | None = None) -> int | None:
        """The number of a text that was named; None for no text without a hash."""
        place = self._places.get((text, text_hash))
        if place is None and text is not None and text_hash is None:
            place = self._by_text[text]
        return None if place is None else self.keys[place]

    def _row(self, place: int, digest: bytes, text: str | None, text_hash: str | None) -> TextRow:
        key = self.keys[place]
        passages = self._passages.get(place, ())
        parts = split(text, passages) if text is not None and passages else []
        if len(parts) < 2:
            return TextRow(key or 0, digest, text_hash, text, None)
        numbered = [part if is_literal else self.key(part) for part, is_literal in parts]
        return TextRow(key or 0, digest, text_hash, None, dumps(numbered))


class Part(NamedTuple):
    """A piece of a text."""

    text: str
    is_literal: bool


def split(text: str, passages: Sequence[str]) -> list[Part]:
    """`text` cut at the first place of each passage in it, longest passages first; joined it is `text` again. Where
    there is one passage and the text ends with it, as a card does, it is cut there.
    """
    if len(passages) == 1 and SHORTEST_PART <= len(passages[0]) < len(text) and text.endswith(passages[0]):
        return [Part(text[: -len(passages[0])], is_literal=True), Part(passages[0], is_literal=False)]
    places: list[tuple[int, str]] = []
    taken: list[tuple[int, int]] = []
    # Most passages are not in it: one of their words alone says so, or else their beginning.
    shorter = [passage for passage in passages if SHORTEST_PART <= len(passage) < len(text)]
    words = set(text.split()) if shorter else set()
    inside = {
        passage
        for passage in shorter
        if words.issuperset(_inner_words(passage[:SHORTEST_PART])) and passage[:SHORTEST_PART] in text
    }
    for passage in sorted(inside, key=lambda passage: (-len(passage), passage)):
        start = text.find(passage)
        end = start + len(passage)
        if start >= 0 and all(end <= other_start or start >= other_end for other_start, other_end in taken):
            places.append((start, passage))
            taken.append((start, end))
    parts: list[Part] = []
    position = 0
    for start, passage in sorted(places):
        if start > position:
            parts.append(Part(text[position:start], is_literal=True))
        parts.append(Part(passage, is_literal=False))
        position = start + len(passage)
    if position < len(text):
        parts.append(Part(text[position:], is_literal=True))
    return parts


@lru_cache(maxsize=8192)
def _inner_words(beginning: str) -> tuple[str, ...]:
    """The words that stand in any text that holds this beginning of a passage: all but the first and the last."""
    return tuple(beginning.split()[1:-1])


class StoredText(NamedTuple):
    """A text as it was recorded."""

    text: str | None
    """None where only its hash is known, or where bodies were not asked for."""
    text_hash: str | None


def texts_of(cursor: duckdb.DuckDBPyConnection, keys: Iterable[int]) -> dict[int, str]:
    """Number -> text, for the texts that are known."""
    return {key: found.text for key, found in stored_texts(cursor, keys).items() if found.text is not None}


def stored_texts(cursor: duckdb.DuckDBPyConnection, keys: Iterable[int]) -> dict[int, StoredText]:
    """Number -> text with its hash. Texts kept as parts are put together again."""
    rows = _fetch(cursor, "text_key, text_hash, text, parts", keys)
    in_parts = {key: loads(parts) for key, _, _, parts in rows if parts is not None}
    whole = {key: text for key, _, text, _ in rows if text is not None}
    needed = {part for parts in in_parts.values() for part in parts if isinstance(part, int)} - whole.keys()
    pieces = {**whole, **texts_of(cursor, needed)} if needed else whole
    for key, parts in in_parts.items():
        whole[key] = "".join(part if isinstance(part, str) else pieces[part] for part in parts)
    return {key: StoredText(whole.get(key), text_hash) for key, text_hash, _, _ in rows}


def stored_hashes(cursor: duckdb.DuckDBPyConnection, keys: Iterable[int]) -> dict[int, StoredText]:
    """As `stored_texts`, without reading a body."""
    return {key: StoredText(None, text_hash) for key, text_hash in _fetch(cursor, "text_key, text_hash", keys)}


def _fetch(cursor: duckdb.DuckDBPyConnection, columns: str, keys: Iterable[int]) -> list[tuple[Any, ...]]:
    """Rows of these numbers. As a list they let DuckDB skip what it need not read; written out they do not."""
    wanted = sorted(set(keys))
    if not wanted:
        return []
    sql = f"select {columns} from texts where text_key in (select unnest(?::bigint[]))"
    return rows_of(cursor, sql, [wanted])
