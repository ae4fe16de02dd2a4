"""Numbers for distinct values: texts, descriptions, chunks and resources are stored once and named by a number.

Numbers are given out in order from 1, so that a column of them packs well: a hit costs a few bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import duckdb
import orjson

from .columns import registered
from .row import number
from .vocabulary import Vocabulary

_REMEMBERED = 200_000
"""How many digests are kept in memory (about 30 MB); beyond that the store is asked again."""


_RECENT = 20_000
_SHORT = 2_000
"""How many values are remembered as they are, and how many characters each may have."""


class Settled(NamedTuple):
    """The numbers of a batch of values."""

    keys: dict[bytes, int]
    new: frozenset[bytes]
    """Digests that have no row yet: the caller inserts one each."""


class Numbered(NamedTuple):
    """The numbers of values that were given in an order."""

    keys: list[int]
    """Of each value."""
    new: list[tuple[int, bytes]]
    """Place and digest of those that have no row yet: the caller inserts one each."""


class _Wanted(NamedTuple):
    digest: bytes


class Numbers:
    """Numbers of one table, whose key column is `key` and which has a `digest` column.

    Only called by the writer that holds the lock. After a failed transaction `forget` must be called.
    """

    def __init__(self, table: str, key: str) -> None:
        self._table = table
        self._key = key
        self._known: dict[bytes, int] = {}
        self._knows_all: bool | None = None
        """`_known` is the whole table, so what is not in it is new. None: nothing was asked yet."""
        self._next: int | None = None
        self._recent: dict[tuple[str | None, ...], int] = {}
        """Values themselves, so that their digest need not be worked out again."""

    def number(
        self,
        cursor: duckdb.DuckDBPyConnection,
        values: Sequence[tuple[str | None, ...]],
        digest: Callable[[tuple[str | None, ...]], bytes],
    ) -> Numbered:
        """The numbers of these values, no two the same; new ones get the next free numbers, in the order given."""
        recent = self._recent
        keys = [recent.get(value, 0) for value in values]  # numbers begin with 1
        missing = [place for place, key in enumerate(keys) if not key]
        digests = [digest(values[place]) for place in missing]
        settled = self.settle(cursor, digests)
        if len(recent) > _RECENT:
            recent.clear()
        for place, one in zip(missing, digests, strict=True):
            keys[place] = settled.keys[one]
            if sum(map(len, filter(None, values[place]))) <= _SHORT:
                recent[values[place]] = keys[place]
        return Numbered(keys, [(place, one) for place, one in zip(missing, digests, strict=True) if one in settled.new])

    def settle(self, cursor: duckdb.DuckDBPyConnection, digests: Iterable[bytes]) -> Settled:
        """The number of each digest; new ones get the next free numbers, in the order given."""
        if self._knows_all is None:
            self._learn(cursor)
        elif len(self._known) > _REMEMBERED:
            self._known.clear()
            self._knows_all = False
        wanted = dict.fromkeys(digests)
        missing = [digest for digest in wanted if digest not in self._known]
        if missing and not self._knows_all:
            self._known.update(self._stored(cursor, missing))
            missing = [digest for digest in missing if digest not in self._known]
        if missing:
            start = self._first_free(cursor)
            self._known.update(zip(missing, range(start, start + len(missing)), strict=True))
            self._next = start + len(missing)
        return Settled({digest: self._known[digest] for digest in wanted}, frozenset(missing))

    def forget(self) -> None:
        """Drops what is remembered: numbers given out in a transaction that failed are free again."""
        self._known.clear()
        self._recent.clear()
        self._knows_all = None
        self._next = None

    def _learn(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Reads the whole table where it is not too large: then no batch needs to ask again."""
        # Table and column are names from this package.
        self._knows_all = number(cursor, f"select count(*) from {self._table}") <= _REMEMBERED
        if self._knows_all:
            self._known.update(cursor.execute(f"select digest, {self._key} from {self._table}").fetchall())

    def _stored(self, cursor: duckdb.DuckDBPyConnection, digests: list[bytes]) -> list[tuple[bytes, int]]:
        sql = f"select t.digest, t.{self._key} from {self._table} t join wanted w on t.digest = w.digest"
        with registered(cursor, "wanted", [_Wanted(digest) for digest in digests]):
            return cursor.execute(sql).fetchall()

    def _first_free(self, cursor: duckdb.DuckDBPyConnection) -> int:
        if self._next is None:
            self._next = number(cursor, f"select coalesce(max({self._key}), 0) + 1 from {self._table}")
        return self._next


class Dictionaries(NamedTuple):
    """What the writer remembers between batches, so that it need not ask again."""

    texts: Numbers
    chunks: Numbers
    metas: Numbers
    passages: Numbers
    resources: Numbers
    versions: Numbers
    vocabulary: Vocabulary

    def forget(self) -> None:
        """After a failed transaction: numbers given out in it are free again."""
        for numbers in (self.texts, self.chunks, self.metas, self.passages, self.resources, self.versions):
            numbers.forget()
        self.vocabulary.forget()


def new_dictionaries() -> Dictionaries:
    """Empty ones; they learn from the tables as they are asked."""
    return Dictionaries(
        texts=Numbers("texts", "text_key"),
        chunks=Numbers("chunks", "chunk_key"),
        metas=Numbers("metas", "meta_key"),
        passages=Numbers("passages", "passage_key"),
        resources=Numbers("resources", "resource_key"),
        versions=Numbers("chunk_versions", "version_key"),
        vocabulary=Vocabulary(),
    )


def digest_of(*parts: str | int | None) -> bytes:
    """16 bytes that name these values together."""
    try:
        joined = orjson.dumps(parts)
    except TypeError:  # lone surrogates
        joined = json.dumps(parts).encode()
    return hashlib.blake2b(joined, digest_size=16).digest()
