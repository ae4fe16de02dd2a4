"""The composed requests of a recording against its truth: one line a difference, none where they agree.

What the telemetry does not hold anywhere cannot be asked for; then the request must say nothing instead of a guess.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from goldrank.model import Outcome, RecordedRequest, Stage, StageKind, derived_chunk_id
from recordings import Recording

LISTS = (StageKind.RETRIEVE, StageKind.FUSE, StageKind.FILTER, StageKind.RERANK, StageKind.TOOL)


def compare(truth: dict[str, Any], recording: Recording, requests: Sequence[RecordedRequest]) -> list[str]:
    """Everything that differs, of a recording from which all can be recovered."""
    found = [*_questions(truth, recording, requests), *_answers(truth, recording, requests)]
    found += _errors(truth, requests)
    stages = [stage for one in requests for stage in one.stages]
    found += [line for wanted in truth.get("stages", ()) for line in _stage(wanted, recording, stages)]
    found += _rewrites(truth, recording, requests)
    if isinstance(truth["question"], str):
        found += _count(truth, stages)
    for key in ("session", "user"):
        if truth.get(key) and recording.says(truth[key]):
            said = {getattr(one.request, key) for one in requests}
            if said != {truth[key]}:
                found.append(f"{key}: {said}, not {truth[key]}")
    return found


def wrong_ranks(truth: dict[str, Any], requests: Sequence[RecordedRequest]) -> list[str]:
    """Hits whose chunk no stage of the truth has at that rank, though some stage has it at another."""
    places: dict[str, set[int]] = {}
    lists = [stage["hits"] for stage in truth.get("stages", ())]
    lists += (truth.get("per_retriever_query") or {}).values()
    for hits in lists:
        for hit in hits:
            places.setdefault(_chunk_id(hit), set()).add(hit["rank"])
    return [
        f"{stage.name}: {hit.chunk_id} at {hit.rank}, really at {sorted(places[hit.chunk_id])}"
        for one in requests
        for stage in one.stages
        for hit in stage.hits or ()
        if hit.chunk_id in places and hit.rank not in places[hit.chunk_id]
    ]


def question_of(truth: dict[str, Any], recorded: RecordedRequest) -> str | None:
    """The question that is said to be recorded; None where a query that was made of it is said to stand for it."""
    request = recorded.request
    inferred = request.question_source is not None and request.question in (truth.get("rewrites") or ())
    return None if inferred else request.question


def _questions(truth: dict[str, Any], recording: Recording, requests: Sequence[RecordedRequest]) -> Iterator[str]:
    asked = truth["question"] if isinstance(truth["question"], list) else [truth["question"]]
    traces = len({span.trace_id for span in recording.spans})
    if len(requests) != len(asked) and not (len(asked) > traces and len(requests) == traces):
        yield f"{len(requests)} requests of {len(asked)} questions"
    wanted = sorted(one if recording.says(one) else "" for one in asked)
    got = sorted(question_of(truth, one) or "" for one in requests)
    if got != wanted and not (len(got) < len(wanted) and set(got) <= set(wanted)):  # several asked in one call
        yield f"question: {got}, not {wanted}"


def _answers(truth: dict[str, Any], recording: Recording, requests: Sequence[RecordedRequest]) -> Iterator[str]:
    if "answer" not in truth:
        return
    wanted = truth["answer"] if truth["answer"] and recording.says(truth["answer"]) else None
    got = {one.request.answer for one in requests}
    if wanted not in got or (isinstance(truth["question"], str) and got != {wanted}):
        yield f"answer: {got}, not {wanted!r}"


def _errors(truth: dict[str, Any], requests: Sequence[RecordedRequest]) -> Iterator[str]:
    failed = [one.request for one in requests if one.request.outcome is Outcome.ERROR]
    if bool(truth.get("error")) != bool(failed):
        yield f"outcome: {[one.request.outcome.value for one in requests]}, the truth's error is {truth.get('error')!r}"
    stage_errors = [stage["error"] for stage in truth.get("stages", ()) if stage.get("error")]
    for request in failed:
        if any(_plain(error) not in (request.error or "") for error in stage_errors):
            yield f"error: {request.error!r}, not {stage_errors}"
        if "Traceback" in (request.error or ""):
            yield "error: it holds a stack trace"


def _plain(error: str) -> str:
    return error.rsplit(": ", 1)[-1]


def _stage(wanted: dict[str, Any], recording: Recording, stages: Sequence[Stage]) -> Iterator[str]:
    kind = StageKind((wanted.get("kind") or "retrieve").partition("(")[0])
    name = f"{wanted.get('name')} {kind.value}"
    alike = [stage for stage in stages if stage.kind is kind]
    if wanted.get("error"):
        errors = [stage.error or "" for stage in alike if stage.outcome is Outcome.ERROR]
        if not any(_plain(wanted["error"]) in error and "Traceback" not in error for error in errors):
            yield f"{name}: errors {errors}, not {wanted['error']!r}"
        return
    ids = [_chunk_id(hit) for hit in wanted["hits"]]
    listed = [stage for stage in alike if stage.hits is not None]
    same = [stage for stage in listed if [hit.chunk_id for hit in stage.hits or ()] == ids]
    if not same:
        yield f"{name}: no list {ids[:8]}; there are {[[hit.chunk_id for hit in one.hits or ()][:8] for one in listed]}"
        return
    ranks = [hit["rank"] for hit in wanted["hits"]]
    if not any([hit.rank for hit in stage.hits or ()] == ranks for stage in same):
        yield f"{name}: ranks differ"
    if not any(_scores_agree(wanted["hits"], stage) for stage in same):
        yield f"{name}: scores {[hit.score for hit in same[0].hits or ()]}"
    query = wanted.get("query")
    if query and recording.says(query) and not any(stage.query == query for stage in same):
        yield f"{name}: query {[stage.query for stage in same]}, not {query!r}"


def _scores_agree(hits: Sequence[dict[str, Any]], stage: Stage) -> bool:
    for wanted, got in zip(hits, stage.hits or (), strict=True):
        if "score" not in wanted and "distance" not in wanted:
            continue
        score = wanted.get("score", wanted.get("distance"))
        if isinstance(score, str):
            score = None if score == "None" else float(score)
        if score is None or not math.isfinite(score):
            if got.score is not None:
                return False
        elif got.score is None or not math.isclose(score, got.score, rel_tol=1e-4, abs_tol=1e-4):
            return False
    return True


def _rewrites(truth: dict[str, Any], recording: Recording, requests: Sequence[RecordedRequest]) -> Iterator[str]:
    stages = [stage for one in requests for stage in one.stages]
    known = {text for stage in stages for text in (*stage.queries, stage.query) if text}
    for rewrite in truth.get("rewrites") or ():
        if recording.says(rewrite) and rewrite not in known:
            yield f"rewrite {rewrite!r} is not among {sorted(known)}"


def _count(truth: dict[str, Any], stages: Sequence[Stage]) -> Iterator[str]:
    """No list twice: as many stages with a list (or with its failure) as there really were."""
    really = len(truth.get("stages", ())) + len(truth.get("per_retriever_query", ()))
    got = [stage for stage in stages if stage.kind in LISTS and (stage.hits is not None or stage.outcome == "error")]
    if len(got) != really:
        said = [f"{stage.name} {stage.kind.value}" for stage in got]
        yield f"{len(got)} lists of {really}: {said}"
    for name, hits in (truth.get("per_retriever_query") or {}).items():
        query = name.partition(" | ")[2]
        ids = [_chunk_id(hit) for hit in hits]
        if not any(stage.query == query and [hit.chunk_id for hit in stage.hits or ()] == ids for stage in stages):
            yield f"{name}: no such list"


def _chunk_id(hit: dict[str, Any]) -> str:
    if hit.get("chunk_id"):
        return str(hit["chunk_id"])
    return derived_chunk_id(hit["text"]) if hit.get("text") else ""
