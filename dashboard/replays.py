"""What the pages about replays and comparisons read and do: calls of actions. Nothing here is cached."""

from __future__ import annotations

from ..actions import RequestView, ShowRequest, show
from ..actions.compare import Compared, CompareRequests, compare
from ..actions.live_replay import (
    ReplaysDone,
    RunBatch,
    RunReplay,
    cancel_batch,
    resume_batch,
    run_batch_at_hub,
    run_replay,
)
from ..actions.neighbour import FindNeighbour, PassingNeighbour, find_neighbour
from ..actions.replay import DraftReplay
from ..actions.replay_batch import BatchState, ListBatches, NewBatch, OneBatch, list_batches, open_batch
from ..actions.steps import Steps, steps
from ..evals.replay import StageChoice, stage_choices
from ..store import BatchRow, RequestFilter, RequestRow
from .holder import workspace


def steps_of(request: str) -> Steps:
    """A request stage by stage."""
    return steps(workspace(), ShowRequest(request=request))


def compared(then: str, now: str) -> Compared:
    """Two requests side by side."""
    return compare(workspace(), CompareRequests(then=then, now=now))


def neighbour(request: str) -> PassingNeighbour:
    """The nearest request that passes."""
    return find_neighbour(workspace(), FindNeighbour(request=request))


def view(request: str) -> RequestView:
    """Everything about one request."""
    return show(workspace(), ShowRequest(request=request))


def target() -> str:
    """The app that this hub can run requests with; empty where it was started without one."""
    desk = workspace().replays
    return desk.target if desk is not None else ""


def choices(shown: RequestView) -> tuple[StageChoice, ...]:
    """Every stage of the request: whether it can be pinned, and why not."""
    return stage_choices(shown.recorded)


def run(draft: DraftReplay, times: int) -> ReplaysDone:
    """Runs the request on the hub's app and waits."""
    return run_replay(workspace(), RunReplay(draft=draft, times=times))


def earlier(request_id: str) -> tuple[RequestRow, ...]:
    """Replays of a request that are stored, newest first; at most 20."""
    page = workspace().store.requests.page(RequestFilter(replay_of=request_id), limit=20)
    return page.rows


def batches() -> tuple[BatchRow, ...]:
    """The newest batches."""
    return list_batches(workspace(), ListBatches()).rows


def batch(batch_id: str) -> BatchState:
    """One batch with its results."""
    return open_batch(workspace(), OneBatch(batch_id=batch_id))


def start_batch(verdict: str, eval_set: str, overrides: tuple[str, ...], limit: int) -> BatchState:
    """A new batch on the hub's app; it runs in the background."""
    new = NewBatch(target=target(), verdict=verdict, eval_set=eval_set, overrides=overrides, limit=limit)
    return run_batch_at_hub(workspace(), RunBatch(batch=new))


def resume(batch_id: str) -> None:
    """Goes on with a batch."""
    resume_batch(workspace(), OneBatch(batch_id=batch_id))


def cancel(batch_id: str) -> None:
    """Stops a batch before its next request."""
    cancel_batch(workspace(), OneBatch(batch_id=batch_id))
