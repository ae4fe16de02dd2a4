"""Near-duplicates: boilerplate that differs in a word or two from one page to the next."""

from __future__ import annotations

from collections.abc import Sequence

from .hits import Hit
from .words import words

SAME_WORDS = 0.75
"""Share of common words from which two passages count as saying the same."""


def without_near_duplicates(hits: Sequence[Hit]) -> list[Hit]:
    """The hits, each only if no hit kept above it has nearly the same words."""
    kept: list[tuple[Hit, frozenset[str]]] = []
    for hit in hits:
        said = frozenset(words(hit.text))
        if all(_common(said, other) < SAME_WORDS for _, other in kept):
            kept.append((hit, said))
    return [hit for hit, _ in kept]


def _common(first: frozenset[str], second: frozenset[str]) -> float:
    """Jaccard: words of both by words of either."""
    return len(first & second) / len(first | second) if first | second else 1.0
