"""Why a gold's absence from the recorded lists does not tell that no retriever found it."""

from __future__ import annotations

import re

from ..model import Level, StageKind
from . import sentence
from .gold_case import GoldCase
from .lists import RETRIEVERS, is_incomplete


def why_not_sure(case: GoldCase) -> str | None:
    """Why its absence from the recorded lists does not tell that no retriever found it."""
    evidence = case.evidence
    graph = evidence.graph
    hidden = graph.shells | graph.stands_for.keys()
    retrievers = [graph.stages[one] for one in graph.flow.order if one not in hidden]
    retrievers = [one for one in retrievers if one.kind in RETRIEVERS]
    if not evidence.lists and not any(one.kind is StageKind.RETRIEVE for one in retrievers):
        return "no list of a retriever is recorded"
    for stage in retrievers:
        if is_incomplete(stage) and (stage.hits is not None or stage.kind is StageKind.RETRIEVE):
            return sentence.missing_from(case.name(stage.stage_id), stage)
    for ranked in evidence.lists.values():
        if ranked.stage.kind not in RETRIEVERS and is_incomplete(ranked.stage):
            return sentence.missing_from(case.name(ranked.stage.stage_id), ranked.stage)
    if case.matcher.target.chunk_id is None and case.matcher.target.level is Level.CHUNK:
        silent = [chunk for chunk in evidence.reading.cannot_tell if not case.matcher.chunks[chunk].texts]
        silent = silent or [one.chunk_id for one in case.matcher.chunks.values() if not one.texts]
        if silent:
            return f"the text of {sentence.joined(sorted(silent), at_most=3)} is not recorded"
    silent = _of_no_document(case)
    if silent:
        return f"of which document {sentence.joined(silent, at_most=3)} is a part is not recorded"
    if not retrievers:
        return _unrecorded_leg(case) or "no list of a retriever is recorded"
    return _unrecorded_leg(case)


def _of_no_document(case: GoldCase) -> list[str]:
    """Chunks without a document whose ids begin as those of parts of the labelled document do: d6#0 of d6."""
    target = case.matcher.target
    if target.level is not Level.DOCUMENT or not target.doc_id:
        return []
    part = re.compile(re.escape(target.doc_id) + r"[^\w\s]", re.IGNORECASE)
    return [one.chunk_id for one in case.matcher.chunks.values() if one.doc_id is None and part.match(one.chunk_id)]


def _unrecorded_leg(case: GoldCase) -> str | None:
    """A chunk of a later list, or of the prompt, that no list before it holds: another leg was there."""
    held: set[str] = set()
    for stage_id, ranked in case.evidence.lists.items():
        name = case.name(stage_id)
        new = [] if ranked.stage.kind in RETRIEVERS else [one for one in ranked.by_id if one not in held]
        if new and not held:
            return f"the list that went into {name} is not recorded"
        if new:
            return f"{name} holds {new[0]}, which is in no list recorded before it"
        for place in ranked.by_id.values():
            held |= {one for one in (place.hit.chunk_id, place.hit.doc_id, place.hit.parent_id) if one is not None}
    for entry in case.evidence.reading.context.entries:
        if entry.chunk_id not in held:
            return f"the prompt holds {entry.chunk_id}, which is in no recorded list"
    return None
