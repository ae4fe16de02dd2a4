"""From a recorded request and its labels to the case it would be: a full copy that nothing can hollow."""

from __future__ import annotations

from typing import NamedTuple

from ..evals import make_case_id
from ..model import (
    CaseHit,
    CaseLabel,
    CaseList,
    CaseOrigin,
    Complaint,
    Diagnosis,
    EvalCase,
    GoldOutcome,
    Label,
    RecordedRequest,
    Stage,
    StageKind,
    Verdict,
    make_case_key,
)
from .follow_up import refers_back

_FOUND = (Verdict.DELIVERED, Verdict.IGNORED)


class Wishes(NamedTuple):
    """What a person says about the case; None is taken from the request."""

    eval_set: str = ""
    kind: str | None = None
    question: str | None = None
    standalone: str | None = None
    expected_answer_contains: tuple[str, ...] = ()
    ticket: str | None = None
    note: str | None = None


class Judged(NamedTuple):
    """A request with everything a case is made from."""

    recorded: RecordedRequest
    labels: tuple[Label, ...]
    diagnosis: Diagnosis
    complaints: tuple[Complaint, ...]


def draft_case(judged: Judged, wishes: Wishes, *, who: str, now_ns: int) -> EvalCase:
    """The case; its set is the app's name where none is wished for."""
    request = judged.recorded.request
    question = request.question or "" if wishes.question is None else wishes.question
    groups = tuple(sorted(set(request.groups or ())))
    key = make_case_key(
        app=request.app, question=question, history=request.history, tenant=request.tenant, groups=groups
    )
    eval_set = wishes.eval_set or request.app or "default"
    ticket = wishes.ticket or next((one.complaint_id for one in judged.complaints), None)
    return EvalCase(
        case_id=make_case_id(eval_set, key),
        case_key=key,
        eval_set=eval_set,
        app=request.app,
        environment=request.environment,
        app_version=request.app_version,
        question=question,
        standalone=_standalone(judged.recorded) if wishes.standalone is None else wishes.standalone or None,
        history=request.history,
        tenant=request.tenant,
        groups=groups,
        filters=_filters(judged.recorded),
        as_of=request.as_of,
        labels=tuple(_case_label(label) for label in judged.labels),
        expected_answer_contains=wishes.expected_answer_contains,
        origin=CaseOrigin.COMPLAINT if ticket else CaseOrigin.SAMPLED,
        source_requests=(request.request_id,),
        ticket=ticket,
        failing_stage=_failing_stage(judged),
        lists=tuple(_case_list(stage) for stage in judged.recorded.stages if stage.has_list),
        notes=request.notes,
        verdict=judged.diagnosis.headline.verdict.value,
        note=wishes.note or None,
        kind=wishes.kind or None,
        author=who,
        created_ns=now_ns,
    )


def warnings_about(case: EvalCase) -> tuple[str, ...]:
    """What makes the case weaker than the request was."""
    if refers_back(case.question) and not case.history and not case.standalone:
        return ("The question refers back, and neither history nor a standalone form is recorded.",)
    return ()


def _case_label(label: Label) -> CaseLabel:
    return CaseLabel(
        judgement=label.judgement,
        grade=label.grade,
        evidence=label.evidence,
        target=label.target,
        who=label.who,
        at_ns=label.at_ns,
    )


def _case_list(stage: Stage) -> CaseList:
    return CaseList(
        stage=stage.name,
        kind=stage.kind,
        query=stage.query,
        top_k=stage.top_k,
        filters=stage.filters,
        index=stage.index,
        index_version=stage.index_version,
        hits=tuple(
            CaseHit(rank=hit.rank, chunk_id=hit.chunk_id, doc_id=hit.doc_id, score=hit.score, metadata=hit.metadata)
            for hit in stage.hits or ()
        ),
    )


def _standalone(recorded: RecordedRequest) -> str | None:
    """What a rewrite stage made of the question, where it says that its text needs no history."""
    question = recorded.request.question
    for stage in recorded.stages:
        single = len(stage.queries) == 1 and stage.technique in {"standalone", None}
        if stage.kind is StageKind.REWRITE and single and stage.queries[0] != question:
            return stage.queries[0]
    return None


def _filters(recorded: RecordedRequest) -> object:
    """The filter of the retrievers: the one that all share, else each by the name of its stage."""
    filters = {
        stage.name: stage.filters
        for stage in recorded.stages
        if stage.kind is StageKind.RETRIEVE and stage.filters is not None
    }
    first = next(iter(filters.values()), None)
    return first if all(value == first for value in filters.values()) else filters


def _failing_stage(judged: Judged) -> str | None:
    """The name of the stage that lost the gold of the headline, "prompt" for the prompt builder without a stage.

    Where a cut took it because a stage had pushed it down, that stage is named and not the cut.
    """
    lost = _lost_outcome(judged.diagnosis)
    if lost is None:
        return None
    stages = {stage.stage_id: stage for stage in judged.recorded.stages}
    stage = stages.get(lost.blamed or lost.lost_at or "")
    if stage is not None:
        return stage.name
    context = stages.get(judged.diagnosis.context.stage_id or "")
    if not lost.lost_at_context:
        return None
    return context.name if context is not None and context.kind is StageKind.ASSEMBLE else "prompt"


def _lost_outcome(diagnosis: Diagnosis) -> GoldOutcome | None:
    headline = diagnosis.headline.verdict
    lost = [outcome for outcome in diagnosis.outcomes if outcome.finding.verdict not in _FOUND]
    return next((outcome for outcome in lost if outcome.finding.verdict is headline), lost[0] if lost else None)
