"""The gold path: the gold's rank after each stage, and the path in few characters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..model import Flow, GoldOutcome, GoldPoint, Level, PointState, Stage, StageKind, Verdict
from .flow import Graph
from .lists import RANKERS, RETRIEVERS, Place, RankedList, has_failed, is_incomplete
from .matching import Match, Matcher


def gold_points(matcher: Matcher, graph: Graph, lists: Mapping[str, RankedList]) -> tuple[GoldPoint, ...]:
    """One point for each stage with a list, a failed one, or one whose list was not recorded, in the flow's order.

    The rank is that of the best place where the gold stands, whole before in part.
    """
    points = []
    for stage_id in graph.flow.order:
        stage = graph.stages[stage_id]
        if stage_id in lists:
            points.append(_listed_point(matcher, lists[stage_id]))
        elif stage_id not in graph.shells and stage.kind in RETRIEVERS | RANKERS | {StageKind.ASSEMBLE}:
            if has_failed(stage):
                points.append(GoldPoint(stage_id=stage_id, state=PointState.FAILED))
            elif is_incomplete(stage) and stage.kind is not StageKind.TOOL:
                points.append(GoldPoint(stage_id=stage_id, state=PointState.UNKNOWN))
    return tuple(points)


def _listed_point(matcher: Matcher, ranked: RankedList) -> GoldPoint:
    found = _best(matcher, ranked)
    if found is None:
        unsure = is_incomplete(ranked.stage)
        return GoldPoint(stage_id=ranked.stage.stage_id, state=PointState.UNKNOWN if unsure else PointState.ABSENT)
    place, match = found
    return GoldPoint(
        stage_id=ranked.stage.stage_id,
        state=PointState.FOUND,
        rank=place.rank,
        distinct_rank=place.distinct_rank,
        score=place.hit.score,
        matched_by=match.by,
        chunk_id=place.hit.chunk_id,
        part=match.part,
        document_rank=_document_rank(ranked, place) if matcher.target.level is Level.DOCUMENT else None,
    )


def _best(matcher: Matcher, ranked: RankedList) -> tuple[Place, Match] | None:
    part: tuple[Place, Match] | None = None
    for place in ranked.places:
        match = matcher.of(place.hit)
        if match is not None and not match.part:
            return place, match
        if match is not None and part is None:
            part = place, match
    return part


def _document_rank(ranked: RankedList, place: Place) -> int:
    """1-based among the distinct documents of the list, up to the place."""
    seen: dict[str, None] = {}
    for one in ranked.places:
        seen[one.hit.doc_id or one.hit.chunk_id] = None
        if one is place:
            break
    return len(seen)


def gold_path_text(outcome: GoldOutcome, flow: Flow, stages: Sequence[Stage]) -> str:
    """The path for a column of a list: "1 · 14 → 2 → 9 ✕5".

    Distinct ranks; legs that begin the flow joined by " · ", each later stage behind " → "; "–" not in the list,
    "?" the list is incomplete or not recorded, "failed"; "✕5" the prompt took 5 and not this one, "✓" it reached
    the prompt. The path ends where the gold was lost; in no list at all it is "in no list", and where its text stands
    in the prompt all the same, "in the prompt, in no list".
    """
    by_id = {point.stage_id: point for point in outcome.path}
    found = [stage_id for stage_id in flow.order if stage_id in by_id and by_id[stage_id].rank is not None]
    sent = outcome.position is not None or outcome.finding.verdict in {Verdict.DELIVERED, Verdict.IGNORED}
    if not found:
        return "in the prompt, in no list" if sent else "in no list"
    kinds = {stage.stage_id: stage.kind for stage in stages}
    legs: list[str] = []
    later: list[str] = []
    for stage_id in flow.order[: _end(outcome, flow, found) + 1]:
        if stage_id in by_id:
            first = flow.level.get(stage_id, 0) == 0 and kinds.get(stage_id, StageKind.RETRIEVE) in RETRIEVERS
            (legs if first else later).append(_mark(by_id[stage_id]))
    path = " → ".join([" · ".join(legs), *later] if legs else later)
    if sent and not outcome.lost_at_context:
        return f"{path} ✓"
    return f"{path} ✕{outcome.takes}" if outcome.lost_at_context and outcome.takes is not None else path


def _end(outcome: GoldOutcome, flow: Flow, found: Sequence[str]) -> int:
    last = [flow.order.index(found[-1])]
    if outcome.lost_at in flow.order:
        last.append(flow.order.index(outcome.lost_at))
    return max(last)


def _mark(point: GoldPoint) -> str:
    if point.state is PointState.FOUND:
        return str(point.distinct_rank)
    return {PointState.ABSENT: "–", PointState.UNKNOWN: "?", PointState.FAILED: "failed"}[point.state]
