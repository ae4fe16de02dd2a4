"""What the prompt held, and where each chunk of it came from."""

from __future__ import annotations

from typing import NamedTuple

from ...model import ChunkMark, ContextSource, Diagnosis, InPrompt, RecordedRequest, StageKind
from .. import marks


class DeliveredRow(NamedTuple):
    """One chunk of the context."""

    position: int
    chunk_id: str
    came_from: str
    """Its ranks in the retrievers' lists: "bm25 4 · dense 4"; "–" where it is in none of them."""
    marks: tuple[ChunkMark, ...]
    form: str
    """Empty for a whole chunk; "cut: 300 of 900 characters", "by its parent"."""


def delivered_rows(recorded: RecordedRequest, diagnosis: Diagnosis) -> tuple[DeliveredRow, ...]:
    """The context in its order."""
    legs = {stage.stage_id: stage.name for stage in recorded.stages if stage.kind is StageKind.RETRIEVE}
    rows = []
    for entry in diagnosis.context.entries:
        places = [f"{legs[place.stage_id]} {place.rank}" for place in entry.came_from if place.stage_id in legs]
        form = "" if entry.form is InPrompt.WHOLE else entry.form.value
        if entry.form is InPrompt.CUT and entry.chars_sent is not None and entry.chars_total is not None:
            form = f"cut: {entry.chars_sent:,} of {entry.chars_total:,} characters"
        rows.append(
            DeliveredRow(
                position=entry.position,
                chunk_id=entry.chunk_id,
                came_from=" · ".join(places) or "–",
                marks=marks.ordered(diagnosis.marks.get(entry.chunk_id, ())),
                form=form,
            )
        )
    return tuple(rows)


def delivered_title(diagnosis: Diagnosis) -> str:
    """ "Delivered instead" where no gold is in the prompt, else "What the prompt held"."""
    golds = diagnosis.outcomes and all(outcome.position is None for outcome in diagnosis.outcomes)
    return "Delivered instead" if golds else "What the prompt held"


def context_source(diagnosis: Diagnosis) -> str:
    """How it is known what the prompt held."""
    return {
        ContextSource.PROMPT: "found in the recorded prompt",
        ContextSource.ASSEMBLE: "as the prompt builder returned it",
        ContextSource.DECLARED: "as the app declared it",
        ContextSource.UNKNOWN: "not recorded",
    }[diagnosis.context.source]
