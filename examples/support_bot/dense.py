"""The dense leg: vectors by latent semantic analysis (TF-IDF and a truncated SVD), compared by cosine.

A stand-in for an embedding model that needs no download and gives the same vectors everywhere. It shares the
strengths of one (words that occur in the same places come close) and its weaknesses (all codes look alike).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .corpus import Chunk
from .hits import Hit, best_first
from .words import meanings

DIMENSIONS = 60
Numbers = NDArray[np.float64]


class DenseLeg:
    """An index of vectors."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._chunks = chunks
        texts = [meanings(chunk.text) for chunk in chunks]
        self._column = {word: n for n, word in enumerate(sorted({word for text in texts for word in text}))}
        counts = Counter(word for text in texts for word in set(text))
        self._idf = np.array([np.log((1 + len(texts)) / (1 + counts[word])) + 1 for word in self._column])
        table = np.stack([self._weights(text) for text in texts])
        _, _, axes = np.linalg.svd(table, full_matrices=False)
        self._axes: Numbers = axes[:DIMENSIONS].T
        self._vectors = _unit(table @ self._axes)

    def search(self, query: str, top_k: int) -> list[Hit]:
        """The `top_k` chunks whose vectors point most in the direction of the query's."""
        return best_first(zip(self._chunks, self.scores(query), strict=True), top_k=top_k)

    def scores(self, query: str) -> Numbers:
        """The cosine of the query's vector and each chunk's, in the order of the chunks."""
        vector = _unit((self._weights(meanings(query)) @ self._axes)[None, :])[0]
        cosines: Numbers = self._vectors @ vector
        return cosines

    def _weights(self, text: Sequence[str]) -> Numbers:
        """TF-IDF of a text, of length 1. Words that no chunk has are left out."""
        row = np.zeros(len(self._column))
        for word, count in Counter(text).items():
            if word in self._column:
                row[self._column[word]] = 1 + np.log(count)
        weights: Numbers = _unit((row * self._idf)[None, :])[0]
        return weights


def _unit(rows: Numbers) -> Numbers:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: Numbers = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return scaled
