"""Close a complaint, with a passing case, a replay or a reason; open it again."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from ..model import (
    Complaint,
    EvalCase,
    NotFound,
    Refused,
    Request,
    UsageError,
    Verdict,
    normalise_question,
    short_id,
)
from ..model.complaint import Closing, ComplaintNote, ComplaintState
from ..store import Store
from .cases import OpenCase, open_case
from .complaint_change import ComplaintChanged, change_complaint, required_complaint
from .human_text import redactor
from .lookup import required_request
from .workspace import Workspace


class CloseComplaint(BaseModel):
    """How a complaint ends. One of case, replay and reason is needed; each that is given is checked."""

    model_config = ConfigDict(frozen=True)

    complaint_id: str
    state: Literal[ComplaintState.FIXED, ComplaintState.NOT_REPRODUCIBLE, ComplaintState.NOT_ANSWERABLE]
    case: str = ""
    """An eval case that passes now: its id, or the first digits of it."""
    replay: str = ""
    """A replayed request that shows it: an id in any form."""
    reason: str = ""


class ReopenComplaint(BaseModel):
    """A complaint that is not done after all."""

    model_config = ConfigDict(frozen=True)

    complaint_id: str
    reason: str = ""
    """Kept as a note."""


def close_complaint(workspace: Workspace, ask: CloseComplaint) -> ComplaintChanged:
    """Closes the complaint; a closing that it has is replaced.

    Refused where the newest request of the case did not deliver its passages, or where the replay is none.
    """
    if not (ask.case.strip() or ask.replay.strip() or ask.reason.strip()):
        raise UsageError(
            f"Closing as {ask.state.value.replace('_', ' ')} needs a passing case, a replay that shows it, or a reason."
        )
    store = workspace.store
    with store.writing():
        complaint = required_complaint(store, ask.complaint_id)
        closing = Closing(
            state=ComplaintState(ask.state),
            case_id=_passing_case(workspace, ask.case.strip()) if ask.case.strip() else None,
            replay_id=_shown_by(store, complaint, ask.replay.strip()) if ask.replay.strip() else None,
            reason=redactor(workspace)(ask.reason.strip()) if ask.reason.strip() else None,
            who=workspace.who,
            at_ns=workspace.now_ns(),
        )
        return change_complaint(
            workspace, complaint.complaint_id, lambda one: one.model_copy(update={"closing": closing})
        )


def reopen_complaint(workspace: Workspace, ask: ReopenComplaint) -> ComplaintChanged:
    """Takes the closing away; it stays in the history."""
    reason = redactor(workspace)(ask.reason.strip())
    note = ComplaintNote(text=f"Reopened: {reason}", who=workspace.who, at_ns=workspace.now_ns())

    def reopened(one: Complaint) -> Complaint:
        if one.closing is None:
            return one
        notes = (*one.notes, note) if reason else one.notes
        return one.model_copy(update={"closing": None, "notes": notes})

    return change_complaint(workspace, ask.complaint_id, reopened)


def _passing_case(workspace: Workspace, case_id: str) -> str:
    case = open_case(workspace, OpenCase(case_id=case_id)).case
    newest = _newest_with(workspace.store, case)
    if newest is None:
        raise Refused(
            f"Whether case {case.case_id} passes is not known: no request asks its question. "
            "Ask it again, or replay the request; or give a reason."
        )
    diagnosis = workspace.store.requests.diagnosis(newest)
    verdict = diagnosis.headline.verdict if diagnosis else None
    if verdict is not Verdict.DELIVERED:
        said = verdict.words if verdict else "not judged"
        raise Refused(
            f"Case {case.case_id} does not pass: its newest request, {short_id(newest)}, is {said}. "
            "Replay it with today's app first, or give a reason."
        )
    return case.case_id


def _newest_with(store: Store, case: EvalCase) -> str | None:
    """The newest request, replays included, that asks the case's question."""
    return next(iter(store.requests.with_case_key(case.case_key)), None)


def _shown_by(store: Store, complaint: Complaint, replay: str) -> str:
    request = required_request(store, replay, texts=False).request
    if request.replay_of is None:
        raise Refused(f"{short_id(request.request_id)} is no replay: a replay of the request was asked for.")
    linked = store.requests.get(complaint.request_id, texts=False) if complaint.request_id else None
    if linked is None:
        raise NotFound("The complaint has no request that is stored, so no replay shows it: link it first.")
    if request.replay_of != linked.request.request_id and not _same_question(request, linked.request):
        raise Refused(
            f"{short_id(request.request_id)} replays {short_id(request.replay_of)}, "
            f"and the complaint is about {short_id(linked.request.request_id)}."
        )
    return request.request_id


def _same_question(one: Request, other: Request) -> bool:
    return bool(one.question) and normalise_question(one.question or "") == normalise_question(other.question or "")
