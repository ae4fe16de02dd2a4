"""In which index a chunk of a list was found, where its hit does not say so."""

from __future__ import annotations

from ...model import RecordedRequest


def hit_indexes(recorded: RecordedRequest) -> dict[int, str | None]:
    """`id(hit)` -> index, for every hit of the request.

    First that holds: what the hit says; what its stage says; the index in which an earlier list of the request
    has the same chunk id; the only index that the request names; None.
    """
    named = {stage.index for stage in recorded.stages if stage.index is not None}
    only = next(iter(named)) if len(named) == 1 else None
    seen: dict[str, str] = {}
    found: dict[int, str | None] = {}
    for stage in recorded.stages:
        for hit in stage.hits or ():
            index = hit.index or stage.index or seen.get(hit.chunk_id) or only
            found[id(hit)] = index
            if index is not None:
                seen.setdefault(hit.chunk_id, index)
    return found
