"""Passages: each chunk with each text that it had, and the words by which it is found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import duckdb

from .columns import insert
from .numbers import Numbers, digest_of
from .rows import PassageRecord
from .vocabulary import Vocabulary
from .word_columns import ROOTS, WordColumns, root_of
from .words import words

_HEADING_KEYS = ("title", "heading", "headings", "section", "section_path", "header", "h1", "h2", "h3", "page_title")
"""Keys of metadata whose text a person would search for."""


class PassageIdentity(NamedTuple):
    """What makes a passage one passage."""

    chunk_key: int
    text_key: int | None
    doc_id: str | None
    heading: str
    """What stands above it; "" where nothing does."""


def heading_of(metadata: Mapping[str, Any]) -> str:
    """The headings that metadata gives, in one line."""
    if not metadata:
        return ""
    found = []
    for key, value in metadata.items():
        if key.lower().replace(" ", "_") in _HEADING_KEYS:
            found.extend(value if isinstance(value, list) else [value])
    return " ".join(part for part in found if isinstance(part, str))


def manifest_heading(
    section_path: str | None, metadata: Mapping[str, Any], text: str | None, searchable: str | None
) -> str:
    """What stands above the text in a manifest: section, headings in metadata, and a header indexed with it."""
    parts = [section_path or "", heading_of(metadata)]
    if searchable is not None and searchable != text:
        parts.append(searchable.replace(text or "", " ") if text else searchable)
    return " ".join(part for part in parts if part)


class _Draft(NamedTuple):
    """Everything by whose words a passage is found."""

    title: str
    text: str


class Passages:
    """The passages of one transaction."""

    def __init__(self, numbers: Numbers, vocabulary: Vocabulary) -> None:
        self._numbers = numbers
        self._vocabulary = vocabulary
        self._drafts: dict[PassageIdentity, _Draft] = {}

    def name(self, identity: PassageIdentity, *, chunk_id: str, text: str | None) -> None:
        """Says that this passage was seen. The same text under another heading is another passage."""
        if identity not in self._drafts:
            self._drafts[identity] = _Draft(f"{identity.heading} {chunk_id} {identity.doc_id or ''}", text or "")

    def settle(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Inserts the new passages with their words."""
        if not self._drafts:
            return
        digests = {digest_of(*identity): identity for identity in self._drafts}
        settled = self._numbers.settle(cursor, digests)
        rows: list[PassageRecord] = []
        index = WordColumns(ROOTS)
        seen: set[str] = set()
        for digest, identity in digests.items():
            if digest in settled.new:
                key = settled.keys[digest]
                title, text = self._drafts[identity]
                found = words(title) + words(text)
                index.add(key, found)
                seen.update(found)
                rows.append(
                    PassageRecord(key, digest, identity.chunk_key, identity.text_key, identity.doc_id, len(found))
                )
        insert(cursor, "passages", rows)
        index.insert(cursor, "passage_words", "passage_key")
        self._vocabulary.add(cursor, set(map(root_of, seen)))
