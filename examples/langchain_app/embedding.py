"""An embedding that needs no model: texts that share words are near each other."""

from __future__ import annotations

import hashlib
import math
import re

from langchain_core.embeddings import Embeddings

SIZE = 256


class WordEmbedding(Embeddings):
    """Each word counts at one place of the vector, the same in every process."""

    def embed_query(self, text: str) -> list[float]:
        """The vector of one text, of length 1."""
        vector = [0.0] * SIZE
        for word in re.findall(r"\w+", text.lower()):
            vector[hashlib.sha256(word.removesuffix("s").encode()).digest()[0]] += 1.0
        length = math.sqrt(sum(value * value for value in vector)) or 1.0
        return [value / length for value in vector]

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """The vectors of several."""
        return [self.embed_query(text) for text in texts]
