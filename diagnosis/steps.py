"""Step replay: a recorded request stage by stage, from what was recorded alone."""

from __future__ import annotations

from collections.abc import Mapping

from ..model import Diagnosis, Edge, FlowSource, GoldOutcome, RecordedRequest, Stage, StageKind
from ..model.step import Step, StepGold, StepInput, StepMove
from .lists import index_list
from .sentence import count, joined


def steps_of(recorded: RecordedRequest, diagnosis: Diagnosis) -> tuple[Step, ...]:
    """One step for each stage, in the order of the flow. Empty for a request without stages."""
    stages = {stage.stage_id: stage for stage in recorded.stages}
    order = [stage_id for stage_id in diagnosis.flow.order if stage_id in stages]
    return tuple(
        _step(number, stages[stage_id], stages, recorded, diagnosis) for number, stage_id in enumerate(order, 1)
    )


def _step(
    number: int, stage: Stage, stages: Mapping[str, Stage], recorded: RecordedRequest, diagnosis: Diagnosis
) -> Step:
    edges = [edge for edge in diagnosis.flow.edges if edge.target_id == stage.stage_id]
    name = diagnosis.names.get(stage.stage_id, stage.name)
    inputs = tuple(_input(stage, stages[edge.source_id], diagnosis) for edge in edges if edge.source_id in stages)
    moves = _moves(stage, [stages[one.stage_id] for one in inputs], {one.stage_id: one.length for one in inputs})
    length = None if stage.hits is None else len(index_list(stage).by_id)
    return Step(
        number=number,
        stage_id=stage.stage_id,
        name=name,
        kind=stage.kind,
        inputs=inputs,
        flow_source=_source(edges),
        text_in=_text_in(stage, recorded),
        texts_out=stage.queries or ((stage.text,) if stage.text else ()),
        length_out=length,
        moves=moves,
        golds=tuple(_gold(outcome, stage, diagnosis) for outcome in diagnosis.outcomes),
        sentence=_sentence(name, stage, inputs, moves),
        started_ms=max(0, stage.start_ns - recorded.request.start_ns) / 1e6,
        took_ms=stage.duration_ms,
        error=stage.error,
    )


def _source(edges: list[Edge]) -> FlowSource:
    return edges[0].flow_source if edges else FlowSource.UNKNOWN


def _input(stage: Stage, source: Stage, diagnosis: Diagnosis) -> StepInput:
    depth = next((given.depth for given in stage.inputs if given.stage_id == source.stage_id), None)
    length = len(index_list(source).by_id)
    return StepInput(
        stage_id=source.stage_id,
        name=diagnosis.names.get(source.stage_id, source.name),
        length=length if depth is None else min(depth, length),
    )


def _text_in(stage: Stage, recorded: RecordedRequest) -> str | None:
    if stage.query is not None:
        return stage.query
    return recorded.request.question if stage.kind is StageKind.REWRITE else None


def _moves(stage: Stage, sources: list[Stage], handed_over: Mapping[str, int]) -> tuple[StepMove, ...]:
    """Every chunk that came out, by rank; then those that went in and did not, by their best rank."""
    before: dict[str, int] = {}
    documents: dict[str, str | None] = {}
    for source in sources:
        for chunk_id, place in index_list(source).by_id.items():
            if place.rank <= handed_over[source.stage_id]:
                before[chunk_id] = min(place.rank, before.get(chunk_id, place.rank))
                documents[chunk_id] = place.hit.doc_id
    if stage.hits is None:
        return ()
    after = index_list(stage).by_id
    came = [
        StepMove(chunk_id=one, doc_id=place.hit.doc_id, before=before.get(one), after=place.rank)
        for one, place in after.items()
    ]
    left_out = sorted((rank, one) for one, rank in before.items() if one not in after)
    went = [StepMove(chunk_id=one, doc_id=documents[one], before=rank, after=None) for rank, one in left_out]
    return (*came, *went)


def _gold(outcome: GoldOutcome, stage: Stage, diagnosis: Diagnosis) -> StepGold:
    holds_context = stage.stage_id == diagnosis.context.stage_id
    return StepGold(
        label_id=outcome.label_id,
        name=outcome.name,
        point=next((point for point in outcome.path if point.stage_id == stage.stage_id), None),
        lost_here=stage.stage_id == outcome.lost_at or (outcome.lost_at_context and holds_context),
        position=outcome.position if holds_context else None,
    )


def _sentence(name: str, stage: Stage, inputs: tuple[StepInput, ...], moves: tuple[StepMove, ...]) -> str:
    if stage.hits is None:
        return _without_list(name, stage, inputs)
    given = sum(move.after is not None for move in moves)
    if not inputs:
        return f"{name} gave {count(given, 'hit')}."
    moved = sum(move.after is not None and move.before not in (None, move.after) for move in moves)
    left_out = sum(move.after is None for move in moves)
    took = joined([f"{one.length:,} of {one.name}" for one in inputs])
    return f"{name} took {took} and gave {count(given, 'hit')}: {moved:,} moved, {left_out:,} left out."


def _without_list(name: str, stage: Stage, inputs: tuple[StepInput, ...]) -> str:
    if stage.error:
        return f"{name} failed."
    if stage.queries:
        return f"{name} wrote {len(stage.queries):,} {'query' if len(stage.queries) == 1 else 'queries'}."
    took = f" from {joined([one.name for one in inputs])}" if inputs else ""
    return f"{name} wrote a text{took}." if stage.text or stage.kind is StageKind.GENERATE else f"{name} ran{took}."
