"""Reciprocal rank fusion: the lists of the legs become one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from .hits import Hit

RRF_K = 60


def fuse(lists: Sequence[Sequence[Hit]], *, keep: int) -> list[Hit]:
    """Each chunk gets the sum of 1 / (60 + rank) over the lists that have it; the `keep` best, ties by chunk id."""
    scores: dict[str, float] = defaultdict(float)
    hits: dict[str, Hit] = {}
    for ranked in lists:
        for rank, hit in enumerate(ranked, 1):
            scores[hit.chunk_id] += 1 / (RRF_K + rank)
            hits.setdefault(hit.chunk_id, hit)
    order = sorted(scores, key=lambda chunk_id: (-round(scores[chunk_id], 8), chunk_id))
    return [hits[chunk_id].scored(round(scores[chunk_id], 8)) for chunk_id in order[:keep]]
