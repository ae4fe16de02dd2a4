"""Stages inside stages, and the lists that are recorded twice because of it.

A stage that encloses others and returned the list of one of them adds no list of its own. One of the two stands
for both, so that no list counts twice:

- a retriever, tool or other stage around a stage of another kind that returned the same list: the inner one
  stands, because its kind says what made the list;
- a stage around one of the same kind with the same list: the outer one stands, because its name is the one that
  the app's author chose.

The other one stays in the order of the page (with its timings) and has no place in the flow.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from ..model import Outcome, Stage, StageKind

_WRAPPERS = frozenset({StageKind.RETRIEVE, StageKind.TOOL, StageKind.OTHER})


def ancestors_of(stages: Sequence[Stage]) -> dict[str, tuple[str, ...]]:
    """Stage id -> the recorded stages around it, the nearest first. A circle of parents ends where it closes.

    A parent that had ended before the stage began is not around it: its list was there already.
    """
    by_id = {stage.stage_id: stage for stage in stages}
    parents = {stage.stage_id: _enclosing(stage, by_id) for stage in stages}
    around: dict[str, tuple[str, ...]] = {}
    for stage in stages:
        chain: list[str] = []
        parent = parents[stage.stage_id]
        while parent in parents and parent != stage.stage_id and parent not in chain:
            chain.append(parent)
            parent = parents[parent]
        around[stage.stage_id] = tuple(chain)
    return around


def _enclosing(stage: Stage, by_id: Mapping[str, Stage]) -> str | None:
    """The nearest stage around this one, of those that it names directly or through others."""
    seen = {stage.stage_id}
    parent = by_id.get(stage.parent_id or "")
    while parent is not None and parent.stage_id not in seen and _was_over(parent, stage):
        seen.add(parent.stage_id)
        parent = by_id.get(parent.parent_id or "")
    return None if parent is None else parent.stage_id


def _was_over(parent: Stage, stage: Stage) -> bool:
    """Whether the list of `parent` was there before `stage` began; times that contradict each other prove nothing."""
    if parent.hits is None or stage.hits is None:
        return False
    if parent.clock_note or stage.clock_note or parent.end_ns is None:
        return False
    return parent.start_ns < parent.end_ns <= stage.start_ns


def same_lists(stages: Sequence[Stage], around: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """Stage id -> the stage that stands for it, for stages whose list is recorded twice.

    `stages` come innermost first (children before the stage around them). Of stages that are around each other, as only
    spoilt telemetry says, one stands for all.
    """
    inside: dict[str, list[Stage]] = defaultdict(list)
    stands_for: dict[str, str] = {}
    for stage in stages:
        for outer_id in around[stage.stage_id]:
            inside[outer_id].append(stage)
    for outer in stages:
        twin = _last_same(outer, [one for one in inside[outer.stage_id] if one.stage_id not in stands_for])
        if twin is None:
            continue
        if twin.kind is outer.kind:
            left, right = twin.stage_id, outer.stage_id
        elif outer.kind in _WRAPPERS:
            left, right = outer.stage_id, twin.stage_id
        else:
            continue
        if left not in _way(stands_for, right):
            stands_for[left] = right
    return {stage_id: _way(stands_for, stage_id)[-1] for stage_id in stands_for}


def shells(stages: Sequence[Stage], around: Mapping[str, tuple[str, ...]]) -> frozenset[str]:
    """Retrievers and tools without a list of their own around a stage that has one, or that failed.

    What they found is what the stages inside them found: they are no leg whose list is missing.
    """
    full = {
        outer
        for stage in stages
        if stage.hits is not None or stage.outcome is Outcome.ERROR
        for outer in around[stage.stage_id]
    }
    empty = {stage.stage_id for stage in stages if stage.hits is None and stage.kind in _WRAPPERS}
    return frozenset(full & empty)


def _last_same(outer: Stage, inner: Sequence[Stage]) -> Stage | None:
    if outer.hits is None:
        return None
    ids = [hit.chunk_id for hit in outer.hits]
    for stage in reversed(inner):
        if stage.hits is not None and [hit.chunk_id for hit in stage.hits] == ids:
            return stage
    return None


def _way(stands_for: Mapping[str, str], stage_id: str) -> list[str]:
    """This stage, the one that stands for it, and so on to the last one."""
    way = [stage_id]
    while way[-1] in stands_for:
        way.append(stands_for[way[-1]])
    return way
