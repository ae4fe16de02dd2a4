"""The keyword leg: BM25 over the words of every chunk."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bm25s  # type: ignore[import-untyped]  # it ships no types; this is the only file that uses it

from .corpus import Chunk
from .hits import Hit, best_first
from .words import words


class Bm25Leg:
    """An index of exact words. It finds codes and names, and is blind to synonyms."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._chunks = chunks
        self._index: Any = bm25s.BM25()
        self._index.index([words(chunk.text) for chunk in chunks], show_progress=False)

    def search(self, query: str, top_k: int) -> list[Hit]:
        """At most `top_k` chunks that share a word with the query."""
        known = [word for word in words(query) if word in self._index.vocab_dict]
        if not known:
            return []
        return best_first(zip(self._chunks, self._index.get_scores(known), strict=True), top_k=top_k)
