"""Hits: one chunk in one stage's list."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

from .hit_words import IdSource, ScoreKind, TextState


class Hit(BaseModel):
    """One chunk at one rank."""

    model_config = ConfigDict(frozen=True)

    rank: int
    """1-based place in the list as recorded; never derived from scores. Ranks missing at the top stay missing."""
    chunk_id: str
    id_source: IdSource = IdSource.FIELD
    doc_id: str | None = None
    index: str | None = None
    """Name of the index it came from, where the request says so."""
    score: float | None = None
    """None where the stage gave none, or gave NaN or an infinity (`score_note` says which)."""
    score_kind: ScoreKind = ScoreKind.UNKNOWN
    score_note: str | None = None
    """What the stage gave in place of a finite score: "NaN", "Infinity", "-Infinity"."""
    text: str | None = None
    text_hash: str | None = None
    text_state: TextState = TextState.NOT_CAPTURED
    metadata: dict[str, Any] = {}
    parent_id: str | None = None
    """Id of the larger chunk that this one is a part of, from metadata."""
