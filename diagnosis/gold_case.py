"""One gold with all that the verdict table looks at: its path, the last list that has it, and the step that lost it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ..model import ContextSource, GoldPoint, Level, PointState, Request, Stage, StageInput, StageKind
from .context import Reading
from .feeds import Feeds
from .flow import Graph
from .lists import RANKERS, RankedList, has_failed
from .matching import Matcher
from .placement import Placement, without_expected


class Evidence(NamedTuple):
    """What is known of the request, the same for all of its golds."""

    request: Request
    graph: Graph
    lists: Mapping[str, RankedList]
    """In the flow's order, each list once."""
    reading: Reading
    feeds: Feeds
    names: Mapping[str, str]
    """Stage id -> name as sentences say it."""
    expected: tuple[str, ...]
    """Phrases that a right answer contains."""


class Step(NamedTuple):
    """S: the next stage with a list on the path that went on, or the context."""

    stage: Stage | None
    """None: the context."""
    takes: int
    """n: how many chunks its list has; of the context and of an assembled list, how many of L's hits are in it."""
    given: StageInput | None
    """L as its input, where that is recorded."""

    @property
    def is_prompt(self) -> bool:
        """Whether it is the context, or the list that the prompt builder made of it."""
        return self.stage is None or (self.stage.kind is StageKind.ASSEMBLE and not has_failed(self.stage))


class GoldCase(NamedTuple):
    """One gold in one request."""

    evidence: Evidence
    matcher: Matcher
    points: Mapping[str, GoldPoint]
    """Stage id -> the gold after it, in the flow's order."""
    placement: Placement | None
    last: str | None
    """L: the stage whose list is the last on its way that has it. None: it is in no list."""
    step: Step | None
    """S. None: nothing after L is recorded, or it is not known what."""

    @property
    def last_point(self) -> GoldPoint:
        """The gold in L. Asked only where there is an L."""
        return self.points[self.last or ""]

    @property
    def rank(self) -> int:
        """Its distinct rank in L, 1-based; 0 where it is in no list."""
        return (self.points[self.last].distinct_rank or 0) if self.last is not None else 0

    def name(self, stage_id: str) -> str:
        """The stage's name as sentences say it."""
        return self.evidence.names.get(stage_id, stage_id)

    def input_rank(self, stage_id: str) -> int | None:
        """Its best distinct rank among the lists that went into a stage; None where none of them has it."""
        ranks = [
            self.points[one.stage_id].distinct_rank
            for one in self.evidence.graph.inputs.get(stage_id, ())
            if one.stage_id in self.points
        ]
        return min((rank for rank in ranks if rank is not None), default=None)


def make_case(
    evidence: Evidence, matcher: Matcher, points: Mapping[str, GoldPoint], placement: Placement | None
) -> GoldCase:
    """The case with L and S looked up."""
    last = last_list(evidence, points)
    step = next_step(evidence, points, last) if last is not None else None
    if placement is not None and matcher.target.level is Level.CHUNK:
        placement = without_expected(placement, matcher.chunks, evidence.expected, evidence.request.answer)
    return GoldCase(evidence, matcher, points, placement, last, step)


def steps_to_go(evidence: Evidence) -> dict[str, int]:
    """Stage id -> how many stages at most lie between its list and the context, for those that lead there.

    Where the context is unknown, its place is taken by every list that nothing recorded took in.
    """
    graph, feeds = evidence.graph, set(evidence.feeds.stage_ids)
    if not evidence.reading.context.known:
        feeds = {one for one in evidence.lists if not _successors(evidence, one)}
    to_go: dict[str, int] = {}
    for stage_id in reversed(graph.flow.order):
        ahead = [to_go[one] + 1 for one in graph.outputs.get(stage_id, ()) if one in to_go]
        if stage_id in feeds:
            ahead.append(0)
        if ahead:
            to_go[stage_id] = max(ahead)
    return to_go


def last_list(evidence: Evidence, points: Mapping[str, GoldPoint]) -> str | None:
    """L: of the lists that have the gold, the one that got farthest; the best rank decides between equals.

    A list whose way leads to the context goes before one whose way on is not known.
    """
    to_go = steps_to_go(evidence)
    made = evidence.reading.context.stage_id if evidence.reading.context.source is ContextSource.ASSEMBLE else None
    found = [point for point in points.values() if point.state is PointState.FOUND]
    found = [point for point in found if point.stage_id != made] or found
    level = evidence.graph.flow.level
    return min(
        (
            (
                point.stage_id not in to_go,
                to_go.get(point.stage_id, 0),
                -level.get(point.stage_id, 0),
                point.distinct_rank or 0,
                evidence.graph.place(point.stage_id),
                point.stage_id,
            )
            for point in found
        ),
        default=(None,),
    )[-1]


def next_step(evidence: Evidence, points: Mapping[str, GoldPoint], last: str) -> Step | None:
    """S after L: the next stage on the path that leads to the context; else the context; else the next there is."""
    to_go = steps_to_go(evidence)
    ahead = [
        one for one in _successors(evidence, last) if one not in points or points[one].state is not PointState.FOUND
    ]
    on_path = [one for one in ahead if one in to_go]
    if on_path:
        return _stage_step(evidence, last, on_path[0])
    if evidence.reading.context.known and last in evidence.feeds.stage_ids:
        return Step(None, _in_context(evidence, last), None)
    with_list = [one for one in ahead if one in evidence.lists]
    return _stage_step(evidence, last, (with_list or ahead)[0]) if ahead else None


def _successors(evidence: Evidence, stage_id: str) -> list[str]:
    """The stages that took the list in and gave, or should have given, a list; looked for behind those that did not."""
    context = evidence.reading.context
    made = context.stage_id if context.source is ContextSource.ASSEMBLE else None
    found: dict[str, None] = {}
    waiting = list(evidence.graph.outputs.get(stage_id, ()))
    seen: set[str] = set()
    while waiting:
        one = waiting.pop(0)
        if one in seen or one == made:
            continue
        seen.add(one)
        stage = evidence.graph.stages[one]
        failed = has_failed(stage) and stage.kind is not StageKind.GENERATE
        if stage.hits is not None or stage.kind in RANKERS or failed:
            found[one] = None
        else:
            waiting.extend(evidence.graph.outputs.get(one, ()))
    return sorted(found, key=evidence.graph.place)


def _stage_step(evidence: Evidence, last: str, stage_id: str) -> Step:
    stage = evidence.graph.stages[stage_id]
    given = next((one for one in evidence.graph.inputs.get(stage_id, ()) if one.stage_id == last), None)
    ranked = evidence.lists.get(stage_id)
    if ranked is not None and stage.kind is StageKind.ASSEMBLE and last in evidence.lists:
        return Step(stage, len(ranked.by_id.keys() & evidence.lists[last].by_id.keys()), given)
    return Step(stage, ranked.length if ranked is not None else 0, given)


def _in_context(evidence: Evidence, last: str) -> int:
    """How many of the list's chunks are in the context."""
    present = {entry.chunk_id for entry in evidence.reading.context.entries}
    ranked = evidence.lists.get(last)
    return len(ranked.by_id.keys() & present) if ranked is not None else 0
