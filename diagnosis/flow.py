"""Flow: which stage's output went into which. Declared, else recorded, else derived, else unknown.

Derived means: the fewest latest earlier lists, not yet consumed, that together cover the stage's chunk ids; into a
fusion also every other such list that shares one of them, for what it cut off may stand in one of its legs alone. A
stage's clock alone never makes a line: a retriever beside another one takes nothing from it.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..model import Edge, Flow, FlowSource, Stage, StageInput, StageKind
from .cover import Candidate, fewest_that_cover
from .lists import RANKERS, RETRIEVERS, has_failed
from .nesting import ancestors_of, same_lists, shells

_SOURCES = RETRIEVERS | {StageKind.REWRITE, StageKind.EMBED}
"""Kinds that take in, by derivation, nothing but the lists of stages inside them."""


class Graph(NamedTuple):
    """The flow with what the rules ask of it."""

    flow: Flow
    stages: Mapping[str, Stage]
    inputs: Mapping[str, tuple[StageInput, ...]]
    """Stage id -> the lists that went into it; a list that is recorded twice under the stage that stands for it."""
    outputs: Mapping[str, tuple[str, ...]]
    """Stage id -> the stages that its list went into, in the flow's order."""
    stands_for: Mapping[str, str]
    """Stage whose list is recorded twice -> the stage that stands for it."""
    around: Mapping[str, tuple[str, ...]]
    """Stage id -> the recorded stages around it, the nearest first."""
    shells: frozenset[str]
    """Retrievers and tools without a list of their own around others that have one, or that failed."""
    source: Mapping[str, FlowSource]
    """Stage id -> how its inputs are known."""
    candidates: tuple[Candidate, ...]
    """The lists by chunk id, newest first."""
    coarse: tuple[Candidate, ...]
    """The same lists by chunk id, document and parent."""

    def before(self, stage_id: str) -> set[str]:
        """The stages whose output went into it, directly or through others."""
        return _reach(stage_id, {one: [given.stage_id for given in inputs] for one, inputs in self.inputs.items()})

    def after(self, stage_id: str) -> set[str]:
        """The stages that its output went into, directly or through others."""
        return _reach(stage_id, self.outputs)

    def place(self, stage_id: str) -> int:
        """Its place in the order of the page, from 0."""
        return self.flow.order.index(stage_id)


class _Builder:
    """Adds one stage after the other, in the order in which their outputs were ready."""

    def __init__(self, stages: Sequence[Stage]) -> None:
        self.by_id = {stage.stage_id: stage for stage in reversed(stages)}
        self.around = ancestors_of(stages)
        self.ready = _innermost_first(stages, self.around)
        self.stands_for = same_lists(self.ready, self.around)
        self.inputs: dict[str, tuple[StageInput, ...]] = {}
        self.outputs: dict[str, list[str]] = defaultdict(list)
        self.source: dict[str, FlowSource] = {}
        self.candidates: list[Candidate] = []
        self.coarse: list[Candidate] = []

    def build(self) -> Graph:
        for stage in self.ready:
            if stage.stage_id not in self.stands_for:
                self._add(stage)
        order = _order(self.by_id, self.outputs)
        place = {stage_id: number for number, stage_id in enumerate(order)}
        outputs = {one: tuple(sorted(targets, key=place.__getitem__)) for one, targets in self.outputs.items()}
        return Graph(
            flow=self._flow(order),
            stages=self.by_id,
            inputs=self.inputs,
            outputs=outputs,
            stands_for=self.stands_for,
            around=self.around,
            shells=shells(self.ready, self.around),
            source=self.source,
            candidates=tuple(reversed(self.candidates)),
            coarse=tuple(reversed(self.coarse)),
        )

    def _add(self, stage: Stage) -> None:
        given, source = self._given(stage)
        if source is FlowSource.UNKNOWN and not stage.inputs and _may_take_in(stage):
            given = self._derived(stage)
            source = FlowSource.DERIVED if given else FlowSource.UNKNOWN
        kept = []
        for one in given:
            if stage.stage_id != one.stage_id and one.stage_id not in _reach(stage.stage_id, self.outputs):
                kept.append(one)
                self.outputs[one.stage_id].append(stage.stage_id)
        self.inputs[stage.stage_id] = tuple(kept)
        self.source[stage.stage_id] = source if kept or not given else FlowSource.UNKNOWN
        self._offer(stage)

    def _given(self, stage: Stage) -> tuple[tuple[StageInput, ...], FlowSource]:
        """What the app declared or the shim recorded, also for a stage that this one stands for.

        Inputs that never came leave nothing to draw, and nothing is derived in their place.
        """
        twins = [self.by_id[one] for one, kept in self.stands_for.items() if kept == stage.stage_id]
        for one in (stage, *twins):
            if one.flow_source is FlowSource.DECLARED or (one.flow_source is FlowSource.RECORDED and one.inputs):
                found: dict[str, StageInput] = {}
                for given in one.inputs:
                    kept = self.stands_for.get(given.stage_id, given.stage_id)
                    if kept in self.by_id and kept not in {stage.stage_id, *found}:
                        found[kept] = given.model_copy(update={"stage_id": kept})
                return tuple(found.values()), one.flow_source if found or not one.inputs else FlowSource.UNKNOWN
        return (), FlowSource.UNKNOWN

    def _derived(self, stage: Stage) -> tuple[StageInput, ...]:
        open_lists = [one for one in reversed(self.candidates) if self._is_open_to(one.stage_id, stage)]
        ids = [hit.chunk_id for hit in stage.hits or ()]
        if not ids:
            chosen = tuple(one.stage_id for one in open_lists)
            several = len(chosen) > 1 and stage.kind is not StageKind.FUSE
            return () if several else tuple(StageInput(stage_id=one) for one in reversed(chosen))
        found = fewest_that_cover(ids, open_lists)
        if found is None:
            open_lists = [one for one in reversed(self.coarse) if self._is_open_to(one.stage_id, stage)]
            found = fewest_that_cover(ids, open_lists) or ()
        if stage.kind is StageKind.FUSE and found:
            wanted = set(ids)
            found += tuple(one.stage_id for one in open_lists if one.stage_id not in found and one.ids & wanted)
        in_order = [one.stage_id for one in self.candidates if one.stage_id in found]
        return tuple(StageInput(stage_id=one) for one in in_order)

    def _is_open_to(self, stage_id: str, stage: Stage) -> bool:
        """Whether this list was there for `stage`, and no other stage has taken it."""
        taken = any(
            self.by_id[one].hits is not None or not has_failed(self.by_id[one]) for one in self.outputs[stage_id]
        )
        if taken or stage_id in self.around[stage.stage_id]:
            return False
        if stage.stage_id in self.around[stage_id]:
            return True
        other = self.by_id[stage_id]
        in_time = other.start_ns <= stage.start_ns and (other.end_ns is None or other.end_ns <= stage.start_ns)
        odd_clock = bool(other.clock_note or stage.clock_note)
        return stage.kind not in _SOURCES and (in_time or odd_clock)

    def _offer(self, stage: Stage) -> None:
        """Puts its list up for later stages. A ranker without a recorded list passes on what went into it."""
        if stage.hits is not None:
            ids = {hit.chunk_id for hit in stage.hits}
            wider = {one for hit in stage.hits for one in (hit.doc_id, hit.parent_id) if one is not None}
            self.candidates.append(Candidate(stage.stage_id, ids))
            self.coarse.append(Candidate(stage.stage_id, ids | wider))
        elif stage.kind in RANKERS and not has_failed(stage):
            taken = {given.stage_id for given in self.inputs[stage.stage_id]}
            for lists in (self.candidates, self.coarse):
                passed: set[str] = set().union(*(one.ids for one in lists if one.stage_id in taken))
                lists.append(Candidate(stage.stage_id, passed))

    def _flow(self, order: tuple[str, ...]) -> Flow:
        edges = tuple(
            Edge(source_id=given.stage_id, target_id=stage_id, flow_source=self.source[stage_id])
            for stage_id in order
            for given in self.inputs.get(stage_id, ())
        )
        level: dict[str, int] = {}
        for stage_id in order:
            level[stage_id] = 1 + max((level[one.stage_id] for one in self.inputs.get(stage_id, ())), default=-1)
        unknown = tuple(
            stage_id
            for stage_id in order
            if self.by_id[stage_id].hits is not None
            and self.by_id[stage_id].kind not in RETRIEVERS
            and self.source.get(stage_id) is FlowSource.UNKNOWN
        )
        return Flow(order=order, edges=edges, level=level, unknown=unknown)


def derive_flow(stages: Sequence[Stage]) -> Graph:
    """The graph of `stages`. Every input is answered: circles are broken, inputs that never came are left out."""
    return _Builder(sorted(stages, key=lambda stage: (stage.start_ns, stage.stage_id))).build()


def _may_take_in(stage: Stage) -> bool:
    """Whether inputs are derived for it: it has a list, or it would have one had it been recorded or not failed."""
    if stage.hits is not None or stage.kind in RANKERS:
        return True
    return stage.kind is StageKind.ASSEMBLE and has_failed(stage)


def _innermost_first(stages: Sequence[Stage], around: Mapping[str, tuple[str, ...]]) -> list[Stage]:
    """By start, with the stages inside a stage before it: the order in which lists were ready."""
    inside: dict[str | None, list[Stage]] = defaultdict(list)
    seen: set[str] = set()
    for stage in stages:
        if stage.stage_id not in seen:
            seen.add(stage.stage_id)
            chain = around[stage.stage_id]
            inside[chain[0] if chain else None].append(stage)
    done: list[Stage] = []
    placed: set[str] = set()
    waiting = [(stage, False) for stage in reversed(inside[None])]
    # Stages in a circle of parents are below no outermost stage; they come last.
    loose = [(stage, False) for stage in reversed(stages)]
    waiting = loose + waiting
    while waiting:
        stage, opened = waiting.pop()
        if opened:
            done.append(stage)
        elif stage.stage_id not in placed:
            placed.add(stage.stage_id)
            waiting.append((stage, True))
            waiting.extend((one, False) for one in reversed(inside[stage.stage_id]))
    return done


def _order(stages: Mapping[str, Stage], outputs: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Topological, then start, then span id."""
    open_inputs = dict.fromkeys(stages, 0)
    for targets in outputs.values():
        for target in targets:
            open_inputs[target] += 1
    ready = [(stage.start_ns, stage_id) for stage_id, stage in stages.items() if not open_inputs[stage_id]]
    heapq.heapify(ready)
    order: list[str] = []
    while ready:
        _, stage_id = heapq.heappop(ready)
        order.append(stage_id)
        for target in outputs.get(stage_id, ()):
            open_inputs[target] -= 1
            if not open_inputs[target]:
                heapq.heappush(ready, (stages[target].start_ns, target))
    return tuple(order)


def _reach(start: str, neighbours: Mapping[str, Sequence[str]]) -> set[str]:
    """Everything reached from `start`, without it."""
    found: set[str] = set()
    waiting = list(neighbours.get(start, ()))
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting.extend(neighbours.get(one, ()))
    return found
