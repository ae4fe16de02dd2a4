"""Matching a label to hits: by id and text, re-linked text, quoted sentence, parent or document.

Inside one request lists are joined by id, and a chunk's text is compared once, as the first list shows it. An id
that now holds another text is no match. The same text under another id is one only in the same document, or where
the labelled id no longer holds that text in the index version that was searched.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ..model import Hit, Label, LabelFacts, Level, MatchedBy, derived_chunk_id, normalise_text
from .chunks import SHORT, SeenChunk, SeenText, holds
from .near_misses import near_miss


class Match(NamedTuple):
    """Why a chunk counts as the labelled one."""

    by: MatchedBy
    part: bool = False
    """It is only a part of what was labelled."""


class Matcher:
    """What in one request is the target of one label. Decides once for each chunk id."""

    def __init__(
        self,
        label: Label,
        facts: LabelFacts,
        chunks: Mapping[str, SeenChunk],
        manifest: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        target = label.target
        self.label = label
        self.target = target
        self.facts = facts
        self.chunks = chunks
        self.text = normalise_text(target.text) if target.text else ""
        self.quote = normalise_text(target.quote) if target.quote else ""
        own = chunks.get(target.chunk_id) if target.chunk_id is not None else None
        own = own if own is not None and self._may_be_of_its_index(own) else None
        self.shown = own
        """What the lists of the request show under the labelled id."""
        self.doc_id = target.doc_id or (own.doc_id if own else None)
        known = (manifest or {}).get(target.chunk_id or "", {})
        parent = own.parent_id if own and own.parent_id else known.get("parent_id")
        self.parent_id = str(parent) if parent else None
        self.own = self._own(own)
        self.holds_text = self._holds_text(own)
        self._decided: dict[str, Match | None] = {}

    @property
    def name(self) -> str:
        """The target as sentences say it: its chunk id, its document, or the beginning of its text."""
        if self.target.level is Level.DOCUMENT and self.target.doc_id is not None:
            return self.target.doc_id
        if self.target.chunk_id is not None:
            return self.target.chunk_id
        words = self.quote or self.text or self.target.doc_id or ""
        return f'"{words[:47]}..."' if len(words) > 50 else f'"{words}"'

    @property
    def wanted_text(self) -> str:
        """The text that answers, normalised: the label's, else what the request's lists show under its id."""
        if self.text:
            return self.text
        shown = self.shown.text if self.shown is not None else None
        return shown.normal if shown is not None and self.own is not None else ""

    def of(self, hit: Hit) -> Match | None:
        """The match of this hit, or None."""
        if hit.index is not None and self.target.index is not None and hit.index != self.target.index:
            return None
        return self.of_chunk(hit.chunk_id)

    def of_chunk(self, chunk_id: str) -> Match | None:
        """The match of a chunk id of this request, or None."""
        if chunk_id not in self._decided:
            self._decided[chunk_id] = self._decide(chunk_id)
        return self._decided[chunk_id]

    def matched(self) -> list[str]:
        """The chunk ids of the request that match, parts included."""
        return [chunk_id for chunk_id in self.chunks if self.of_chunk(chunk_id) is not None]

    def _own(self, own: SeenChunk | None) -> Match | None:
        """The match of the labelled id itself, by what is known of its text here and in the index version."""
        text = own.text if own else None
        same = compare(text, self.text, own.text_hash if own else None, self.target.text_hash)
        if same is True:
            return Match(MatchedBy.ID_AND_TEXT)
        if same is False and self.facts.same_text is not True:
            return None
        if same is None and (text is None or not text.cut) and self.facts.same_text is False:
            return None
        return Match(MatchedBy.ID)

    def _holds_text(self, own: SeenChunk | None) -> bool | None:
        """Whether the labelled id still holds the labelled text in the index version that was searched."""
        if self.facts.same_text is not None:
            return self.facts.same_text
        if self.facts.corpus_known and self.facts.present is False:
            return False
        return compare(own.text, self.text, own.text_hash, self.target.text_hash) if own else None

    def _decide(self, chunk_id: str) -> Match | None:
        chunk = self.chunks.get(chunk_id)
        if chunk is not None and not self._may_be_of_its_index(chunk):
            return None
        if self.target.level is Level.DOCUMENT:
            return Match(MatchedBy.DOCUMENT) if self._is_document(chunk_id, chunk) else None
        if self.target.chunk_id is None:
            return self._by_words(chunk_id, chunk)
        if chunk_id == self.target.chunk_id:
            return self.own or self._by_quote(chunk)
        return self._by_text(chunk_id, chunk) or self._by_quote(chunk) or self._by_parent(chunk_id, chunk)

    def _may_be_of_its_index(self, chunk: SeenChunk) -> bool:
        """Ids are the same only inside one index; where either side names none, nothing speaks against it."""
        return self.target.index is None or not chunk.indexes or self.target.index in chunk.indexes

    def _is_document(self, chunk_id: str, chunk: SeenChunk | None) -> bool:
        doc_id = chunk.doc_id if chunk else None
        return self.target.doc_id is not None and self.target.doc_id in {doc_id, chunk_id if doc_id is None else doc_id}

    def _same_document(self, chunk: SeenChunk) -> bool:
        return self.doc_id is not None and self.doc_id == chunk.doc_id

    def _by_words(self, chunk_id: str, chunk: SeenChunk | None) -> Match | None:
        """For a label of words alone: a chunk that is that text, or that holds the quoted sentence."""
        if self.text and chunk_id == derived_chunk_id(self.text):
            return Match(MatchedBy.ID_AND_TEXT)
        if chunk is None or (self.doc_id is not None and chunk.doc_id is not None and not self._same_document(chunk)):
            return None
        words = self.quote or self.text
        return Match(MatchedBy.QUOTE) if any(holds(text.normal, words) for text in chunk.texts) else None

    def _by_text(self, chunk_id: str, chunk: SeenChunk | None) -> Match | None:
        text = chunk.text if chunk else None
        equal = text is not None and not text.cut and bool(self.text) and text.normal == self.text
        if equal and chunk is not None and self._same_document(chunk):
            return Match(MatchedBy.TEXT_IN_DOCUMENT)
        if chunk_id in self.facts.relinked and compare(text, self.text) is not False:
            return Match(MatchedBy.RELINKED)
        return Match(MatchedBy.RELINKED) if equal and self.holds_text is False else None

    def _by_quote(self, chunk: SeenChunk | None) -> Match | None:
        if chunk is None or not self.quote or not self._same_document(chunk):
            return None
        return Match(MatchedBy.QUOTE) if any(holds(text.normal, self.quote) for text in chunk.texts) else None

    def _by_parent(self, chunk_id: str, chunk: SeenChunk | None) -> Match | None:
        if chunk is None:
            return Match(MatchedBy.PARENT) if chunk_id == self.parent_id else None
        lists_documents = chunk.doc_id is None and chunk_id == self.doc_id and self.target.doc_id is not None
        if chunk_id == self.parent_id or lists_documents:
            return Match(MatchedBy.PARENT)
        if chunk.parent_id is not None and chunk.parent_id == self.target.chunk_id:
            return Match(MatchedBy.PARENT, part=True)
        return None


def compare(
    recorded: SeenText | None, labelled: str, recorded_hash: str | None = None, labelled_hash: str | None = None
) -> bool | None:
    """Whether a recorded text is the labelled one; None where one of them is unknown, or was cut and agrees so far.

    A text that begins or ends with the other is the same: rerankers trim, and headers are prepended.
    """
    if recorded is None or not labelled:
        if recorded_hash is not None and labelled_hash is not None and (recorded is None or not recorded.cut):
            return recorded_hash == labelled_hash
        return None
    if recorded.normal == labelled:
        return True
    if recorded.cut:
        # The last character may have been cut off its accent.
        return None if labelled.startswith(recorded.normal[:-1].rstrip()) else False
    short, long = sorted((recorded.normal, labelled), key=len)
    return long.startswith(short) or long.endswith(short) or (len(short) >= SHORT and short in long)


def near_miss_notes(matcher: Matcher, places: Iterable[tuple[str, str]]) -> list[str]:
    """Sentences on ids that look like the labelled one; `places` are (chunk id, "rank 1 in vector") pairs."""
    labelled = matcher.target.chunk_id if matcher.target.level is Level.CHUNK else matcher.target.doc_id
    notes = []
    for found, where in places:
        how = near_miss(labelled, found) if labelled is not None else None
        if how is not None:
            notes.append(f"{labelled} {how} ({where}); ids are compared as exact text, so it is not counted.")
    return notes
