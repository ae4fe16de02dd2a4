"""`compare`: two recorded requests of any origin, aligned by stage and chunk."""

from __future__ import annotations

from typing import NamedTuple

from ...model import Diagnosis, Message, RecordedRequest, Stage, StageKind
from ...model.comparison import ChunkMove, Difference, GoldShift, Move, RequestComparison, StagePair, TextDiffPart
from ..lists import index_list
from ..word_diff import text_diff
from .alignment import Aligned, align
from .differences import SHARED, request_differences, shared_differences, stage_differences
from .golds import Side, gold_shifts
from .moves import chunk_moves


class Judged(NamedTuple):
    """A recorded request with what diagnosis says of it."""

    recorded: RecordedRequest
    diagnosis: Diagnosis


def compare(then: Judged, now: Judged, *, pinned: frozenset[str] = frozenset()) -> RequestComparison:
    """What differs between two requests. `pinned` are stages of the second that returned what was recorded.

    For the golds both must be judged by the same labels. Times never count as a difference. Pure.
    """
    stages = tuple(
        _pair(aligned, then.diagnosis, now.diagnosis, pinned) for aligned in align(_in_order(then), _in_order(now))
    )
    differences = (
        *request_differences(then.recorded.request, now.recorded.request),
        *shared_differences([pair.differences for pair in stages]),
    )
    golds = gold_shifts(_side(then), _side(now), differences)
    first = next((place for place, pair in enumerate(stages) if pair.differs), None)
    before, after = _prompt(then), _prompt(now)
    answers = then.recorded.request.answer or "", now.recorded.request.answer or ""
    return RequestComparison(
        then_id=then.recorded.request.request_id,
        now_id=now.recorded.request.request_id,
        sentence=_sentence(golds, stages, first, same_answer=answers[0] == answers[1]),
        differences=differences,
        stages=stages,
        first_difference=first,
        golds=golds,
        prompt=() if before is None or after is None else text_diff(before, after),
        answer=text_diff(*answers),
        answer_same=answers[0] == answers[1],
        prompt_same=None if before is None or after is None else before == after,
    )


def _in_order(judged: Judged) -> list[Stage]:
    by_id = {stage.stage_id: stage for stage in judged.recorded.stages}
    return [by_id[stage_id] for stage_id in judged.diagnosis.flow.order if stage_id in by_id]


def _side(judged: Judged) -> Side:
    stages = judged.recorded.stages
    return Side(
        judged.diagnosis,
        {stage.stage_id: stage.kind for stage in stages},
        {stage.stage_id: index_list(stage).listed for stage in stages if stage.hits is not None},
    )


def _pair(aligned: Aligned, then: Diagnosis, now: Diagnosis, pinned: frozenset[str]) -> StagePair:
    before, after = aligned
    shown = after or before
    assert shown is not None  # noqa: S101 - `align` pairs nothing with nothing
    moves = chunk_moves(before, after, {**then.marks, **now.marks})
    differences = () if before is None or after is None else stage_differences(before, after)
    return StagePair(
        kind=shown.kind,
        name=(now if after else then).names.get(shown.stage_id, shown.name),
        then_id=before.stage_id if before else None,
        now_id=after.stage_id if after else None,
        differs=_differs(aligned, differences, moves),
        differences=differences,
        moves=moves,
        text=() if moves else _written(before, after),
        pinned=after is not None and after.stage_id in pinned,
    )


def _written(then: Stage | None, now: Stage | None) -> tuple[TextDiffPart, ...]:
    """By words; the answer and the prompt are compared as a whole, not at their stages."""
    kinds = {stage.kind for stage in (then, now) if stage is not None}
    if kinds & {StageKind.GENERATE, StageKind.ASSEMBLE}:
        return ()
    before, after = (_text_of(stage) for stage in (then, now))
    return text_diff(before, after) if before or after else ()


def _text_of(stage: Stage | None) -> str:
    if stage is None:
        return ""
    return stage.text or "\n".join(stage.queries)


def _differs(aligned: Aligned, differences: tuple[Difference, ...], moves: tuple[ChunkMove, ...]) -> bool:
    """Whether it did something else. Another version of an index alone is said above, and is no other result."""
    then, now = aligned
    if then is None or now is None:
        return True
    if any(one.what not in SHARED for one in differences) or then.text != now.text or then.prompt != now.prompt:
        return True
    if then.has_list != now.has_list:
        return True
    return any(move.move is not Move.SAME or move.text_changed for move in moves)


def _prompt(judged: Judged) -> str | None:
    """The prompt of the generate stage that wrote the answer, its messages joined by a blank line."""
    if judged.diagnosis.context.prompt_text is not None:
        return judged.diagnosis.context.prompt_text
    prompts = [stage.prompt for stage in _in_order(judged) if stage.kind is StageKind.GENERATE and stage.prompt]
    return _joined(prompts[-1]) if prompts else None


def _joined(prompt: tuple[Message, ...]) -> str:
    return "\n\n".join(message.text for message in prompt)


def _sentence(
    golds: tuple[GoldShift, ...], stages: tuple[StagePair, ...], first: int | None, *, same_answer: bool
) -> str:
    moved = [shift for shift in golds if shift.then_place != shift.now_place]
    if moved:
        return moved[0].sentence
    answer = "The answer is the same, word for word" if same_answer else "The answer is another one"
    if first is None:
        return f"{answer}; every stage did the same."
    return f"{answer}; the first stage that differs is {stages[first].name}."
