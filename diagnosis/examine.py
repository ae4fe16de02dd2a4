"""`examine`: everything that diagnosis says of one request with its labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..model import ChunkMark, Diagnosis, GoldOutcome, Judgement, Label, LabelFacts, Level, RecordedRequest, Verdict
from .chunks import SeenChunk, seen_chunks
from .context import read_context
from .feeds import context_feeds
from .flow import derive_flow
from .gold_case import Evidence, make_case, steps_to_go
from .gold_path import gold_points
from .headline import headline
from .leaks import find_leaks
from .list_notes import notes_on_lists
from .lists import RankedList, display_names, index_list
from .marks import mark_chunks, near_pairs
from .matching import Matcher
from .modifiers import Judged, modifiers_of
from .outcome import judge
from .placement import place_in_context
from .superseded import superseded_chunks

_MARK = {
    Judgement.GOLD: ChunkMark.GOLD,
    Judgement.FORBIDDEN: ChunkMark.FORBIDDEN,
    Judgement.NOT_RELEVANT: ChunkMark.NOT_RELEVANT,
}

_SENT = (Verdict.DELIVERED, Verdict.IGNORED, Verdict.PARTLY_FOUND)
"""Verdicts of golds in the prompt, the farthest first: whole and used, whole, in part."""


def examine(
    recorded: RecordedRequest,
    labels: Sequence[Label] = (),
    facts: Sequence[LabelFacts] = (),
    *,
    expected: Sequence[str] = (),
    manifest: Mapping[str, Mapping[str, Any]] | None = None,
    manifest_is_whole: bool = False,
) -> Diagnosis:
    """The flow, the context, and for each gold its path and verdict.

    `facts` stand beside `labels`, in their order; where there are fewer, nothing is known of the rest. `expected`
    are phrases that a right answer contains. `manifest` is chunk id -> metadata of the index version that was
    searched, where one is loaded; it is whole where it is that of everything that was searched. Removed labels do
    not count. Depends on nothing but its arguments.
    """
    evidence, chunks = _evidence(recorded, expected, manifest)
    matchers = [
        Matcher(label, facts[place] if place < len(facts) else LabelFacts(), chunks, manifest)
        for place, label in enumerate(labels)
        if not label.removed
    ]
    golds = [one for one in matchers if one.label.judgement is Judgement.GOLD]
    numbers = _evidence_numbers([one.label for one in golds])
    judged = [_judged(evidence, matcher, number) for matcher, number in zip(golds, numbers, strict=True)]
    outcomes = tuple(one.outcome for one in judged)
    said = headline(outcomes, lambda outcome: _progress(evidence, outcome))
    superseded = superseded_chunks(chunks.values(), recorded.request, manifest)
    pairs = near_pairs(evidence, chunks)
    return Diagnosis(
        request_id=recorded.request.request_id,
        headline=said,
        outcomes=outcomes,
        flow=evidence.graph.flow,
        context=evidence.reading.context,
        names=dict(evidence.names),
        marks=mark_chunks(chunks, [(_MARK[one.label.judgement], one) for one in matchers], superseded, pairs),
        leaks=find_leaks(evidence, chunks, [one for one in matchers if one.label.judgement is Judgement.FORBIDDEN]),
        modifiers=modifiers_of(evidence, judged, superseded, pairs, said.verdict),
        list_notes=notes_on_lists(
            evidence,
            chunks,
            by_document=any(one.target.level is Level.DOCUMENT for one in golds),
            manifest=manifest if manifest_is_whole else None,
        ),
        inherited_from=tuple(dict.fromkeys(one.label.from_case for one in matchers if one.label.from_case is not None)),
    )


def _evidence(
    recorded: RecordedRequest, expected: Sequence[str], manifest: Mapping[str, Mapping[str, Any]] | None
) -> tuple[Evidence, dict[str, SeenChunk]]:
    graph = derive_flow(recorded.stages)
    lists: dict[str, RankedList] = {
        stage_id: index_list(graph.stages[stage_id])
        for stage_id in graph.flow.order
        if graph.stages[stage_id].hits is not None and stage_id not in graph.stands_for
    }
    chunks = seen_chunks(lists.values(), manifest)
    reading = read_context(recorded, graph, lists, chunks)
    names = display_names((graph.stages[one] for one in graph.flow.order), graph.stands_for)
    evidence = Evidence(
        request=recorded.request,
        graph=graph,
        lists=lists,
        reading=reading,
        feeds=context_feeds(graph, reading),
        names=names,
        expected=tuple(phrase for phrase in expected if phrase.strip()),
    )
    return evidence, chunks


def _judged(evidence: Evidence, matcher: Matcher, number: int) -> Judged:
    points = {point.stage_id: point for point in gold_points(matcher, evidence.graph, evidence.lists)}
    credited = frozenset(
        chunk_id
        for stage_id in evidence.feeds.stage_ids
        if stage_id in evidence.lists
        for chunk_id in evidence.lists[stage_id].by_id
    )
    placement = place_in_context(matcher, evidence.reading, credited)
    case = make_case(evidence, matcher, points, placement)
    return Judged(case, judge(case, number))


def _evidence_numbers(labels: Sequence[Label]) -> list[int]:
    """The label's own number; a gold without one gets one that no other has."""
    used = {label.evidence for label in labels if label.evidence is not None}
    numbers = []
    for label in labels:
        number = label.evidence
        if number is None:
            number = max(used, default=0) + 1
            used.add(number)
        numbers.append(number)
    return numbers


def _progress(evidence: Evidence, outcome: GoldOutcome) -> tuple[int, int, int]:
    """How far the gold got: into the prompt, else to a list, the nearer to the prompt the farther, else nowhere."""
    verdict = outcome.finding.verdict
    if verdict in _SENT:
        return (3, -_SENT.index(verdict), -(outcome.position or 0))
    if outcome.last_list is None:
        return (0, verdict is not Verdict.STALE_LABEL, 0)
    to_go = steps_to_go(evidence)
    point = next(one for one in outcome.path if one.stage_id == outcome.last_list)
    near = -to_go[outcome.last_list] if outcome.last_list in to_go else -len(to_go) - 1
    return (1 + outcome.lost_at_context, near, -(point.distinct_rank or 0))
