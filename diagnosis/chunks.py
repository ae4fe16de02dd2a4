"""The chunks that a request's lists show, each with the text it was first shown with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ..model import Hit, TextState, normalise_text
from .lists import RankedList

SHORT = 20
"""Characters: a text shorter than this also stands in other texts by accident."""


class SeenText(NamedTuple):
    """One recorded text of a chunk."""

    raw: str
    normal: str
    """`normalise_text(raw)`."""
    cut: bool
    """Only a beginning of it was recorded."""


class SeenChunk(NamedTuple):
    """A chunk of the lists of one request."""

    chunk_id: str
    doc_id: str | None
    indexes: frozenset[str]
    """Names of the indexes that it came from, where the request says so."""
    parent_id: str | None
    metadata: Mapping[str, Any]
    texts: tuple[SeenText, ...]
    """Its different texts, that of the first list first: rerankers trim, builders prepend headers."""
    text_hash: str | None

    @property
    def text(self) -> SeenText | None:
        """The text that the first list shows."""
        return self.texts[0] if self.texts else None


def seen_chunks(lists: Iterable[RankedList], manifest: Mapping[str, Mapping[str, Any]] | None) -> dict[str, SeenChunk]:
    """Chunk id -> what `lists`, given in the flow's order, show of it; metadata and parent also from `manifest`."""
    chunks: dict[str, SeenChunk] = {}
    normal: dict[str, str] = {}
    for ranked in lists:
        for place in ranked.by_id.values():
            hit = place.hit
            text = None
            if hit.text is not None and hit.text_state in {TextState.KNOWN, TextState.CUT, TextState.NOT_CAPTURED}:
                if hit.text not in normal:
                    normal[hit.text] = normalise_text(hit.text)
                if normal[hit.text]:
                    text = SeenText(hit.text, normal[hit.text], hit.text_state is TextState.CUT)
            before = chunks.get(hit.chunk_id)
            if before is None:
                known = manifest.get(hit.chunk_id, {}) if manifest else {}
                parent = hit.parent_id or _text_of(known.get("parent_id"))
                chunks[hit.chunk_id] = SeenChunk(
                    hit.chunk_id,
                    hit.doc_id,
                    _indexes_of(hit),
                    parent,
                    {**known, **hit.metadata} if known else hit.metadata,
                    (text,) if text else (),
                    hit.text_hash,
                )
            elif _adds(before, hit, text):
                chunks[hit.chunk_id] = before._replace(
                    doc_id=before.doc_id or hit.doc_id,
                    indexes=before.indexes | _indexes_of(hit),
                    parent_id=before.parent_id or hit.parent_id,
                    metadata=before.metadata or hit.metadata,
                    texts=(*before.texts, text) if text and text not in before.texts else before.texts,
                )
    return chunks


def _adds(before: SeenChunk, hit: Hit, text: SeenText | None) -> bool:
    """Whether a later list shows something of the chunk that the lists before did not."""
    return (
        (text is not None and text not in before.texts)
        or (before.doc_id is None and hit.doc_id is not None)
        or not _indexes_of(hit) <= before.indexes
        or (before.parent_id is None and hit.parent_id is not None)
        or (not before.metadata and bool(hit.metadata))
    )


def _indexes_of(hit: Hit) -> frozenset[str]:
    return frozenset() if hit.index is None else frozenset({hit.index})


def _text_of(value: object) -> str | None:
    return str(value) if isinstance(value, str | int) and str(value) else None


def holds(whole: str, part: str) -> bool:
    """Whether `part` stands in `whole`, both normalised; a short one only as all of it or as a whole sentence."""
    if not part:
        return False
    if len(part) >= SHORT:
        return part in whole
    start = whole.find(part)
    while start >= 0:
        end = start + len(part)
        opens = start == 0 or whole[:start].rstrip().endswith((".", "!", "?", ":", ";", "|", "]"))
        closes = end == len(whole) or part.endswith((".", "!", "?")) or whole[end:].lstrip()[:1] in {".", "!", "?", "|"}
        if opens and closes:
            return True
        start = whole.find(part, start + 1)
    return False
