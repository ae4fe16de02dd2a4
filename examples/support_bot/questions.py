"""About 300 questions for the demo, from the phrases in questions.json: who asks what, in which conversation."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
CONVERSATIONS = 255
"""More than there are phrases: the later ones ask again, as other users and with other words around."""


class Asked(NamedTuple):
    """A conversation: one question, or several of one user one after the other."""

    questions: tuple[str, ...]
    user: str
    session: str
    groups: tuple[str, ...]


def conversations() -> Iterator[Asked]:
    """The same conversations in the same order every time."""
    phrases = json.loads((HERE / "questions.json").read_text("utf-8"))
    every = [[question] for question in phrases["single"]] + phrases["conversations"]
    users, openings, closings = phrases["users"], phrases["openings"], phrases["closings"]
    for number in range(CONVERSATIONS):
        asked = list(every[(number * 37) % len(every)])  # 37 shares no factor with the count: it visits all of them
        groups = tuple(phrases["groups"].get(asked[0], ("customers",)))
        if number >= len(every):
            asked[0] = openings[number % len(openings)] + asked[0] + closings[number % len(closings)]
        user = users[number % len(users)]
        yield Asked(tuple(asked), user, f"{user}-{number // len(users) + 1}", groups)
