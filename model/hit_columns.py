"""A ranked list by column: the form in which lists travel from telemetry to the store.

A batch holds tens of thousands of hits. As columns they cost a few list comprehensions; as objects each would be
made, validated and taken apart again. `hits()` gives the objects that everything else reads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .hit import Hit


class HitColumns(NamedTuple):
    """One entry a hit in each column, in the order recorded. Names and meanings are those of `Hit`."""

    ranks: Sequence[int]
    chunk_ids: Sequence[str]
    id_sources: Sequence[str]
    doc_ids: Sequence[str | None]
    indexes: Sequence[str | None]
    scores: Sequence[float | None]
    score_kinds: Sequence[str]
    score_notes: Sequence[str | None]
    texts: Sequence[str | None]
    text_hashes: Sequence[str | None]
    text_states: Sequence[str]
    metadata: Sequence[Mapping[str, Any]]
    parent_ids: Sequence[str | None]

    @classmethod
    def of(cls, hits: Sequence[Hit]) -> HitColumns:
        """The columns of these hits."""
        return cls(
            ranks=[hit.rank for hit in hits],
            chunk_ids=[hit.chunk_id for hit in hits],
            id_sources=[hit.id_source.value for hit in hits],
            doc_ids=[hit.doc_id for hit in hits],
            indexes=[hit.index for hit in hits],
            scores=[hit.score for hit in hits],
            score_kinds=[hit.score_kind.value for hit in hits],
            score_notes=[hit.score_note for hit in hits],
            texts=[hit.text for hit in hits],
            text_hashes=[hit.text_hash for hit in hits],
            text_states=[hit.text_state.value for hit in hits],
            metadata=[hit.metadata for hit in hits],
            parent_ids=[hit.parent_id for hit in hits],
        )

    def hits(self) -> tuple[Hit, ...]:
        """The hits as objects."""
        return tuple(Hit.model_validate(dict(zip(_FIELDS, values, strict=True))) for values in zip(*self, strict=True))


_FIELDS = (
    *("rank", "chunk_id", "id_source", "doc_id", "index", "score", "score_kind", "score_note"),
    *("text", "text_hash", "text_state", "metadata", "parent_id"),
)
"""Fields of `Hit` in the order of the columns."""
