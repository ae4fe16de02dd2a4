"""Working through a queue: put a request off, say that it cannot be told, assign it; each can be undone."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from ..model import UsageError
from ..model.triage import Triage, TriageState
from .lookup import required_request
from .workspace import Workspace


class SetAside(BaseModel):
    """Puts a request off, or says that nobody can tell; `state` None brings it back into the queue."""

    model_config = ConfigDict(frozen=True)

    request_id: str
    state: TriageState | None


class Assign(BaseModel):
    """Says who looks at a request; empty: nobody."""

    model_config = ConfigDict(frozen=True)

    request_id: str
    to: str = ""


class UndoTriage(BaseModel):
    """Brings back what was there before the last change."""

    model_config = ConfigDict(frozen=True)

    request_id: str


class AskQueue(BaseModel):
    """Where one request stands, and to whom requests are assigned."""

    model_config = ConfigDict(frozen=True)

    request_id: str


class Queued(BaseModel):
    """Where a request stands in the queue now."""

    model_config = ConfigDict(frozen=True)

    request_id: str
    state: TriageState | None
    assigned_to: str | None
    people: tuple[str, ...] = ()
    """Everybody whom a request is assigned to."""


def set_aside(workspace: Workspace, ask: SetAside) -> Queued:
    """Leaves the request out of the open queue; nothing else about it changes."""
    return _save(workspace, ask.request_id, state=ask.state)


def assign(workspace: Workspace, ask: Assign) -> Queued:
    """Who looks at it stands beside it; it stays in the queue."""
    return _save(workspace, ask.request_id, assigned_to=ask.to.strip() or None)


def undo_triage(workspace: Workspace, ask: UndoTriage) -> Queued:
    """Brings back what was there before the newest change; a second undo goes one change further back."""
    store = workspace.store
    with store.writing():
        standing = standing_triages(store.triages.history(ask.request_id))
        if not standing:
            raise UsageError(f"Nothing was changed about request {ask.request_id} in the queue: nothing to undo.")
        before = standing[-2] if len(standing) > 1 else None
        state, assigned_to = (before.state, before.assigned_to) if before else (None, None)
        return _save(workspace, ask.request_id, state=state, assigned_to=assigned_to, by_undo=True)


def standing_triages(history: tuple[Triage, ...]) -> list[Triage]:
    """The changes that no undo took back, oldest first."""
    standing: list[Triage] = []
    for one in history:
        if not one.by_undo:
            standing.append(one)
        elif standing:
            standing.pop()
    return standing


def queued(workspace: Workspace, ask: AskQueue) -> Queued:
    """Where it stands now."""
    return _said(workspace, ask.request_id, workspace.store.triages.get(ask.request_id))


def _save(workspace: Workspace, request_id: str, **changes: TriageState | str | bool | None) -> Queued:
    """Saves a revision. What changes nothing is none, so that a key pressed twice is undone once."""
    store = workspace.store
    with store.writing():
        request = required_request(store, request_id, texts=False).request
        now = store.triages.get(request.request_id)
        said = {"state": now.state if now else None, "assigned_to": now.assigned_to if now else None}
        if said | changes == said:
            return _said(workspace, request.request_id, now)
        triage = Triage.model_validate(
            {
                **said,
                **changes,
                "request_id": request.request_id,
                "who": workspace.who,
                "at_ns": workspace.now_ns(),
                "revision": now.revision + 1 if now else 1,
            }
        )
        store.triages.save(triage)
        return _said(workspace, request.request_id, triage)


def _said(workspace: Workspace, request_id: str, triage: Triage | None) -> Queued:
    return Queued(
        request_id=request_id,
        state=triage.state if triage else None,
        assigned_to=triage.assigned_to if triage else None,
        people=workspace.store.triages.people(),
    )
