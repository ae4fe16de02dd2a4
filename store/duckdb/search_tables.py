"""The tables by which passages and requests are found, made anew from what is stored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import duckdb

from .encoding import loads_optional
from .numbers import Dictionaries
from .passages import PassageIdentity, Passages, heading_of, manifest_heading
from .texts import texts_of
from .word_columns import WORDS, WordColumns
from .words import words

_AT_ONCE = 2000
"""Rows whose texts are in memory at a time."""

_TABLES = ("passages", "passage_words", "vocabulary", "words")
_SEEN = """
select distinct v.chunk_key, v.text_key, m.doc_id, m.metadata, c.chunk_id, null, null
from chunk_versions v join metas m on m.meta_key = v.meta_key join chunks c on c.chunk_key = v.chunk_key
order by v.chunk_key, v.text_key, m.doc_id, m.metadata
"""
_LISTED = """
select distinct k.chunk_key, k.text_key, m.doc_id, m.metadata, c.chunk_id, k.section_path, k.searchable_key
from corpus_chunks k join metas m on m.meta_key = k.meta_key join chunks c on c.chunk_key = k.chunk_key
order by all
"""


class _Row(NamedTuple):
    chunk_key: int
    text_key: int | None
    doc_id: str | None
    metadata: str | None
    chunk_id: str
    section_path: str | None
    searchable_key: int | None


def rebuild_search(cursor: duckdb.DuckDBPyConnection, dictionaries: Dictionaries) -> None:
    """Empties the tables for search and fills them from lists, manifests, questions and answers."""
    for table in _TABLES:
        cursor.execute(f"delete from {table}")
    dictionaries.forget()
    for sql in (_SEEN, _LISTED):
        rows = [_Row(*row) for row in cursor.execute(sql).fetchall()]
        for some in _slices(rows):
            _add_passages(cursor, some, dictionaries)
    rids = [rid for (rid,) in cursor.execute("select rid from requests order by rid").fetchall()]
    for some in _slices(rids):
        _add_request_words(cursor, some, dictionaries)


def _add_passages(cursor: duckdb.DuckDBPyConnection, rows: Sequence[_Row], dictionaries: Dictionaries) -> None:
    keys = {key for row in rows for key in (row.text_key, row.searchable_key) if key is not None}
    texts = texts_of(cursor, keys)
    passages = Passages(dictionaries.passages, dictionaries.vocabulary)
    for row in rows:
        text = None if row.text_key is None else texts.get(row.text_key)
        searchable = None if row.searchable_key is None else texts.get(row.searchable_key)
        metadata = loads_optional(row.metadata) or {}
        heading = heading_of(metadata)
        if row.section_path is not None or searchable is not None:
            heading = manifest_heading(row.section_path, metadata, text, searchable)
        identity = PassageIdentity(row.chunk_key, row.text_key, row.doc_id, heading)
        passages.name(identity, chunk_id=row.chunk_id, text=text)
    passages.settle(cursor)


def _add_request_words(cursor: duckdb.DuckDBPyConnection, rids: Sequence[int], dictionaries: Dictionaries) -> None:
    wanted = ", ".join(map(str, rids))
    rows = cursor.execute(f"select rid, question, answer from requests where rid in ({wanted})").fetchall()
    index = WordColumns(WORDS)
    seen: set[str] = set()
    for rid, question, answer in rows:
        found = words(f"{question or ''} {answer or ''}")
        index.add(rid, found)
        seen.update(found)
    index.insert(cursor, "words", "rid")
    dictionaries.vocabulary.add(cursor, seen)


def _slices(rows: Sequence[Any]) -> Iterator[Sequence[Any]]:
    for start in range(0, len(rows), _AT_ONCE):
        yield rows[start : start + _AT_ONCE]
