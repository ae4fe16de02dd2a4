"""In which index a chunk of a list was found, where its hit does not say so."""

from __future__ import annotations

from collections.abc import Iterable

from ...model import HitColumns, Stage


class ListIndexes:
    """The indexes of the hits of one request, asked list by list in the order recorded.

    First that holds: what the hit says; what its stage says; the index in which an earlier list of the request
    has the same chunk id; the only index that the request names; None.
    """

    def __init__(self, stages: Iterable[Stage]) -> None:
        named = {stage.index for stage in stages if stage.index is not None}
        self._only = next(iter(named)) if len(named) == 1 else None
        self._seen: dict[str, str] = {}

    def of(self, stage: Stage, hits: HitColumns) -> list[str | None]:
        """The index of each hit."""
        seen, of_stage, only = self._seen, stage.index, self._only
        found = [
            index or of_stage or seen.get(chunk_id) or only
            for index, chunk_id in zip(hits.indexes, hits.chunk_ids, strict=True)
        ]
        for chunk_id, index in zip(hits.chunk_ids, found, strict=True):
            if index is not None:
                seen.setdefault(chunk_id, index)
        return found
