"""The recorded lists of a request, indexed once: places, distinct ranks, lengths, names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ..model import Completeness, Hit, Outcome, Stage, StageKind

RETRIEVERS = frozenset({StageKind.RETRIEVE, StageKind.TOOL})
"""Kinds that bring chunks in, and are said with "in": `rank 3 in bm25`."""
RANKERS = frozenset({StageKind.FUSE, StageKind.FILTER, StageKind.RERANK})
"""Kinds that always take a list in and give one out, also where it was not recorded."""
_INCOMPLETE = frozenset(
    {
        Completeness.TOP_MISSING,
        Completeness.TRUNCATED,
        Completeness.PARTLY_READABLE,
        Completeness.REDACTED,
        Completeness.SUPPRESSED,
        Completeness.NOT_RECORDED,
    }
)


class Place(NamedTuple):
    """One hit at its place in a list."""

    hit: Hit
    rank: int
    """1-based, as listed."""
    distinct_rank: int
    """1-based, each id counted once, at its first place."""
    first: bool
    """Whether this is the first place of its id."""


class RankedList(NamedTuple):
    """A stage's recorded list."""

    stage: Stage
    places: tuple[Place, ...]
    """Every hit, in the order recorded."""
    by_id: Mapping[str, Place]
    """Chunk id -> its first place."""

    @property
    def length(self) -> int:
        """How many distinct chunks it has, ranks that are missing at the top included."""
        return len(self.by_id) + self.stage.missing_top

    @property
    def listed(self) -> int:
        """How many hits it has, as listed."""
        return max(self.stage.length or 0, len(self.places) + self.stage.missing_top)


def index_list(stage: Stage) -> RankedList:
    """The list of `stage`, each place with its distinct rank."""
    places: list[Place] = []
    by_id: dict[str, Place] = {}
    for hit in stage.hits or ():
        first = by_id.get(hit.chunk_id)
        repeated = len(places) - len(by_id)
        place = Place(hit, hit.rank, first.distinct_rank if first else max(1, hit.rank - repeated), first is None)
        places.append(place)
        by_id.setdefault(hit.chunk_id, place)
    return RankedList(stage, tuple(places), by_id)


def is_incomplete(stage: Stage) -> bool:
    """Whether hits of its list are missing, so that an absent chunk may have stood there."""
    if stage.hits is None:
        return stage.kind in RETRIEVERS | RANKERS and not has_failed(stage)
    return stage.completeness in _INCOMPLETE


def has_failed(stage: Stage) -> bool:
    """Whether it raised."""
    return stage.outcome is Outcome.ERROR


def display_names(stages: Iterable[Stage], hidden: Iterable[str] = ()) -> dict[str, str]:
    """Stage id -> name as sentences say it: the name, numbered in the order given where lists share one."""
    kept = [stage for stage in stages if stage.stage_id not in set(hidden)]
    named = {stage.stage_id: stage.name.strip() or stage.kind.value for stage in kept}
    listed = [stage.stage_id for stage in kept if stage.hits is not None or stage.kind in RANKERS | RETRIEVERS]
    shared = Counter(named[stage_id] for stage_id in listed)
    count: Counter[str] = Counter()
    for stage_id in listed:
        name = named[stage_id]
        if shared[name] > 1:
            count[name] += 1
            named[stage_id] = f"{name} ({count[name]})"
    return named
