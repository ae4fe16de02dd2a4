"""Word counts of many texts as columns: h, the number of what they stand in, and how often."""

from __future__ import annotations

from array import array
from collections.abc import Callable

import duckdb
import numpy as np

from .arrow import columns
from .columns import insert_table
from .words import stem, word_hash

_REMEMBERED = 200_000
"""How many words keep their hash in memory."""
_LONGEST = 64
"""Longer runs of letters are cut, as `words.stems` does."""


class WordHashes(dict[str, int]):
    """Word -> its hash, each worked out once."""

    def __init__(self, root: Callable[[str], str]) -> None:
        super().__init__()
        self._root = root

    def __missing__(self, word: str) -> int:
        if len(self) > _REMEMBERED:
            self.clear()
        found = self[word] = word_hash(self._root(word))
        return found


def root_of(word: str) -> str:
    """A word of a text as passages are searched by it."""
    return stem(word[:_LONGEST])


ROOTS = WordHashes(root_of)
"""Hashes of words without their inflection."""
WORDS = WordHashes(str)
"""Hashes of words as they stand."""


class WordColumns:
    """The word counts of one transaction."""

    def __init__(self, hashes: WordHashes) -> None:
        self._hash = hashes.__getitem__
        self._h = array("I")
        """Of every word of every text, one text after the other."""
        self._keys: list[int] = []
        self._lengths: list[int] = []
        """How many words each text has."""

    def add(self, key: int, found: list[str]) -> None:
        """The words of one text, with repetitions."""
        self._h.fromlist(list(map(self._hash, found)))
        self._keys.append(key)
        self._lengths.append(len(found))

    def insert(self, cursor: duckdb.DuckDBPyConnection, table: str, key: str) -> None:
        """Inserts the rows, by word: whoever looks for one skips the others."""
        if not self._h:
            return
        keys = np.array(self._keys, np.int64)
        order = np.argsort(keys, kind="stable")
        places = np.empty(len(keys), np.uint64)
        places[order] = np.arange(len(keys), dtype=np.uint64)  # of each text among all, by number
        words = np.frombuffer(self._h, np.uint32).astype(np.uint64) << np.uint64(32)
        found, counts = np.unique(words | np.repeat(places, self._lengths), return_counts=True)
        made = {
            "h": (found >> np.uint64(32)).astype(np.uint32),
            key: keys[order][found & np.uint64(0xFFFFFFFF)],
            "tf": counts.astype(np.int32),
        }
        insert_table(cursor, table, columns(made))
