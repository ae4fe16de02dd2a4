"""The gold path as a table: the figure's numbers, one row a stage."""

from __future__ import annotations

from ...model import Diagnosis, GoldOutcome, PointState, RecordedRequest
from ..figures.gold_tracks import PROMPT, gold_path
from ..text import cell


def gold_table(recorded: RecordedRequest, diagnosis: Diagnosis) -> dict[str, list[str]]:
    """Columns with stage, hits, and for each gold its rank; how it was matched where there is one gold."""
    path = gold_path(recorded, diagnosis)
    many = len(diagnosis.outcomes) > 1
    table = {
        "stage": [cell(column.name, 60) for column in path.columns],
        "hits": [column.note for column in path.columns],
    }
    for track, outcome in zip(path.golds, diagnosis.outcomes, strict=True):
        title = f"{track.letter} rank" if many else "rank"
        table[title] = [_place(column.column_id, outcome) for column in path.columns]
        if not many:
            table["matched by"] = [_matched(column.column_id, outcome) for column in path.columns]
    return table


def _place(column_id: str, outcome: GoldOutcome) -> str:
    if column_id == PROMPT:
        return "not in it" if outcome.position is None else str(outcome.position)
    point = next((point for point in outcome.path if point.stage_id == column_id), None)
    if point is None or point.state is PointState.UNKNOWN:
        return "not known"
    if point.state is PointState.FAILED:
        return "failed"
    if point.rank is None:
        return "not in list"
    if point.distinct_rank is not None and point.distinct_rank != point.rank:
        return f"{point.distinct_rank} (listed {point.rank})"
    return str(point.rank)


def _matched(column_id: str, outcome: GoldOutcome) -> str:
    point = next((point for point in outcome.path if point.stage_id == column_id), None)
    if point is None or point.matched_by is None:
        return ""
    return point.matched_by.value + (", a part of it" if point.part else "")
