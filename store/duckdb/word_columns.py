"""Word counts of many texts as columns: h, the number of what they stand in, and how often."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable

import duckdb
import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]

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
        self._keys = array("q")
        self._counts = array("i")

    def add(self, key: int, found: list[str]) -> None:
        """The words of one text, with repetitions."""
        counts = Counter(map(self._hash, found))
        self._h.extend(counts.keys())
        self._counts.extend(counts.values())
        self._keys.extend([key] * len(counts))

    def insert(self, cursor: duckdb.DuckDBPyConnection, table: str, key: str) -> None:
        """Inserts the rows, by word: whoever looks for one skips the others."""
        if not self._h:
            return
        h, keys, counts = np.frombuffer(self._h, np.uint32), np.frombuffer(self._keys, np.int64), np.array(self._counts)
        order = np.lexsort((keys, h))
        insert_table(cursor, table, pa.table({"h": h[order], key: keys[order], "tf": counts[order].astype(np.int32)}))
