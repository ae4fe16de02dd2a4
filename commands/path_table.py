"""The path of the golds as a table: a row a stage, a column a gold, and the prompt last."""

from __future__ import annotations

from typing import NamedTuple

from ..actions import RequestView
from ..model import Completeness, GoldOutcome, GoldPoint, Outcome, PointState, Stage

NOT_THERE = "not in the list"


class PathTable(NamedTuple):
    """Titles and cells, as text."""

    titles: tuple[str, ...]
    """stage, kind, hits, then one a gold."""
    rows: tuple[tuple[str, ...], ...]
    """In the order of the flow; the last one is the prompt."""


def path_table(view: RequestView) -> PathTable:
    """The table of a request; without a gold it has the lists and what is known of the prompt."""
    diagnosis = view.diagnosis
    stages = {stage.stage_id: stage for stage in view.recorded.stages}
    order = [stages[stage_id] for stage_id in diagnosis.flow.order if stage_id in stages]
    shown = [stage for stage in order if stage.has_list or _on_a_path(stage, diagnosis.outcomes)]
    rows = [_stage_row(stage, diagnosis.outcomes) for stage in shown]
    titles = ("stage", "kind", "hits", *(outcome.name for outcome in diagnosis.outcomes))
    return PathTable(titles, (*rows, _prompt_row(view)))


def depth(stage: Stage) -> str:
    """ "50", "8 of 50 asked", "120, 100 recorded", "failed": how long the list is and what is missing of it."""
    if stage.hits is None:
        return "failed" if stage.outcome is Outcome.ERROR else "not recorded"
    recorded = len(stage.hits)
    length = stage.length if stage.length is not None else recorded + stage.missing_top
    parts = [f"{length:,}"]
    if stage.top_k is not None and stage.top_k != length:
        parts[0] += f" of {stage.top_k:,} asked"
    if stage.missing_top:
        parts.append(f"1 to {stage.missing_top} missing")
    elif recorded < length:
        parts.append(f"{recorded:,} recorded")
    elif stage.completeness not in {Completeness.COMPLETE, Completeness.TEXT_NOT_RECEIVED}:
        parts.append(stage.completeness.value.replace("_", " "))
    if stage.outcome is not Outcome.OK:
        parts.append(stage.outcome.value.replace("_", " "))
    return ", ".join(parts)


def place(point: GoldPoint | None) -> str:
    """ "14", "4 (listed 6)", "not in the list", "?": where the gold stood after one stage."""
    if point is None:
        return ""
    if point.state is PointState.FAILED:
        return "failed"
    if point.state is PointState.UNKNOWN:
        return "?"
    if point.state is PointState.ABSENT or point.rank is None:
        return NOT_THERE
    rank = point.distinct_rank if point.distinct_rank is not None else point.rank
    listed = "" if rank == point.rank else f" (listed {point.rank})"
    return f"{rank}{listed}{' (a part of it)' if point.part else ''}"


def _on_a_path(stage: Stage, outcomes: tuple[GoldOutcome, ...]) -> bool:
    return any(point.stage_id == stage.stage_id for outcome in outcomes for point in outcome.path)


def _stage_row(stage: Stage, outcomes: tuple[GoldOutcome, ...]) -> tuple[str, ...]:
    cells = []
    for outcome in outcomes:
        point = next((one for one in outcome.path if one.stage_id == stage.stage_id), None)
        lost = " ✕" if outcome.lost_at == stage.stage_id else ""
        cells.append(place(point) + lost)
    return (stage.name, stage.kind.value, depth(stage), *cells)


def _prompt_row(view: RequestView) -> tuple[str, ...]:
    context = view.diagnosis.context
    known = f"{len(context.entries):,}" if context.known else "not recorded"
    return ("prompt", "", known, *(_in_prompt(outcome, context.known) for outcome in view.diagnosis.outcomes))


def _in_prompt(outcome: GoldOutcome, known: bool) -> str:  # noqa: FBT001 - one fact beside the other
    if outcome.position is not None:
        return f"position {outcome.position}"
    if not known:
        return "?"
    return "not in it ✕" if outcome.lost_at_context else "not in it"
