"""A query beside the question: which words went, which came."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from enum import Enum, auto
from typing import NamedTuple


class Change(Enum):
    """What happened to a run of words."""

    KEPT = auto()
    GONE = auto()
    NEW = auto()


class Run(NamedTuple):
    """Words next to each other with the same fate, joined as they stood."""

    change: Change
    text: str


def word_diff(before: str, after: str) -> tuple[Run, ...]:
    """The words of both texts in order; case and punctuation count, white space does not."""
    old, new = re.findall(r"\S+", before), re.findall(r"\S+", after)
    runs: list[Run] = []
    for tag, old_from, old_to, new_from, new_to in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            runs.append(Run(Change.KEPT, " ".join(old[old_from:old_to])))
            continue
        if old_to > old_from:
            runs.append(Run(Change.GONE, " ".join(old[old_from:old_to])))
        if new_to > new_from:
            runs.append(Run(Change.NEW, " ".join(new[new_from:new_to])))
    return tuple(runs)
