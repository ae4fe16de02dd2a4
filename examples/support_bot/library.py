"""Everything that is built once from the help pages: chunks, both legs, the reranker."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import NamedTuple

from .bm25 import Bm25Leg
from .corpus import DOCS, Chunk, load_chunks
from .dense import DenseLeg
from .reranker import Reranker

INDEX = "help"
VERSION = "2026-02"


class Library(NamedTuple):
    """One version of the index."""

    version: str
    chunks: list[Chunk]
    bm25: Bm25Leg
    dense: DenseLeg
    reranker: Reranker


@functools.cache
def library(directory: Path = DOCS, version: str = VERSION) -> Library:
    """The index of the pages in `directory`; built at the first call, which takes about half a second."""
    chunks = load_chunks(directory)
    return Library(version, chunks, Bm25Leg(chunks), DenseLeg(chunks), Reranker(chunks))
