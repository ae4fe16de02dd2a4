"""The newest change that a person made to a request, whether a label or its place in the queue; and its undoing."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from ..model import Judgement, Label, NotFound, Refused
from ..model.triage import Triage
from .label import UndoLabel, standing_changes, target_name, undo_label
from .lookup import required_request
from .triage import UndoTriage, standing_triages, undo_triage
from .workspace import Workspace


class AskLastChange(BaseModel):
    """Of which request."""

    model_config = ConfigDict(frozen=True)

    request_id: str


class UndoLast(BaseModel):
    """Undoes the newest change of a request's labels or of its place in the queue."""

    model_config = ConfigDict(frozen=True)

    request_id: str
    at_ns: int | None = None
    """When the change was made that is meant; Refused where another one is the newest. None: whichever is."""


class LastChange(BaseModel):
    """The newest change of a request that no undo took back."""

    model_config = ConfigDict(frozen=True)

    request_id: str
    at_ns: int | None
    """None: nothing was changed."""
    who: str = ""
    words: str = ""
    """"gold refunds#annual", "later", "assigned to bo"."""


def last_change(workspace: Workspace, ask: AskLastChange) -> LastChange:
    """What an undo would take back."""
    return _newest(workspace, required_request(workspace.store, ask.request_id, texts=False).request.request_id)


def undo_last(workspace: Workspace, ask: UndoLast) -> LastChange:
    """Takes the newest change back, and says which it was."""
    with workspace.store.writing():
        newest = last_change(workspace, AskLastChange(request_id=ask.request_id))
        if newest.at_ns is None:
            raise NotFound(f"Nothing to undo: no change of request {newest.request_id} stands.")
        if ask.at_ns is not None and ask.at_ns != newest.at_ns:
            raise Refused(
                f"Nothing was undone: request {newest.request_id} was changed otherwise since "
                f"({newest.words}, by {newest.who}). Look at it first."
            )
        if _is_triage(workspace, newest):
            undo_triage(workspace, UndoTriage(request_id=newest.request_id))
        else:
            undo_label(workspace, UndoLabel(request_id=newest.request_id))
        return newest


def _newest(workspace: Workspace, request_id: str) -> LastChange:
    labels = standing_changes(workspace.store.labels.history(request_id))
    triages = standing_triages(workspace.store.triages.history(request_id))
    label_ns = labels[-1][0].at_ns if labels else 0
    if triages and triages[-1].at_ns >= label_ns:
        last, before = triages[-1], triages[-2] if len(triages) > 1 else None
        words = _triage_words(last, before)
        return LastChange(request_id=request_id, at_ns=last.at_ns, who=last.who, words=words)
    if labels:
        first = labels[-1][0]
        words = ", ".join(map(_label_words, labels[-1]))
        return LastChange(request_id=request_id, at_ns=first.at_ns, who=first.who, words=words)
    return LastChange(request_id=request_id, at_ns=None)


def _is_triage(workspace: Workspace, newest: LastChange) -> bool:
    standing = standing_triages(workspace.store.triages.history(newest.request_id))
    return bool(standing) and standing[-1].at_ns == newest.at_ns


def _triage_words(last: Triage, before: Triage | None) -> str:
    if last.state != (before.state if before else None):
        return last.state.value.replace("_", " ") if last.state else "back in the queue"
    return f"assigned to {last.assigned_to}" if last.assigned_to else "assigned to nobody"


def _label_words(label: Label) -> str:
    name = target_name(label.target) or "no such passage"
    if label.removed:
        return f"{name} taken back"
    judgement = "gold" if label.judgement is Judgement.GOLD else label.judgement.value.replace("_", " ")
    return f"{judgement} {name}"
