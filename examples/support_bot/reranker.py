"""The reranker: looks at question and passage together, and scores every candidate.

A stand-in for a cross-encoder. It likes passages that hold many of the question's words, rare ones most, close
together and in few words. Passages that answer in other words than the question's it likes less, as many do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from math import log

from .corpus import Chunk
from .hits import Hit
from .words import words

NEAR = 4
"""Two words of the question count as close when at most so many words lie from one to the other."""
TYPICAL_LENGTH = 60
"""Words; a passage of this length gets half the points for brevity."""


class Reranker:
    """Scores pairs of question and passage between 0 and 1."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._words = {chunk.text: words(chunk.text) for chunk in chunks}
        counts = Counter(word for chunk in chunks for word in set(self._words[chunk.text]))
        self._idf = {word: log(1 + len(chunks) / count) for word, count in counts.items()}
        self._idf_unknown = log(1 + len(chunks))

    def rank(self, query: str, hits: Sequence[Hit]) -> list[Hit]:
        """All of `hits` with new scores, best first; ties by chunk id."""
        scored = [hit.scored(round(self.score(query, hit.text), 6)) for hit in hits]
        return sorted(scored, key=lambda hit: (-hit.score, hit.chunk_id))

    def score(self, query: str, text: str) -> float:
        """0.65 for the question's words, 0.2 for having them close together, 0.15 for brevity."""
        asked, said = list(dict.fromkeys(words(query))), self._words.get(text) or words(text)
        return 0.65 * self._coverage(asked, said) + 0.2 * _closeness(asked, said) + 0.15 * _brevity(said)

    def _coverage(self, asked: list[str], said: list[str]) -> float:
        """Share of the question's words that the passage has; a word that it repeats counts a little more."""
        weights = {word: self._idf.get(word, self._idf_unknown) for word in asked}
        counts = Counter(said)
        total = sum(weights.values())
        covered = sum(weight * counts[word] / (counts[word] + 0.3) for word, weight in weights.items())
        return covered / total if total else 0.0


def _closeness(asked: list[str], said: list[str]) -> float:
    """Share of neighbouring words of the question that stand near each other in the passage."""
    places: dict[str, list[int]] = {}
    for place, word in enumerate(said):
        places.setdefault(word, []).append(place)
    pairs = list(pairwise(asked))
    near = sum(
        any(abs(a - b) <= NEAR for a in places.get(first, ()) for b in places.get(second, ()))
        for first, second in pairs
    )
    return near / len(pairs) if pairs else 0.0


def _brevity(said: list[str]) -> float:
    return TYPICAL_LENGTH / (TYPICAL_LENGTH + len(said))
