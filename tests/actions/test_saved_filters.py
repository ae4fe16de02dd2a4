"""Filters under a name: saved, replaced, removed."""

from __future__ import annotations

from typing import Any

import pytest
from goldrank.actions.saved_filters import (
    AskFilters,
    RemoveFilter,
    SaveFilter,
    remove_filter,
    save_filter,
    saved_filters,
)
from goldrank.model import NotFound, UsageError


def test_a_name_stands_for_the_parameters_that_were_saved_last(desk: Any) -> None:
    """Names are in order; a second save under one name replaces what it stands for."""
    save_filter(desk.workspace, SaveFilter(name="open", params="queue=open"))
    save_filter(desk.by("cy"), SaveFilter(name="  all   demoted ", params="verdict=demoted"))
    rows = save_filter(desk.workspace, SaveFilter(name="open", params="labelled=Not+labelled&queue=open")).rows
    assert [(row.name, row.params) for row in rows] == [
        ("all demoted", "verdict=demoted"),
        ("open", "labelled=Not+labelled&queue=open"),
    ]
    assert rows[0].who == "cy"


def test_a_removed_name_is_gone_and_can_be_used_again(desk: Any) -> None:
    """Removing what is not there is said."""
    save_filter(desk.workspace, SaveFilter(name="open", params="queue=open"))
    assert remove_filter(desk.workspace, RemoveFilter(name="open")).rows == ()
    with pytest.raises(NotFound, match="removed already"):
        remove_filter(desk.workspace, RemoveFilter(name="open"))
    save_filter(desk.workspace, SaveFilter(name="open", params=""))
    assert [row.params for row in saved_filters(desk.workspace, AskFilters()).rows] == [""]


def test_a_filter_needs_a_name(desk: Any) -> None:
    """Blanks are none."""
    with pytest.raises(UsageError, match="needs a name"):
        save_filter(desk.workspace, SaveFilter(name="  ", params="queue=open"))
