"""The words that were ever seen, so that a part of a word finds it."""

from __future__ import annotations

from collections.abc import Iterable

import duckdb

from .columns import registered
from .rows import VocabularyWord
from .words import word_hash


def add_words(cursor: duckdb.DuckDBPyConnection, found: Iterable[str]) -> None:
    """Adds the words that are not there yet."""
    rows = [VocabularyWord(word_hash(word), word) for word in dict.fromkeys(found)]
    if not rows:
        return
    with registered(cursor, "arriving", rows):
        cursor.execute(
            "insert into vocabulary(h, word) select a.h, a.word from arriving a "
            "where not exists (select 1 from vocabulary v where v.h = a.h and v.word = a.word)"
        )
