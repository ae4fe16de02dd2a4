"""What a person does while working through a list: put off, assign, undo, keep the list's filter."""

from __future__ import annotations

from threading import RLock

from ..actions.saved_filters import AskFilters, RemoveFilter, SaveFilter, remove_filter, save_filter, saved_filters
from ..actions.triage import AskQueue, Assign, Queued, SetAside, assign, queued, set_aside
from ..actions.undo import AskLastChange, LastChange, UndoLast, last_change, undo_last
from ..model import Judgement, LabelTarget
from ..model.saved_filter import SavedFilter
from ..model.triage import TriageState
from . import data
from .holder import workspace

ONE_AT_A_TIME = RLock()
"""Held from looking to saving. Streamlit runs the callbacks of quick presses beside each other, in threads of one
session, and ends an older one with an exception at its next use of `st`: inside there is none."""


def me() -> str:
    """Who sits at the page, as kept with labels."""
    return workspace().who


def people() -> tuple[str, ...]:
    """Everybody whom a request is assigned to."""
    return workspace().store.triages.people()


def where(request_id: str) -> Queued:
    """Whether the request is put off, and who looks at it."""
    return queued(workspace(), AskQueue(request_id=request_id))


def put_aside(request_id: str, state: TriageState | None) -> None:
    """Puts it off, gives it up, or brings it back."""
    set_aside(workspace(), SetAside(request_id=request_id, state=state))
    data.forget()


def assign_to(request_id: str, to: str) -> None:
    """Says who looks at it; empty: nobody."""
    assign(workspace(), Assign(request_id=request_id, to=to))
    data.forget()


def golds(request_id: str) -> tuple[LabelTarget, ...]:
    """What is marked as gold now. Not from a cache: a run that is being cut short may have filled it just before."""
    labels = workspace().store.labels.of(request_id)
    return tuple(label.target for label in labels if label.judgement is Judgement.GOLD)


def newest_change(request_id: str) -> LastChange:
    """What an undo of this request would take back."""
    return last_change(workspace(), AskLastChange(request_id=request_id))


def take_back_change(request_id: str, at_ns: int) -> LastChange:
    """Undoes that change; Refused where another one came after it."""
    undone = undo_last(workspace(), UndoLast(request_id=request_id, at_ns=at_ns))
    data.forget()
    return undone


def filters() -> tuple[SavedFilter, ...]:
    """Saved filters by name."""
    return saved_filters(workspace(), AskFilters()).rows


def keep_filter(name: str, params: str) -> None:
    """Saves a filter under a name."""
    save_filter(workspace(), SaveFilter(name=name, params=params))


def drop_filter(name: str) -> None:
    """Removes a saved filter."""
    remove_filter(workspace(), RemoveFilter(name=name))
