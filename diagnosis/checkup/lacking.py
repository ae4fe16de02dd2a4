"""What one recorded request lacks."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final, NamedTuple

from ...model import ContextSource, Diagnosis, IdSource, Outcome, RecordedRequest, Stage, StageKind
from ...model.checkup import Lack
from ..lists import RANKERS, RETRIEVERS, has_failed, is_incomplete

OUTERMOST_ALONE: Final = "opentelemetry.instrumentation.genai."
"""How the names of instrumentations begin that suppress a search inside another one."""


class Observed(NamedTuple):
    """One request, as far as a checkup looks at it."""

    lacks: frozenset[Lack]
    reasons: Mapping[Lack, str]
    """Why, in the words of whoever read the telemetry, where they are known."""
    stages: tuple[str, ...]
    """ "bm25 (retrieve)", each once, in the flow's order: those that have a list, or should have one."""
    kinds: frozenset[StageKind]
    context: ContextSource
    question_source: str | None
    """None where the app recorded it; else how it was inferred."""
    has_prompt: bool
    """The messages of a model call are recorded."""


def observe(
    recorded: RecordedRequest, diagnosis: Diagnosis, *, writers: Collection[str] = (), corpus_known: bool
) -> Observed:
    """What the request holds and lacks. `corpus_known`: a manifest of the index that it searched is loaded.

    `writers` are the names of the instrumentations that wrote its spans.

    A request that did not end well may have got no prompt and no answer: that is no lack. Nor is it that nothing in
    a prompt is recognised where no search is recorded.
    """
    request = recorded.request
    stages = {stage.stage_id: stage for stage in recorded.stages}
    listed = [stages[one] for one in diagnosis.flow.order if one in stages and _lists(stages[one])]
    ended = request.outcome is Outcome.OK
    has_prompt = any(stage.prompt for stage in recorded.stages)
    searched = any(stage.kind in RETRIEVERS for stage in listed)
    hits = [hit for stage in listed for hit in stage.hits or ()]
    reasons: dict[Lack, str] = {}
    for stage in listed:
        lack = _trouble(stage)
        if lack is not None and not reasons.get(lack):
            reasons[lack] = _reason(recorded, stage)
    holds = {
        Lack.SEARCH: not searched,
        Lack.INNER: searched and len(listed) == 1 and any(one.startswith(OUTERMOST_ALONE) for one in writers),
        Lack.REQUEST: request.provisional,
        Lack.QUESTION: request.question is None,
        Lack.CONTEXT: ended and not diagnosis.context.known and (searched or not has_prompt),
        Lack.ANSWER: ended and request.answer is None,
        Lack.FLOW: bool(diagnosis.flow.unknown),
        Lack.TEXT: bool(hits) and all(hit.text is None for hit in hits),
        Lack.ID: any(hit.id_source is IdSource.DERIVED for hit in hits),
        Lack.CORPUS: not corpus_known,
    }
    return Observed(
        lacks=frozenset({*reasons, *(lack for lack, true in holds.items() if true)}),
        reasons=reasons,
        stages=tuple(dict.fromkeys(f"{stage.name} ({stage.kind.value})" for stage in listed)),
        kinds=frozenset(stage.kind for stage in listed),
        context=diagnosis.context.source,
        question_source=request.question_source,
        has_prompt=has_prompt,
    )


def _lists(stage: Stage) -> bool:
    """It has a list, or is of a kind that always makes one. An ordinary tool makes none."""
    return stage.hits is not None or stage.kind in RANKERS or stage.kind is StageKind.RETRIEVE


def _trouble(stage: Stage) -> Lack | None:
    """What its list lacks; of a failed stage none was to be expected."""
    if has_failed(stage) or not is_incomplete(stage):
        return None
    return Lack.LIST if stage.hits is None else Lack.RANKS


def _reason(recorded: RecordedRequest, stage: Stage) -> str:
    """Why this stage's list is not whole, as found when its telemetry was read; empty where nothing was said."""
    noted = stage.notes.get("completeness")
    if isinstance(noted, str):
        return noted
    start = f"{stage.name}: "
    return next((one.removeprefix(start) for one in recorded.request.missing if one.startswith(start)), "")
