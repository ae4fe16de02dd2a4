"""Where each gold stood then, and where it stands now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ...model import Diagnosis, GoldOutcome, PointState
from ...model.comparison import Difference, GoldShift
from ..lists import RETRIEVERS
from ..sentence import joined, position

_CAUSES_SHOWN = 3


class Side(NamedTuple):
    """One of the two requests, as far as a gold's place needs it."""

    diagnosis: Diagnosis
    kinds: Mapping[str, str]
    """Stage id -> kind."""
    lengths: Mapping[str, int]
    """Stage id -> how many hits its list has."""


def gold_shifts(then: Side, now: Side, differences: Sequence[Difference]) -> tuple[GoldShift, ...]:
    """One shift for each gold that both diagnoses judged, in the order of the second.

    Golds are the same by their label, so both requests have to be judged by the same labels.
    """
    before = {outcome.label_id: outcome for outcome in then.diagnosis.outcomes}
    shifts = []
    for outcome in now.diagnosis.outcomes:
        earlier = before.get(outcome.label_id)
        if earlier is not None:
            was, stands = gold_place(earlier, then), gold_place(outcome, now)
            shifts.append(
                GoldShift(
                    label_id=outcome.label_id,
                    name=outcome.name,
                    then_verdict=earlier.finding.verdict.value,
                    now_verdict=outcome.finding.verdict.value,
                    then_place=was,
                    now_place=stands,
                    sentence=_sentence(outcome.name, was, stands, differences),
                )
            )
    return tuple(shifts)


def _sentence(name: str, was: str, stands: str, differences: Sequence[Difference]) -> str:
    if was == stands:
        said = f"{name} stands where it stood: {stands}"
    else:
        said = f"{name} is now {_at(stands)}; it was {_at(was)}"
    changes = [_changed(one) for one in differences if one.then and one.now]
    return f"{said}; {joined(changes, _CAUSES_SHOWN)}." if changes else f"{said}."


def _at(place: str) -> str:
    return place if place.startswith("in ") else f"at {place}"


def _changed(one: Difference) -> str:
    """What one side did not record is no change; it stands among the differences."""
    return f"{one.what} changed from {_short(one.then)} to {_short(one.now)}"


def _short(value: str) -> str:
    line = " ".join(value.split())
    return line if len(line) <= 60 else f"{line[:57].rstrip()}..."


def gold_place(outcome: GoldOutcome, side: Side) -> str:
    """The farthest place it reached: "position 2 of 5 in the prompt", "rank 143 of 200 in dense".

    In no list at all: "in no list, not among the first 1,000 of dense", by the deepest list that a retriever gave.
    """
    if outcome.position is not None:
        return position(outcome.position, len(side.diagnosis.context.entries))
    point = next((one for one in outcome.path if one.stage_id == outcome.last_list), None)
    if point is None or point.state is not PointState.FOUND:
        point = next((one for one in reversed(outcome.path) if one.state is PointState.FOUND), None)
    if point is None:
        return _nowhere(outcome, side)
    where = "in" if side.kinds.get(point.stage_id) in RETRIEVERS else "after"
    of = side.lengths.get(point.stage_id)
    depth = f" of {of:,}" if of else ""
    return f"rank {point.distinct_rank:,}{depth} {where} {_name(side, point.stage_id)}"


def _nowhere(outcome: GoldOutcome, side: Side) -> str:
    absent = [point.stage_id for point in outcome.path if point.state is PointState.ABSENT]
    legs = [one for one in absent if side.kinds.get(one) in RETRIEVERS and side.lengths.get(one)]
    if not legs:
        return "in no list"
    deepest = max(legs, key=lambda one: side.lengths[one])
    return f"in no list, not among the first {side.lengths[deepest]:,} of {_name(side, deepest)}"


def _name(side: Side, stage_id: str) -> str:
    return side.diagnosis.names.get(stage_id, stage_id)
