"""A corpus that an app or an indexing job posts: the manifest of one index version, whole or in parts.

{"app": "support-bot", "index": "docs", "version": "2026-11-30", "chunks": [{"id": "refunds#2", "text": "…"}]}
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ...model import BadInput, CorpusChunk, CorpusManifest
from ..corpus_chunks import read_chunk
from .json_bodies import mistakes, parse_body, refuse


class PostedCorpus(BaseModel):
    """The manifest, with its chunks still to be read."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    app: str = Field(min_length=1, max_length=500)
    environment: str = Field(default="", max_length=500)
    index: str = Field(min_length=1, max_length=500)
    version: str = Field(min_length=1, max_length=500)
    chunks: list[Any]
    """Objects with the names that `goldrank corpus add` knows."""
    part: int = Field(default=1, ge=1)
    parts: int = Field(default=1, ge=1)


def read_corpus(body: bytes) -> CorpusManifest:
    """The manifest of a body, whole or not at all; BadInput names each chunk that is wrong by its index."""
    value = parse_body(body)
    try:
        posted = PostedCorpus.model_validate(value)
    except ValidationError as error:
        refuse(mistakes(error, ""))
        raise
    if posted.part > posted.parts:
        raise BadInput(f"Nothing was stored. part: {posted.part} of {posted.parts} parts.")
    chunks: list[CorpusChunk] = []
    first: dict[str, int] = {}
    wrong: list[str] = []
    for place, one in enumerate(posted.chunks):
        try:
            chunk = read_chunk(one)
        except BadInput as error:
            wrong.append(f"chunks[{place}]: {str(error).rstrip('.')}")
            continue
        if first.setdefault(chunk.chunk_id, place) != place:
            wrong.append(f"chunks[{place}]: chunk {chunk.chunk_id!r} is chunks[{first[chunk.chunk_id]}] already")
        chunks.append(chunk)
    refuse(wrong)
    return CorpusManifest(**{**posted.model_dump(exclude={"chunks"}), "chunks": tuple(chunks)})
