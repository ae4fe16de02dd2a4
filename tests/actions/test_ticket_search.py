"""Tickets made by rule over 300 requests find their question. `tests/benchmarks/tickets.py` does it on real ones."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "benchmarks"))
import tickets
from ticket_requests import Asked, make_requests

ACTIONS = ("cancel", "export", "share", "rename", "restore", "encrypt", "archive", "print", "translate", "schedule")
THINGS = ("invoice", "calendar", "workspace", "password", "contract", "backup", "photo album", "newsletter", "project")
PLACES = ("on my phone", "for a colleague", "without an account", "in the free plan")


def pairs() -> list[Asked]:
    """360 questions that share their words, each with an answer of its own."""
    return [
        Asked(
            f"How can I {action} a {thing} {place}?",
            f"Open the {thing} page and choose {action} from menu {number}. "
            f"Changes {place} reach everybody after {number + 2} minutes.",
        )
        for number, (action, thing, place) in enumerate(itertools.product(ACTIONS, THINGS, PLACES))
    ]


@pytest.mark.parametrize("rules", sorted(tickets.GENERATORS))
def test_the_right_question_is_found(desk, rules):
    """First in nine of ten where a user or a time is known; among five in nine of ten of all."""
    made = make_requests(pairs(), 300)
    tickets.fill(desk.store, made)
    outcomes = tickets.measure(desk.store, made, rules, 2)
    hinted = [one.first for one in outcomes if one.hint != "none"]
    five = [one.among_five for one in outcomes]
    assert sum(hinted) / len(hinted) >= 0.9
    assert sum(five) / len(five) >= 0.9
