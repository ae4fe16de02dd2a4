"""The words that were ever seen, so that a part of a word finds it."""

from __future__ import annotations

from collections.abc import Collection

import duckdb

from .columns import insert, registered
from .row import number
from .rows import VocabularyWord
from .words import word_hash

_REMEMBERED = 300_000
"""How many words are kept in memory (about 40 MB); beyond that the table is asked."""


class Vocabulary:
    """The table `vocabulary`, remembered. Only called by the writer that holds the lock."""

    def __init__(self) -> None:
        self._known: set[str] = set()
        self._knows_all: bool | None = None
        """`_known` is the whole table. None: nothing was asked yet."""

    def unknown(self, cursor: duckdb.DuckDBPyConnection, found: Collection[str]) -> set[str]:
        """Those of the words that may be new."""
        if self._knows_all is None:
            self._knows_all = number(cursor, "select count(*) from vocabulary") <= _REMEMBERED
            if self._knows_all:
                self._known.update(word for (word,) in cursor.execute("select word from vocabulary").fetchall())
        return set(found) - self._known

    def add(self, cursor: duckdb.DuckDBPyConnection, found: Collection[str]) -> None:
        """Adds the words that are not there yet."""
        rows = [VocabularyWord(word_hash(word), word) for word in sorted(self.unknown(cursor, found))]
        if not rows:
            return
        if self._knows_all:
            insert(cursor, "vocabulary", rows)
        else:
            _insert_missing(cursor, rows)
        self._known.update(row.word for row in rows)
        if len(self._known) > _REMEMBERED:
            self._known.clear()
            self._knows_all = False

    def forget(self) -> None:
        """After a failed transaction."""
        self._known.clear()
        self._knows_all = None


def _insert_missing(cursor: duckdb.DuckDBPyConnection, rows: list[VocabularyWord]) -> None:
    with registered(cursor, "arriving", rows):
        cursor.execute(
            "insert into vocabulary(h, word) select a.h, a.word from arriving a "
            "where not exists (select 1 from vocabulary v where v.h = a.h and v.word = a.word)"
        )
