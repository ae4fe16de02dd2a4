"""Passages: each chunk with each text that it had, and the words by which it is found."""

from __future__ import annotations

from typing import Any, NamedTuple

import duckdb

from .columns import insert
from .numbers import Numbers, digest_of
from .rows import PassageRecord, PassageWord
from .vocabulary import add_words
from .words import counted, stems, word_hash

_HEADING_KEYS = ("title", "heading", "headings", "section", "section_path", "header", "h1", "h2", "h3", "page_title")
"""Keys of metadata whose text a person would search for."""


class PassageDraft(NamedTuple):
    """A passage that a batch saw."""

    chunk_key: int
    text_key: int | None
    doc_id: str | None
    chunk_id: str
    text: str
    heading: str


def heading_of(metadata: dict[str, Any]) -> str:
    """The headings that metadata gives, in one line."""
    if not metadata:
        return ""
    found = []
    for key, value in metadata.items():
        if key.lower().replace(" ", "_") in _HEADING_KEYS:
            found.extend(value if isinstance(value, list) else [value])
    return " ".join(part for part in found if isinstance(part, str))


class Passages:
    """The passages of one transaction."""

    def __init__(self, numbers: Numbers) -> None:
        self._numbers = numbers
        self._drafts: dict[tuple[int, int | None, str | None, str], PassageDraft] = {}

    def name(self, draft: PassageDraft) -> None:
        """Says that this passage was seen. The same text under another heading is another passage."""
        self._drafts.setdefault((draft.chunk_key, draft.text_key, draft.doc_id, draft.heading), draft)

    def settle(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Inserts the new passages with their words."""
        digests = {passage_digest(draft): draft for draft in self._drafts.values()}
        settled = self._numbers.settle(cursor, digests)
        rows: list[PassageRecord] = []
        index: list[PassageWord] = []
        seen: list[str] = []
        for digest, draft in digests.items():
            if digest not in settled.new:
                continue
            key = settled.keys[digest]
            found = stems(" ".join((draft.text, draft.heading, draft.chunk_id, draft.doc_id or "")))
            rows.append(PassageRecord(key, digest, draft.chunk_key, draft.text_key, draft.doc_id, len(found)))
            index.extend(PassageWord(word_hash(word), key, tf) for word, tf in counted(found).items())
            seen.extend(found)
        insert(cursor, "passages", rows)
        insert(cursor, "passage_words", sorted(index))
        add_words(cursor, seen)


def passage_digest(draft: PassageDraft) -> bytes:
    """16 bytes that name the passage."""
    return digest_of(draft.chunk_key, draft.text_key, draft.doc_id, draft.heading)
