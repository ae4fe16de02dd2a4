"""Undo takes back whichever was last: a label, or the request's place in the queue."""

from __future__ import annotations

from typing import Any

import pytest
from goldrank.actions import NewLabel, SaveLabels, save_labels
from goldrank.actions.triage import Assign, SetAside, assign, set_aside
from goldrank.actions.undo import AskLastChange, UndoLast, last_change, undo_last
from goldrank.model import Judgement, NotFound, Refused
from goldrank.model.triage import TriageState


def test_the_newest_of_labels_and_queue_goes_first(desk: Any, make_target: Any) -> None:
    """Later, then gold, then assigned: undone in the reverse order, each named."""
    one = desk.record(1)
    gold = NewLabel(judgement=Judgement.GOLD, target=make_target("refunds#2"))
    set_aside(desk.workspace, SetAside(request_id=one, state=TriageState.LATER))
    save_labels(desk.workspace, SaveLabels(request_id=one, labels=(gold,)))
    assign(desk.workspace, Assign(request_id=one, to="bo"))
    said = [undo_last(desk.workspace, UndoLast(request_id=one)).words for _ in range(3)]
    assert said == ["assigned to bo", "gold refunds#2", "later"]
    assert desk.store.labels.of(one) == ()
    assert desk.store.triages.get(one).state is None
    with pytest.raises(NotFound, match="Nothing to undo"):
        undo_last(desk.workspace, UndoLast(request_id=one))


def test_another_change_than_the_one_meant_is_not_undone(desk: Any) -> None:
    """What somebody else did in the meantime stays, and is named."""
    one = desk.record(1)
    set_aside(desk.by("cy"), SetAside(request_id=one, state=TriageState.LATER))
    meant = last_change(desk.workspace, AskLastChange(request_id=one))
    assign(desk.by("dan"), Assign(request_id=one, to="bo"))
    with pytest.raises(Refused, match="assigned to bo, by dan"):
        undo_last(desk.workspace, UndoLast(request_id=one, at_ns=meant.at_ns))
    assert desk.store.triages.get(one).assigned_to == "bo"


def test_a_request_that_nobody_touched_has_no_last_change(desk: Any) -> None:
    """So that a page can say that there is nothing to undo."""
    assert last_change(desk.workspace, AskLastChange(request_id=desk.record(1))).at_ns is None
