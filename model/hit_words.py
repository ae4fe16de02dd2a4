"""The words of hits: where an id came from, what a score measures, why a text is not there.

Apart from the models, which an app that records never needs and pydantic builds slowly.
"""

from __future__ import annotations

from enum import StrEnum


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
