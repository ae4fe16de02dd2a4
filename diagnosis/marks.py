"""Marks on chunks: gold, forbidden, not relevant, superseded, near-duplicate, same text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from ..model import ChunkMark
from .chunks import SeenChunk
from .gold_case import Evidence
from .matching import Matcher
from .near_duplicates import NearPair, near_duplicates

_LOOKED_AT = 20
"""Of each list that the context came from: its first chunks. Deeper ones take nobody's place."""


def mark_chunks(
    chunks: Mapping[str, SeenChunk],
    by_label: Sequence[tuple[ChunkMark, Matcher]],
    superseded: Iterable[str],
    pairs: Sequence[NearPair],
) -> dict[str, tuple[ChunkMark, ...]]:
    """Chunk id -> its marks, in the order of `ChunkMark`. Chunks without a mark are left out."""
    marks: dict[str, set[ChunkMark]] = defaultdict(set)
    for mark, matcher in by_label:
        for chunk_id in matcher.matched():
            marks[chunk_id].add(mark)
    for chunk_id in superseded:
        marks[chunk_id].add(ChunkMark.SUPERSEDED)
    same = same_texts(chunks)
    for chunk_id in (one for group in same for one in group):
        marks[chunk_id].add(ChunkMark.SAME_TEXT)
    for pair in pairs:
        if ChunkMark.SAME_TEXT not in marks[pair.first] or ChunkMark.SAME_TEXT not in marks[pair.second]:
            marks[pair.first].add(ChunkMark.NEAR_DUPLICATE)
            marks[pair.second].add(ChunkMark.NEAR_DUPLICATE)
    return {chunk_id: tuple(one for one in ChunkMark if one in own) for chunk_id, own in marks.items() if own}


def same_texts(chunks: Mapping[str, SeenChunk]) -> list[list[str]]:
    """Groups of chunk ids with one text."""
    groups: dict[str, list[str]] = defaultdict(list)
    for chunk in chunks.values():
        if chunk.text is not None and not chunk.text.cut:
            groups[chunk.text.normal].append(chunk.chunk_id)
    return [group for group in groups.values() if len(group) > 1]


def near_pairs(evidence: Evidence, chunks: Mapping[str, SeenChunk]) -> list[NearPair]:
    """Near-duplicates among the context and the first chunks of the lists that it came from."""
    looked_at = [entry.chunk_id for entry in evidence.reading.context.entries]
    for stage_id in evidence.feeds.stage_ids or tuple(evidence.lists)[-1:]:
        if stage_id in evidence.lists:
            looked_at += list(evidence.lists[stage_id].by_id)[:_LOOKED_AT]
    texts = {}
    for chunk_id in looked_at:
        chunk = chunks.get(chunk_id)
        if chunk is not None and chunk.text is not None:
            texts[chunk_id] = chunk.text.normal
    return near_duplicates(texts)
