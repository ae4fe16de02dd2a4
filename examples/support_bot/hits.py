"""A hit: one chunk in a ranked list, as every step of the bot hands it on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from .corpus import Chunk


@dataclass(frozen=True)
class Hit:
    """One chunk with the score that the last step gave it."""

    chunk_id: str
    doc_id: str
    text: str
    score: float
    metadata: dict[str, Any]

    def scored(self, score: float) -> Hit:
        """The same chunk with another score."""
        return replace(self, score=score)


def best_first(scored: Iterable[tuple[Chunk, float]], *, top_k: int) -> list[Hit]:
    """The `top_k` chunks with the highest scores above 0; equal scores by chunk id.

    Scores are rounded first, so that two machines whose arithmetic differs in the last bit rank alike.
    """
    rounded = [(chunk, round(float(score), 4)) for chunk, score in scored]
    ranked = sorted((pair for pair in rounded if pair[1] > 0), key=lambda pair: (-pair[1], pair[0].chunk_id))
    return [
        Hit(chunk.chunk_id, chunk.page.doc_id, chunk.text, score, chunk.metadata) for chunk, score in ranked[:top_k]
    ]
