"""Which stage of one request is which of the other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

from ...model import Stage


class Aligned(NamedTuple):
    """A stage of each request; one of them may be missing."""

    then: Stage | None
    now: Stage | None


def align(then: Sequence[Stage], now: Sequence[Stage]) -> tuple[Aligned, ...]:
    """Pairs by kind, name and query; then by kind and name; then the only one left of its kind. Equals in order.

    Both are given in the order of their flow. The answer is in the order of `now`; a stage that only `then` has
    stands behind the one it followed there.
    """
    partner: dict[str, Stage] = {}
    left, right = list(then), list(now)
    for key in (_by_query, _by_name):
        left, right = _pair(left, right, key, partner)
    _pair_last_of_kind(left, right, partner)
    taken = {stage.stage_id for stage in partner.values()}
    pairs = [Aligned(partner.get(stage.stage_id), stage) for stage in now]
    for place, stage in enumerate(then):
        if stage.stage_id not in taken:
            pairs.insert(_place_behind(pairs, then[:place]), Aligned(stage, None))
    return tuple(pairs)


def _by_query(stage: Stage) -> Hashable:
    return stage.kind, stage.name, stage.query


def _by_name(stage: Stage) -> Hashable:
    return stage.kind, stage.name


def _pair(
    then: Sequence[Stage], now: Sequence[Stage], key: Callable[[Stage], Hashable], partner: dict[str, Stage]
) -> tuple[list[Stage], list[Stage]]:
    """Adds the pairs to `partner` (stage id of now -> stage of then); returns what is left of both."""
    waiting: dict[Hashable, list[Stage]] = defaultdict(list)
    for stage in reversed(then):
        waiting[key(stage)].append(stage)
    left_now = []
    for stage in now:
        if waiting[key(stage)]:
            partner[stage.stage_id] = waiting[key(stage)].pop()
        else:
            left_now.append(stage)
    kept = {stage.stage_id for stages in waiting.values() for stage in stages}
    return [stage for stage in then if stage.stage_id in kept], left_now


def _pair_last_of_kind(then: Sequence[Stage], now: Sequence[Stage], partner: dict[str, Stage]) -> None:
    """A stage that got another name is still the same step where each side has exactly one of its kind left."""
    for stage in now:
        same = [one for one in then if one.kind is stage.kind]
        if len(same) == 1 and sum(one.kind is stage.kind for one in now) == 1:
            partner[stage.stage_id] = same[0]


def _place_behind(pairs: Sequence[Aligned], before: Sequence[Stage]) -> int:
    """The place behind the nearest of the stages that came before it."""
    places = {pair.then.stage_id: place for place, pair in enumerate(pairs) if pair.then is not None}
    return next((places[stage.stage_id] + 1 for stage in reversed(before) if stage.stage_id in places), 0)
