"""Working through a queue: later, cannot tell, assigned, undone."""

from __future__ import annotations

from typing import Any

import pytest
from goldrank.actions.triage import AskQueue, Assign, SetAside, UndoTriage, assign, queued, set_aside, undo_triage
from goldrank.model import NotFound, UsageError
from goldrank.model.triage import TriageState


def test_what_is_put_off_comes_back_with_undo(desk: Any) -> None:
    """A second undo goes one change further back; when nothing is left it says so."""
    one = desk.record(1)
    assign(desk.workspace, Assign(request_id=one, to="bo"))
    assert set_aside(desk.workspace, SetAside(request_id=one, state=TriageState.LATER)).state is TriageState.LATER
    said = undo_triage(desk.workspace, UndoTriage(request_id=one))
    assert (said.state, said.assigned_to) == (None, "bo")
    assert undo_triage(desk.workspace, UndoTriage(request_id=one)).assigned_to is None
    assert queued(desk.workspace, AskQueue(request_id=one)).assigned_to is None
    with pytest.raises(UsageError, match="nothing to undo"):
        undo_triage(desk.workspace, UndoTriage(request_id=one))


def test_saying_the_same_twice_is_one_change(desk: Any) -> None:
    """A key that is pressed twice is undone by one undo."""
    one = desk.record(1)
    for _ in range(2):
        set_aside(desk.workspace, SetAside(request_id=one, state=TriageState.LATER))
    assert len(desk.store.triages.history(one)) == 1
    assert undo_triage(desk.workspace, UndoTriage(request_id=one)).state is None


def test_assigning_leaves_the_state_and_the_other_way_round(desk: Any) -> None:
    """Two things that do not depend on each other."""
    one = desk.record(1)
    set_aside(desk.workspace, SetAside(request_id=one, state=TriageState.CANNOT_TELL))
    said = assign(desk.workspace, Assign(request_id=one, to=" bo "))
    assert (said.state, said.assigned_to, said.people) == (TriageState.CANNOT_TELL, "bo", ("bo",))
    said = set_aside(desk.workspace, SetAside(request_id=one, state=None))
    assert (said.state, said.assigned_to) == (None, "bo")
    assert assign(desk.workspace, Assign(request_id=one)).assigned_to is None


def test_who_and_when_are_kept(desk: Any) -> None:
    """Every revision."""
    one = desk.record(1)
    set_aside(desk.by("cy"), SetAside(request_id=one, state=TriageState.LATER))
    assign(desk.by("dan"), Assign(request_id=one, to="bo"))
    history = desk.store.triages.history(one)
    assert [(entry.who, entry.revision) for entry in history] == [("cy", 1), ("dan", 2)]
    assert history[0].at_ns < history[1].at_ns


def test_nothing_to_undo_is_said(desk: Any) -> None:
    """No silent success."""
    one = desk.record(1)
    with pytest.raises(UsageError, match="nothing to undo"):
        undo_triage(desk.workspace, UndoTriage(request_id=one))


def test_an_unknown_request_is_not_put_off(desk: Any) -> None:
    """The error says where was looked."""
    with pytest.raises(NotFound):
        set_aside(desk.workspace, SetAside(request_id="f" * 32 + "-" + "f" * 16, state=TriageState.LATER))
