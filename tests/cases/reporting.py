"""What the store says of a request, as plain dicts: the vocabulary of the adapter's result (see `adapter`)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from goldrank.collectors import diagnose, labels_in_force
from goldrank.model import Context, Diagnosis, Hit, InPrompt, PointState, RecordedRequest, Stage, StageKind, Verdict
from goldrank.store import RequestFilter, RequestRow, Store

SPANS_SHOWN = 200


def list_requests(store: Store, *, limit: int = 100) -> dict[str, Any]:
    """The list page: how many are stored, the newest rows, and how long it took."""
    began = time.perf_counter()
    page = store.requests.page(RequestFilter(), limit=limit)
    seconds = time.perf_counter() - began
    return {
        "stored": page.stored,
        "rows": [_row(row) for row in page.rows],
        "seconds": seconds,
        "bytes": len(page.model_dump_json()),
    }


def describe_request(store: Store, request_id: str, *, expected: tuple[str, ...] = ()) -> dict[str, Any]:
    """Everything about one request, with what diagnosis says under the labels that count for it.

    `expected` are phrases that a right answer contains, where no case says them.
    """
    began = time.perf_counter()
    recorded = store.requests.get(request_id)
    assert recorded is not None, request_id
    spans = store.requests.spans(request_id, limit=SPANS_SHOWN)
    seconds = time.perf_counter() - began
    request = recorded.request
    names = {stage.stage_id: stage.name for stage in recorded.stages}
    described = {
        "request_id": request_id,
        "trace_id": request.trace_id,
        "root": None if request.provisional else _root_name(spans.rows, request_id),
        "provisional": request.provisional,
        "incomplete": bool(request.missing) or request.provisional,
        "missing": list(request.missing),
        "repaired": request.repaired,
        "app": request.app,
        "question": request.question,
        "history": [message.text for message in request.history],
        "answer": request.answer,
        "status": request.outcome.value,
        "error": request.error,
        "start_ns": request.start_ns,
        "end_ns": request.end_ns,
        "duration_ms": request.duration_ms,
        "notes": request.notes,
        "stages": [_stage(stage, names) for stage in recorded.stages],
        "spans": spans.total,
        "spans_shown": len(spans.rows),
        "open_seconds": seconds,
    }
    used = labels_in_force(store, recorded)
    diagnosis = diagnose(store, recorded, used._replace(expected=used.expected or expected))
    store.requests.save_diagnosis(diagnosis)
    return described | describe_diagnosis(recorded, diagnosis)


def describe_diagnosis(recorded: RecordedRequest, diagnosis: Diagnosis) -> dict[str, Any]:
    """Ranks, stage and cause."""
    names = {stage.stage_id: stage.name for stage in recorded.stages}
    golds = [
        {
            "name": outcome.name,
            "level": outcome.level.value,
            "verdict": outcome.finding.verdict.value,
            "sentence": outcome.finding.sentence,
            "ranks": {
                names[point.stage_id]: {
                    "listed": point.rank,
                    "distinct": point.distinct_rank,
                    "document": point.document_rank,
                    "state": point.state.value,
                    "matched_by": point.matched_by.value if point.matched_by else None,
                    "score": point.score,
                }
                for point in outcome.path
            },
            "position": outcome.position,
            "stage": "context" if outcome.lost_at_context else names.get(outcome.lost_at or ""),
            "last_list": names.get(outcome.last_list or ""),
            "notes": list(outcome.notes),
        }
        for outcome in diagnosis.outcomes
    ]
    context = diagnosis.context
    return {
        "verdict": diagnosis.headline.verdict.value,
        "sentence": diagnosis.headline.sentence,
        "cannot_tell": diagnosis.headline.cannot_tell,
        "certainty": diagnosis.headline.certainty.value,
        "stage": _headline_stage(recorded, diagnosis, golds),
        "gold": golds,
        "gold_ranks": _best_ranks(diagnosis, names, distinct=False),
        "gold_ranks_distinct": _best_ranks(diagnosis, names, distinct=True),
        "gold_in_context": any(gold["position"] is not None for gold in golds) if context.known else None,
        "context": {
            "source": context.source.value,
            "chunk_ids": _sent(context) if context.known else None,
        },
        "marks": {chunk_id: [mark.value for mark in marks] for chunk_id, marks in diagnosis.marks.items()},
        "leaks": [leak.chunk_id for leak in diagnosis.leaks],
        "modifiers": [modifier.text for modifier in diagnosis.modifiers],
        "list_notes": [f"{names.get(note.stage_id, '')}: {note.text}" for note in diagnosis.list_notes],
        "flow": [names[stage_id] for stage_id in diagnosis.flow.order],
        "inherited_from": list(diagnosis.inherited_from),
    }


def _sent(context: Context) -> list[str]:
    """One chunk a place: what stands in the prompt only as a part of another is not listed beside it."""
    held: dict[int, str] = {}
    for entry in sorted(context.entries, key=lambda entry: (entry.position, entry.form is InPrompt.BY_PARENT)):
        held.setdefault(entry.position, entry.chunk_id)
    return list(held.values())


def _headline_stage(recorded: RecordedRequest, diagnosis: Diagnosis, golds: Sequence[dict[str, Any]]) -> str | None:
    """The stage that lost the gold of which the headline speaks; None where none did."""
    verdicts = [outcome.finding.verdict for outcome in diagnosis.outcomes]
    lost = [gold["stage"] for gold in golds if gold["stage"] is not None]
    spoken = [
        gold["stage"]
        for gold, verdict in zip(golds, verdicts, strict=True)
        if verdict is diagnosis.headline.verdict and gold["stage"] is not None
    ]
    if spoken or lost:
        return str((spoken or lost)[0])
    if Verdict.NOT_RETRIEVED in verdicts:
        return ", ".join(stage.name for stage in recorded.stages if stage.kind is StageKind.RETRIEVE)
    return None


def _best_ranks(diagnosis: Diagnosis, names: dict[str, str], *, distinct: bool) -> dict[str, int | None]:
    """Stage -> the best rank of any gold in it; None where no gold is in its list."""
    ranks: dict[str, int | None] = {}
    for outcome in diagnosis.outcomes:
        for point in outcome.path:
            name = names[point.stage_id]
            rank = point.distinct_rank if distinct else point.rank
            known = ranks.setdefault(name, None)
            if point.state is PointState.FOUND and rank is not None and (known is None or rank < known):
                ranks[name] = rank
    return ranks


def _row(row: RequestRow) -> dict[str, Any]:
    return {
        "request_id": row.request_id,
        "start_ns": row.start_ns,
        "question": row.question,
        "status": row.outcome.value,
        "duration_ms": row.duration_ms,
        "verdict": row.verdict,
        "missing": list(row.missing),
        "incomplete": bool(row.missing),
    }


def _stage(stage: Stage, names: dict[str, str]) -> dict[str, Any]:
    return {
        "name": stage.name,
        "kind": stage.kind.value,
        "stage_id": stage.stage_id,
        "parent": names.get(stage.parent_id or ""),
        "parent_missing": stage.parent_missing,
        "status": stage.outcome.value,
        "error": stage.error,
        "start_ns": stage.start_ns,
        "duration_ms": stage.duration_ms,
        "clock": stage.clock_note,
        "no_end": stage.end_ns is None,
        "query": stage.query,
        "queries": list(stage.queries),
        "top_k": stage.top_k,
        "completeness": stage.completeness.value,
        "length": stage.length,
        "hits": None if stage.hits is None else [_hit(hit) for hit in stage.hits],
        "text": stage.text,
        "prompt_chars": None if stage.prompt is None else sum(len(message.text) for message in stage.prompt),
        "inputs": [names.get(source.stage_id) for source in stage.inputs],
        "flow_source": stage.flow_source.value,
    }


def _hit(hit: Hit) -> dict[str, Any]:
    return {
        "rank": hit.rank,
        "id": hit.chunk_id,
        "id_source": hit.id_source.value,
        "doc_id": hit.doc_id,
        "score": hit.score,
        "text": hit.text,
        "meta": hit.metadata,
    }


def _root_name(rows: Sequence[Any], request_id: str) -> str | None:
    span_id = request_id.partition("-")[2]
    return next((row.name for row in rows if row.span_id == span_id), None)
