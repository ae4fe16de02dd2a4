"""How sure a verdict is: recorded, derived or inferred."""

from __future__ import annotations

from ..model import Certainty, ContextSource, FlowSource, GoldPoint, InPrompt, MatchedBy, PointState, Verdict
from .gold_case import GoldCase
from .lists import is_incomplete

_AS_RECORDED = frozenset({MatchedBy.ID_AND_TEXT, MatchedBy.DOCUMENT})
_KNOWN_FLOW = frozenset({FlowSource.DECLARED, FlowSource.RECORDED})
_WITHOUT_FLOW = frozenset({Verdict.STALE_LABEL, Verdict.NOT_IN_CORPUS, Verdict.NOT_RETRIEVED})
_BY_THE_PROMPT = frozenset({Verdict.DELIVERED, Verdict.IGNORED, Verdict.PARTLY_FOUND})
"""Verdicts that the context alone decides, whatever is missing from the lists before it."""


def certainty_of(case: GoldCase, verdict: Verdict) -> Certainty:
    """Recorded: complete lists, matched by id and text, over lines that are declared or recorded.

    Derived: a line was derived, a text was unknown, or the match went by text, sentence or parent. Inferred: a list
    on the way is incomplete. Unknown is what `unknown` says.
    """
    if verdict is Verdict.UNKNOWN:
        return Certainty.UNKNOWN
    way = _way(case)
    if verdict not in _BY_THE_PROMPT and any(
        is_incomplete(case.evidence.graph.stages[point.stage_id]) for point in way
    ):
        return Certainty.INFERRED
    if _is_derived(case, verdict, way):
        return Certainty.DERIVED
    return Certainty.RECORDED


def _way(case: GoldCase) -> list[GoldPoint]:
    """The points of the lists that the verdict looks at: those up to L, or all where it is in none."""
    if case.last is None:
        return [point for point in case.points.values() if point.state is not PointState.FAILED]
    way = {case.last} | case.evidence.graph.before(case.last)
    return [point for stage_id, point in case.points.items() if stage_id in way and point.state is PointState.FOUND]


def _is_derived(case: GoldCase, verdict: Verdict, way: list[GoldPoint]) -> bool:
    if any(point.matched_by is not None and point.matched_by not in _AS_RECORDED for point in way):
        return True
    if verdict is Verdict.STALE_LABEL:
        return not case.matcher.facts.corpus_known
    if verdict in _BY_THE_PROMPT:
        return _placed_by_derivation(case)
    if verdict in _WITHOUT_FLOW or case.last is None:
        return False
    graph = case.evidence.graph
    lines = [graph.source.get(point.stage_id, FlowSource.UNKNOWN) for point in way if graph.inputs.get(point.stage_id)]
    if case.step is not None:
        stage = case.step.stage
        lines.append(graph.source[stage.stage_id] if stage is not None else case.evidence.feeds.source)
    return any(line not in _KNOWN_FLOW for line in lines)


def _placed_by_derivation(case: GoldCase) -> bool:
    """Whether the place in the prompt is known by less than the prompt's own words."""
    placement = case.placement
    if placement is None or placement.by not in _AS_RECORDED or placement.ambiguous_with:
        return True
    source = case.evidence.reading.context.source
    by_id = placement.form in {InPrompt.BY_ID, InPrompt.BY_PARENT} and source is not ContextSource.DECLARED
    return by_id or placement.holds_words is None
