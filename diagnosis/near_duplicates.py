"""Near-duplicates: texts of which the sets of five words in a row agree to at least 0.8 (Jaccard)."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from itertools import combinations
from typing import NamedTuple

SHINGLE_WORDS = 5
LIKE = 0.8

_WORD = re.compile(r"\w+")


class NearPair(NamedTuple):
    """Two chunks with nearly the same text, in the order given."""

    first: str
    second: str


def near_duplicates(texts: Mapping[str, str]) -> list[NearPair]:
    """The pairs of chunk ids whose texts are nearly or fully the same. Fewer than five words are one shingle."""
    shingles = {chunk_id: _shingles(text) for chunk_id, text in texts.items()}
    holders: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for chunk_id, own in shingles.items():
        for shingle in own:
            holders[shingle].append(chunk_id)
    shared: Counter[tuple[str, str]] = Counter()
    for having in holders.values():
        if len(having) > 1:
            shared.update(combinations(having, 2))
    place = {chunk_id: number for number, chunk_id in enumerate(texts)}
    pairs = [
        NearPair(first, second)
        for (first, second), common in shared.items()
        if common >= LIKE * (len(shingles[first]) + len(shingles[second]) - common)
    ]
    return sorted(pairs, key=lambda pair: (place[pair.first], place[pair.second]))


def _shingles(text: str) -> set[tuple[str, ...]]:
    words = _WORD.findall(text.casefold())
    if not words:
        return set()
    return {tuple(words[at : at + SHINGLE_WORDS]) for at in range(max(1, len(words) - SHINGLE_WORDS + 1))}
