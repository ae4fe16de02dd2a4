"""When each stage began and how long it took."""

from __future__ import annotations

from typing import NamedTuple

from ...model import RecordedRequest
from .. import amounts, marks


class TimingRow(NamedTuple):
    """One stage on the clock of its request."""

    stage: str
    kind: str
    began_ms: float
    """After the request's start; below 0 where the clocks disagree."""
    duration_ms: float | None
    took: str
    outcome: str
    note: str


def timing_rows(recorded: RecordedRequest) -> tuple[TimingRow, ...]:
    """All stages by start."""
    start = recorded.request.start_ns
    return tuple(
        TimingRow(
            stage=stage.name,
            kind=stage.kind.value,
            began_ms=(stage.start_ns - start) / 1e6,
            duration_ms=stage.duration_ms,
            took=amounts.milliseconds(stage.duration_ms) or amounts.took(stage.duration_ms),
            outcome=marks.outcome_words(stage.outcome),
            note=stage.error or stage.clock_note or "",
        )
        for stage in recorded.stages
    )
