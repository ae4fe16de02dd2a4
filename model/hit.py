"""Hits: one chunk in one stage's list."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict


class IdSource(StrEnum):
    """Where a chunk id came from, in the order in which they are tried."""

    MAPPED = "mapped"
    """The app's own `hits=` mapping named it."""
    METADATA = "metadata"
    FIELD = "field"
    """An id field or attribute of the hit itself."""
    DERIVED = "derived"
    """Made from the text (`model.texthash.derived_chunk_id`)."""


class ScoreKind(StrEnum):
    """What a score measures. Scores of different kinds, or of different stages, are never compared."""

    SIMILARITY = "similarity"
    DISTANCE = "distance"
    RRF = "rrf"
    RERANK = "rerank"
    UNKNOWN = "unknown"


class TextState(StrEnum):
    """Why a hit's text is there or is not."""

    KNOWN = "known"
    NOT_CAPTURED = "not_captured"
    """The app gave none, or capturing text is switched off."""
    NOT_RECEIVED = "not_received"
    """It went with another span of the request that never came."""
    REDACTED = "redacted"
    CUT = "cut"
    """Only a beginning of it was recorded."""


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
    """None where the stage gave none, or gave NaN or an infinity."""
    score_kind: ScoreKind = ScoreKind.UNKNOWN
    text: str | None = None
    text_hash: str | None = None
    text_state: TextState = TextState.NOT_CAPTURED
    metadata: dict[str, Any] = {}
    parent_id: str | None = None
    """Id of the larger chunk that this one is a part of, from metadata."""
