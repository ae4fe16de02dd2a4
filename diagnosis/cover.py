"""The fewest latest lists that together hold given chunk ids."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from itertools import combinations
from math import comb
from typing import NamedTuple

_TRIED_AT_MOST = 5_000


class Candidate(NamedTuple):
    """A list that may have gone into a stage."""

    stage_id: str
    ids: AbstractSet[str]
    """What it holds: chunk ids, and where a coarser look is taken, documents and parents."""


def fewest_that_cover(needed: Sequence[str], newest_first: Sequence[Candidate]) -> tuple[str, ...] | None:
    """Stage ids of the fewest candidates that hold all of `needed`, the latest where several choices are as few.

    None where even all of them together do not. Exact up to some thousand combinations; beyond that the list
    that adds most is taken first, which may name one too many.
    """
    wanted = tuple(dict.fromkeys(needed))
    full = (1 << len(wanted)) - 1
    masks = [
        (candidate.stage_id, sum(1 << bit for bit, chunk_id in enumerate(wanted) if chunk_id in candidate.ids))
        for candidate in newest_first
    ]
    useful = [(stage_id, mask) for stage_id, mask in masks if mask]
    together = 0
    for _, mask in useful:
        together |= mask
    if together != full:
        return None
    for size in range(1, len(useful) + 1):
        if comb(len(useful), size) > _TRIED_AT_MOST:
            return _greedy(full, useful)
        for chosen in combinations(useful, size):
            held = 0
            for _, mask in chosen:
                held |= mask
            if held == full:
                return tuple(stage_id for stage_id, _ in chosen)
    return ()


def _greedy(full: int, useful: list[tuple[str, int]]) -> tuple[str, ...]:
    chosen: list[str] = []
    held = 0
    while held != full:
        stage_id, mask = max(useful, key=lambda one: (one[1] & ~held).bit_count())
        chosen.append(stage_id)
        held |= mask
    return tuple(chosen)
