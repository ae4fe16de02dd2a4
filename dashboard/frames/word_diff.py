"""A query beside the question: which words went, which came."""

from __future__ import annotations

from enum import Enum, auto
from typing import Final, NamedTuple

from ...diagnosis.word_diff import runs


class Change(Enum):
    """What happened to a run of words."""

    KEPT = auto()
    GONE = auto()
    NEW = auto()


_CHANGES: Final = {" ": Change.KEPT, "-": Change.GONE, "+": Change.NEW}


class Run(NamedTuple):
    """Words next to each other with the same fate, joined as they stood."""

    change: Change
    text: str


def word_diff(before: str, after: str) -> tuple[Run, ...]:
    """The words of both texts in order; case and punctuation count, white space does not."""
    words = runs(before.split(), after.split())
    return tuple(Run(_CHANGES[sign], " ".join(run)) for sign, run in words)
