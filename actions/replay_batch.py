"""Many replays: which requests, what came of each, and how far a batch has come."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Protocol

from pydantic import BaseModel, ConfigDict, Field

from ..evals.replay import parse_override
from ..model import NotFound, Refused, UsageError, Verdict, short_id
from ..model.batch import BatchOutcome, BatchResult, ReplayBatch, batch_outcome
from ..model.replay import ReplayOutcome, ReplayStatus
from ..store import BatchRow, CaseFilter, RequestFilter, Store
from .replay import FinishReplay, ReplayDraft, draft_of_batch, finish_replay
from .workspace import Workspace

_MOST = 10_000
"""Requests of one batch."""
_QUESTION = 300
FAILED = "failed"
"""In place of a verdict: every one that is not delivered."""


class NewBatch(BaseModel):
    """Which requests to run again: those with a verdict, or the source requests of an eval set."""

    model_config = ConfigDict(frozen=True)

    target: str
    verdict: str = ""
    """A Verdict value; "failed" is every verdict that is not delivered."""
    eval_set: str = ""
    request_ids: tuple[str, ...] = ()
    overrides: tuple[str, ...] = ()
    limit: int = Field(default=1000, ge=1, le=_MOST)


class OneBatch(BaseModel):
    """Which batch."""

    model_config = ConfigDict(frozen=True)

    batch_id: str
    outcome: BatchOutcome | None = None
    """Only results with this outcome."""
    limit: int = Field(default=1000, ge=1, le=_MOST)
    offset: int = Field(default=0, ge=0)


class ListBatches(BaseModel):
    """A page of batches."""

    model_config = ConfigDict(frozen=True)

    limit: int = Field(default=20, ge=1, le=1000)
    offset: int = Field(default=0, ge=0)


class BatchState(BaseModel):
    """A batch, its results, and what is still to run."""

    model_config = ConfigDict(frozen=True)

    row: BatchRow
    results: tuple[BatchResult, ...] = ()
    missing: tuple[str, ...] = ()
    running: bool = False
    """The hub is at work on it."""
    stopped: str = ""
    """Why the hub ended it in the middle; empty where it did not, or where it ran elsewhere."""


class BatchStates(BaseModel):
    """Batches, newest first."""

    model_config = ConfigDict(frozen=True)

    rows: tuple[BatchRow, ...]


class NextOfBatch(BaseModel):
    """Asks for the plan of one request of a batch."""

    model_config = ConfigDict(frozen=True)

    batch_id: str
    request_id: str


class RecordResult(BaseModel):
    """What came of one request of a batch."""

    model_config = ConfigDict(frozen=True)

    batch_id: str
    outcome: ReplayOutcome


def start_batch(workspace: Workspace, ask: NewBatch) -> BatchState:
    """Chooses the requests and saves the batch. Nothing runs yet."""
    store = workspace.store
    source, request_ids = _chosen(store, ask)
    if not request_ids:
        raise UsageError(f"No request fits: {source}. `goldrank requests` lists what there is.")
    batch = ReplayBatch(
        batch_id=f"batch-{secrets.token_hex(4)}",
        target=ask.target,
        source=source,
        request_ids=request_ids,
        overrides=tuple(parse_override(text) for text in ask.overrides),
        who=workspace.who,
        at_ns=workspace.now_ns(),
    )
    store.batches.save(batch)
    return open_batch(workspace, OneBatch(batch_id=batch.batch_id))


def open_batch(workspace: Workspace, ask: OneBatch) -> BatchState:
    """A batch with its results."""
    store = workspace.store
    row = _required(store, ask.batch_id)
    desk = workspace.replays
    return BatchState(
        row=row,
        results=store.batches.results(ask.batch_id, outcome=ask.outcome, limit=ask.limit, offset=ask.offset),
        missing=store.batches.missing(ask.batch_id),
        running=desk is not None and desk.works_on(ask.batch_id),
        stopped="" if desk is None else desk.why_stopped(ask.batch_id),
    )


def list_batches(workspace: Workspace, ask: ListBatches) -> BatchStates:
    """All batches, newest first."""
    return BatchStates(rows=workspace.store.batches.list(limit=ask.limit, offset=ask.offset))


def next_of_batch(workspace: Workspace, ask: NextOfBatch) -> ReplayDraft:
    """The plan of one request of a batch."""
    batch = _required(workspace.store, ask.batch_id).batch
    return draft_of_batch(workspace, ask.request_id, batch.overrides, batch.batch_id)


def record_result(workspace: Workspace, ask: RecordResult) -> BatchResult:
    """Judges the new request beside the old one by the same labels, and keeps what that says."""
    _required(workspace.store, ask.batch_id)
    outcome = ask.outcome
    finished = finish_replay(workspace, FinishReplay(outcome=outcome))
    compared = finished.compared
    if outcome.status is not ReplayStatus.DONE or compared is None:
        said, then, now = BatchOutcome.COULD_NOT_RUN, _verdict(workspace.store, outcome.replay_of), ""
        sentence = finished.outcome.trouble or f"The app {outcome.status.value.replace('_', ' ')}."
    else:
        then, now = compared.then_headline.verdict.value, compared.now_headline.verdict.value
        said = batch_outcome(Verdict(then), Verdict(now))
        sentence = compared.comparison.sentence
    result = BatchResult(
        batch_id=ask.batch_id,
        request_id=outcome.replay_of,
        question=_question(workspace.store, outcome.replay_of),
        outcome=said,
        then_verdict=then,
        now_verdict=now,
        replay_id=outcome.request_id,
        sentence=sentence,
        seconds=outcome.seconds,
        at_ns=workspace.now_ns(),
    )
    workspace.store.batches.add(result)
    return result


class Performs(Protocol):
    """The steps of a batch, done here or at a hub."""

    def next(self, ask: NextOfBatch) -> ReplayDraft: ...
    def record(self, ask: RecordResult) -> BatchResult: ...


def run_batch(
    state: BatchState,
    performs: Performs,
    run: Callable[[ReplayDraft], ReplayOutcome],
    *,
    tell: Callable[[str], None],
    stopped: Callable[[], bool] = lambda: False,
) -> tuple[BatchResult, ...]:
    """Runs what is missing, one after the other, and keeps each result before the next begins.

    A request that cannot be planned (no question recorded) is a result as well. `stopped` is asked before each.
    Refused where the app cannot be started or reached at all: that says nothing about the request, which stays open.
    """
    batch, results = state.row.batch, []
    total, done = len(batch.request_ids), state.row.done
    for request_id in state.missing:
        if stopped():
            break
        try:
            outcome = run(performs.next(NextOfBatch(batch_id=batch.batch_id, request_id=request_id)))
        except (UsageError, NotFound) as error:
            outcome = ReplayOutcome(status=ReplayStatus.REFUSED, replay_of=request_id, detail=str(error))
        if outcome.unreachable:
            raise Refused(f"The batch stopped before {short_id(request_id)}: {outcome.detail}")
        results.append(performs.record(RecordResult(batch_id=batch.batch_id, outcome=outcome)))
        done += 1
        tell(f"{done:,} of {total:,} replayed: {results[-1].outcome.words}")
    return tuple(results)


def _required(store: Store, batch_id: str) -> BatchRow:
    row = store.batches.get(batch_id)
    if row is None:
        known = ", ".join(one.batch.batch_id for one in store.batches.list(limit=5)) or "none yet"
        raise NotFound(f"There is no batch {batch_id!r}. The newest are: {known}.")
    return row


def _chosen(store: Store, ask: NewBatch) -> tuple[str, tuple[str, ...]]:
    """What was asked for in words, and the ids."""
    if sum(map(bool, (ask.verdict, ask.eval_set, ask.request_ids))) != 1:
        raise UsageError("Name what to replay: a verdict, an eval set, or requests; one of them.")
    if ask.request_ids:
        return "requests by id", tuple(dict.fromkeys(ask.request_ids))[: ask.limit]
    if ask.eval_set:
        return _sources(store, ask.eval_set, ask.limit)
    said = "every failure" if ask.verdict == FAILED else f"verdict {ask.verdict.replace('_', ' ')}"
    return said, _with_verdict(store, ask.verdict, ask.limit)


def _with_verdict(store: Store, verdict: str, limit: int) -> tuple[str, ...]:
    if verdict != FAILED and verdict not in set(Verdict):
        raise UsageError(f"There is no verdict {verdict!r}. There are: {FAILED}, {', '.join(Verdict)}.")
    passed = {Verdict.DELIVERED, Verdict.NO_LABEL}
    wanted = [one for one in Verdict if one not in passed] if verdict == FAILED else [Verdict(verdict)]
    rows = [
        row
        for one in wanted
        for row in store.requests.page(RequestFilter(verdict=one.value, replays=False), limit=limit).rows
    ]
    newest_first = sorted(rows, key=lambda row: (-row.start_ns, row.request_id))
    return tuple(row.request_id for row in newest_first)[:limit]


def _sources(store: Store, eval_set: str, limit: int) -> tuple[str, tuple[str, ...]]:
    """The newest source request of each case that is still stored, and how many cases have none."""
    cases = store.cases.page(CaseFilter(eval_set=eval_set), limit=limit).rows
    found: dict[str, None] = {}
    without = 0
    for case in cases:
        stored = (one for one in reversed(case.source_requests) if store.requests.get(one, texts=False) is not None)
        request_id = next(stored, None)
        if request_id is None:
            without += 1
        else:
            found[request_id] = None
    left_out = f", without the {without:,} whose request is not stored" if without else ""
    return f"eval set {eval_set}{left_out}", tuple(found)


def _question(store: Store, request_id: str) -> str:
    recorded = store.requests.get(request_id, texts=False)
    return (recorded.request.question or "")[:_QUESTION] if recorded else ""


def _verdict(store: Store, request_id: str) -> str:
    diagnosis = store.requests.diagnosis(request_id)
    return diagnosis.headline.verdict.value if diagnosis else ""
