"""Chunks, and the corpus manifest that says what an index version holds."""

from __future__ import annotations

from typing import Any, Final

from pydantic import BaseModel, ConfigDict

SEEN_ENOUGH: Final = 20
"""Requests; in how many more a labelled chunk was seen is not counted."""


class CorpusChunk(BaseModel):
    """One chunk of a corpus manifest."""

    model_config = ConfigDict(frozen=True)

    chunk_id: str
    doc_id: str | None = None
    text: str | None = None
    searchable_text: str | None = None
    """What was indexed, where that differs from what is sent (a prepended header, say)."""
    metadata: dict[str, Any] = {}
    section_path: str | None = None
    parent_id: str | None = None
    previous_id: str | None = None
    next_id: str | None = None


class CorpusManifest(BaseModel):
    """The chunks of one index version. A `corpus` frame of the spool holds one, or a part of one."""

    model_config = ConfigDict(frozen=True)

    app: str
    environment: str = ""
    index: str
    version: str
    chunks: tuple[CorpusChunk, ...]
    part: int = 1
    parts: int = 1
    """A version counts as known once all its parts are here."""


class Chunk(BaseModel):
    """A chunk as goldrank knows it: from lists, from a manifest, or both."""

    model_config = ConfigDict(frozen=True)

    app: str
    environment: str = ""
    index: str | None = None
    chunk_id: str
    doc_id: str | None = None
    text: str | None = None
    text_hash: str | None = None
    metadata: dict[str, Any] = {}
    section_path: str | None = None
    parent_id: str | None = None
    previous_id: str | None = None
    next_id: str | None = None
    seen_in: int = 0
    """In how many requests' lists it appeared."""
    last_seen_ns: int | None = None
    in_manifest: bool | None = None
    """None: the corpus is not known."""


class LabelFacts(BaseModel):
    """What the corpus says about one label; the store collects it, diagnosis reads it.

    "This index version" is the one that the request searched, else the newest known one.
    """

    model_config = ConfigDict(frozen=True)

    corpus_known: bool = False
    """A complete manifest of this index version is loaded."""
    present: bool | None = None
    """The labelled chunk or document is in it (by id, or re-linked). None: the corpus is not known."""
    same_text: bool | None = None
    """The labelled id still holds the labelled text there. None: not known, or no text was labelled."""
    relinked: tuple[str, ...] = ()
    """Other chunk ids of this index version that hold the labelled text, when the labelled id does not."""
    similar: tuple[str, ...] = ()
    """Chunk ids that a person may mean, when the label is stale: same document, nearest text first."""
    seen_in: int | None = 0
    """In how many requests of the app the chunk (or document) was seen in any list; `SEEN_ENOUGH` is so many or more.
    None where the corpus is known: to count them takes longer than all other facts, and nobody asks then."""
    requests_known: int = 0
    """How many requests of the app are stored."""
