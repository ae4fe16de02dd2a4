"""Replays that the hub runs itself, on the app it was started with."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from .replay import DraftReplay, FinishReplay, Replayed, draft_replay, finish_replay
from .replay_batch import BatchState, NewBatch, OneBatch, open_batch, start_batch
from .replay_desk import required_desk
from .workspace import Workspace


class RunReplay(BaseModel):
    """Which request to run, with what, and how often."""

    model_config = ConfigDict(frozen=True)

    draft: DraftReplay
    times: int = Field(default=1, ge=1, le=50)
    """More than once where the model is random."""


class ReplaysDone(BaseModel):
    """Every run beside the recording, in the order in which they ran."""

    model_config = ConfigDict(frozen=True)

    runs: tuple[Replayed, ...]
    share_delivered: float | None
    """Share of the runs whose verdict is `delivered`, from 0 to 1; None: no run could be judged."""
    different_answers: int
    """How many different answers there were among the runs that answered."""


class RunBatch(BaseModel):
    """A new batch, on the hub's app."""

    model_config = ConfigDict(frozen=True)

    batch: NewBatch


def run_replay(workspace: Workspace, ask: RunReplay) -> ReplaysDone:
    """Runs the request on the hub's app and waits; several runs one after the other."""
    desk = required_desk(workspace)
    draft = draft_replay(workspace, ask.draft)
    outcomes = [desk.run(draft) for _ in range(ask.times)]
    return summed(tuple(finish_replay(workspace, FinishReplay(outcome=outcome)) for outcome in outcomes))


def summed(runs: tuple[Replayed, ...]) -> ReplaysDone:
    """The runs with what they have in common."""
    verdicts = [run.compared.now_headline.verdict.value for run in runs if run.compared is not None]
    judged = [verdict for verdict in verdicts if verdict not in {"no_label", "unknown"}]
    answers = {run.outcome.answer for run in runs if run.outcome.answer is not None}
    share = sum(verdict == "delivered" for verdict in judged) / len(judged) if judged else None
    return ReplaysDone(runs=runs, share_delivered=share, different_answers=len(answers))


def run_batch_at_hub(workspace: Workspace, ask: RunBatch) -> BatchState:
    """Saves a batch on the hub's app and starts it in the background."""
    desk = required_desk(workspace)
    state = start_batch(workspace, ask.batch.model_copy(update={"target": desk.target}))
    desk.start(workspace, state.row.batch.batch_id)
    return state.model_copy(update={"running": True})


def resume_batch(workspace: Workspace, ask: OneBatch) -> BatchState:
    """Goes on with a batch that stopped."""
    required_desk(workspace).start(workspace, ask.batch_id)
    return open_batch(workspace, ask)


def cancel_batch(workspace: Workspace, ask: OneBatch) -> BatchState:
    """Stops a batch before its next request."""
    required_desk(workspace).cancel(ask.batch_id)
    return open_batch(workspace, ask)
