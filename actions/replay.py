"""Replay: what a recorded request is run with, and what came of it.

The app itself runs elsewhere (`evals.replay`): beside the command that asks, or beside the hub. Here a plan is made
from what was recorded, and the outcome is put beside the recording.
"""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field

from ..collectors.used_labels import labels_in_force
from ..evals.replay import AsUser, PinChoice, Planned, StageChoice, parse_override, plan_replay
from ..model import Judgement, LabelTarget, RecordedRequest, UsageError
from ..model.replay import Injection, Override, ReplayOutcome, ReplayPlan
from ..store import Store
from .compare import Compared, CompareRequests, compare
from .ingest import Ingest, ingest
from .lookup import one_request_id, required_request
from .passages import complete_target
from .workspace import Workspace


class DraftReplay(BaseModel):
    """What to run, and with which differences."""

    model_config = ConfigDict(frozen=True)

    request: str
    """An id in any form, or a text that contains one."""
    overrides: tuple[str, ...] = ()
    """`retrieve.top_k=200`, `rewrite=off`, see `evals.replay.parse_override`."""
    pins: PinChoice = PinChoice.NONE
    pin_stages: tuple[str, ...] = ()
    """Stage ids; in place of `pins`."""
    as_user: str | None = None
    as_groups: tuple[str, ...] | None = None
    as_tenant: str | None = None
    """Another user's eyes; None: those of the user who asked."""
    inject: str | None = None
    """Chunk id that is put into the context; "gold" is the first gold of the request."""
    position: int = Field(default=1, ge=1)
    """1-based place of the injected chunk in the context."""


class ReplayDraft(BaseModel):
    """A plan, ready to run."""

    model_config = ConfigDict(frozen=True)

    plan: ReplayPlan
    app: str
    environment: str
    stages: tuple[StageChoice, ...]
    """Every recorded stage: whether it is pinned, and where it cannot be, why."""
    refused: tuple[StageChoice, ...]
    """Stages that were to be pinned and cannot be."""
    pins: PinChoice = PinChoice.NONE
    """What was to be pinned, where stages were not named one by one."""


class FinishReplay(BaseModel):
    """The outcome of a run that may not be in the store yet."""

    model_config = ConfigDict(frozen=True)

    outcome: ReplayOutcome


class Replayed(BaseModel):
    """A run beside the recording."""

    model_config = ConfigDict(frozen=True)

    outcome: ReplayOutcome
    compared: Compared | None
    """None: no new request was recorded; the outcome says why."""


def draft_replay(workspace: Workspace, ask: DraftReplay) -> ReplayDraft:
    """The plan for one request. What cannot be done as asked is refused with the reason; nothing runs here."""
    recorded = required_request(workspace.store, one_request_id(workspace.store, ask.request))
    planned = plan_replay(
        recorded,
        overrides=tuple(parse_override(text) for text in ask.overrides),
        pins=frozenset(ask.pin_stages) if ask.pin_stages else ask.pins,
        injection=_injection(workspace.store, recorded, ask),
        as_user=_as_user(ask),
    )
    return _draft(recorded, planned).model_copy(update={"pins": PinChoice.NONE if ask.pin_stages else ask.pins})


def draft_of_batch(workspace: Workspace, request_id: str, overrides: Sequence[Override], batch: str) -> ReplayDraft:
    """The plan for one request of a batch."""
    recorded = required_request(workspace.store, request_id)
    return _draft(recorded, plan_replay(recorded, overrides=tuple(overrides), batch=batch))


def finish_replay(workspace: Workspace, ask: FinishReplay) -> Replayed:
    """Waits until the new request is in the store, and compares it with what it replays."""
    outcome = ask.outcome
    if outcome.request_id is None:
        return Replayed(outcome=outcome, compared=None)
    ingest(workspace, Ingest())
    said = _why_not_comparable(workspace.store, outcome.request_id, outcome.replay_of)
    if said:
        detail = f"{outcome.detail}\n{said}" if outcome.detail else said
        return Replayed(outcome=outcome.model_copy(update={"detail": detail}), compared=None)
    question = CompareRequests(then=outcome.replay_of, now=outcome.request_id)
    return Replayed(outcome=outcome, compared=compare(workspace, question))


def _why_not_comparable(store: Store, request_id: str, replay_of: str) -> str:
    """Why the request that an app names as the new one is none; empty where it is."""
    new = store.requests.get(request_id, texts=False)
    if new is None:
        return (
            f"The replay was recorded as {request_id}, and it is not in this store: the app records "
            "elsewhere. Let it record into the spool of this folder, or into the collector that this hub reads."
        )
    if new.request.replay_of != replay_of:
        return f"The app names {request_id} as the new request, which is no replay of {replay_of}."
    return ""


def _draft(recorded: RecordedRequest, planned: Planned) -> ReplayDraft:
    return ReplayDraft(
        plan=planned.plan,
        app=recorded.request.app,
        environment=recorded.request.environment,
        stages=planned.stages,
        refused=planned.refused,
    )


def _as_user(ask: DraftReplay) -> AsUser | None:
    if ask.as_user is None and ask.as_groups is None and ask.as_tenant is None:
        return None
    return AsUser(user=ask.as_user, groups=ask.as_groups, tenant=ask.as_tenant)


def _injection(store: Store, recorded: RecordedRequest, ask: DraftReplay) -> Injection | None:
    if ask.inject is None:
        return None
    target = _target(store, recorded, ask.inject)
    if not target.text or not target.chunk_id:
        raise UsageError(
            f"The text of {ask.inject} is not known, so it cannot be put into the context. "
            "Load the corpus that holds it: goldrank corpus add FILE."
        )
    hits = (hit for stage in recorded.stages for hit in stage.hits or () if hit.chunk_id == target.chunk_id)
    hit = next(hits, None)
    return Injection(
        chunk_id=target.chunk_id,
        doc_id=target.doc_id,
        text=target.text,
        metadata=hit.metadata if hit else {},
        position=ask.position,
    )


def _target(store: Store, recorded: RecordedRequest, name: str) -> LabelTarget:
    if name != "gold":
        return complete_target(store, recorded, LabelTarget(chunk_id=name))
    golds = [one.target for one in labels_in_force(store, recorded).labels if one.judgement is Judgement.GOLD]
    chosen = next((target for target in golds if target.chunk_id), None)
    if chosen is None:
        raise UsageError(
            f"Request {recorded.request.request_id} has no gold chunk to put into the context: "
            "mark one, or name a chunk."
        )
    return complete_target(store, recorded, chosen)
