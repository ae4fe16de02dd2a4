"""Everything that is built once from the help pages: chunks, both legs, the reranker."""

from __future__ import annotations

import functools
from typing import NamedTuple

from .bm25 import Bm25Leg
from .corpus import DOCS, Chunk, load_chunks
from .dense import DenseLeg
from .reranker import Reranker

INDEX = "help"
VERSION = "2026-02"
SOURCES = {VERSION: DOCS}
"""Index version -> the folder of pages that it is built from."""


class Library(NamedTuple):
    """One version of the index."""

    version: str
    chunks: list[Chunk]
    bm25: Bm25Leg
    dense: DenseLeg
    reranker: Reranker


@functools.cache
def library(version: str = VERSION) -> Library:
    """The index of that version; built at the first call, which takes about half a second."""
    chunks = load_chunks(SOURCES[version])
    return Library(version, chunks, Bm25Leg(chunks), DenseLeg(chunks), Reranker(chunks))
