"""Chunk ids, shortened so that those of one request can still be told apart."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ...model import RecordedRequest
from ..text import literal

_PIXELS_A_CHARACTER = 6.2
_CELL_PADDING = 16
_BOUNDARY = re.compile(r"[/#:|]")


def _is_place(text: str) -> bool:
    return not text or text.isdigit()


def _common_prefix(first: str, last: str) -> str:
    """Of the first and the last in order: what these share, all between them share."""
    for place, (one, other) in enumerate(zip(first, last, strict=False)):
        if one != other:
            return first[:place]
    return first


class ChunkNames:
    """Names for the chunks of one request: without the path that all share, cut in the middle.

    A place in a document is no name: nothing is taken off `kb#0` and `kb#1`, and the path off `docs/kb#0`, `docs/kb#1`.
    """

    def __init__(self, chunk_ids: Iterable[str]) -> None:
        distinct = set(chunk_ids)
        common = _common_prefix(min(distinct), max(distinct)) if len(distinct) > 1 else ""
        ends = [0, *(match.end() for match in _BOUNDARY.finditer(common))]
        named = (end for end in reversed(ends) if not any(_is_place(one[end:]) for one in distinct))
        self.common = common[: next(named, 0)]

    def short(self, chunk_id: str, width: int) -> str:
        """The name for a cell of `width` pixels: a third of it head, the rest tail."""
        name = literal(chunk_id.removeprefix(self.common) or chunk_id).replace("\n", " ")
        room = max(8, int((width - _CELL_PADDING) / _PIXELS_A_CHARACTER))
        if len(name) <= room:
            return name
        head = room // 3
        return f"{name[:head]}…{name[len(name) - (room - head - 1) :]}"


def names_of(recorded: RecordedRequest) -> ChunkNames:
    """Names for every chunk in the request's lists."""
    return ChunkNames(hit.chunk_id for stage in recorded.stages for hit in stage.hits or ())
