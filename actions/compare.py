"""Compare two requests of any origin: a replay, the same question at another time, a neighbour that passes."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from ..collectors.examiner import diagnose
from ..collectors.used_labels import UsedLabels, cases_of, labels_in_force
from ..diagnosis.compare import Judged
from ..diagnosis.compare import compare as compare_judged
from ..model import Finding, RecordedRequest, Request, UsageError
from ..model.comparison import RequestComparison
from ..store import Store
from .lookup import one_request_id, required_request
from .workspace import Workspace


class CompareRequests(BaseModel):
    """Which two. Each is an id in any form, or a text that contains one."""

    model_config = ConfigDict(frozen=True)

    then: str
    now: str


class Compared(BaseModel):
    """The comparison with the head of each request."""

    model_config = ConfigDict(frozen=True)

    then: Request
    now: Request
    then_headline: Finding
    now_headline: Finding
    comparison: RequestComparison
    same_labels: bool
    """Both were judged by the same labels, so their golds can be followed from one to the other."""


def compare(workspace: Workspace, ask: CompareRequests) -> Compared:
    """The two requests aligned by stage and chunk.

    A replay and what it replays, and two requests with the same question, are judged by the same labels: those of
    the first, else those of the second. Other requests are judged each by its own.
    """
    store = workspace.store
    then = required_request(store, one_request_id(store, ask.then))
    now = required_request(store, one_request_id(store, ask.now))
    if then.request.request_id == now.request.request_id:
        raise UsageError(f"Both are request {then.request.request_id}: name two.")
    labels_then, labels_now = labels_in_force(store, then), labels_in_force(store, now)
    same = _belong_together(store, then, now)
    if same:
        labels_then = labels_now = labels_then if labels_then.labels else labels_now
    before, after = _judged(store, then, labels_then), _judged(store, now, labels_now)
    return Compared(
        then=then.request,
        now=now.request,
        then_headline=before.diagnosis.headline,
        now_headline=after.diagnosis.headline,
        comparison=compare_judged(before, after, pinned=_pinned(now)),
        same_labels=same,
    )


def _judged(store: Store, recorded: RecordedRequest, used: UsedLabels) -> Judged:
    return Judged(recorded, diagnose(store, recorded, used))


def _pinned(recorded: RecordedRequest) -> frozenset[str]:
    """Stages that returned what was recorded instead of running."""
    return frozenset(stage.stage_id for stage in recorded.stages if stage.notes.get("replay.pinned"))


def _belong_together(store: Store, then: RecordedRequest, now: RecordedRequest) -> bool:
    """Whether what is gold for one is gold for the other."""
    a, b = then.request, now.request
    if b.replay_of == a.request_id or a.replay_of == b.request_id:
        return True
    if a.replay_of is not None and a.replay_of == b.replay_of:
        return True
    if {case.case_id for case in cases_of(store, a)} & {case.case_id for case in cases_of(store, b)}:
        return True
    return bool(a.question) and (a.app, a.question, a.history, a.groups) == (b.app, b.question, b.history, b.groups)
