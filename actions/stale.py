"""What the corpus says of a case's passages now: still there, moved to another id, or changed."""

from __future__ import annotations

from typing import NamedTuple

from ..model import EvalCase
from ..store import Store
from .label import target_name


class StaleMarks(NamedTuple):
    """Passages of a case that the newest index version holds differently."""

    stale: tuple[str, ...]
    relinked: tuple[str, ...]
    """"7f1c -> 91aa, same text"."""


def stale_marks(store: Store, case: EvalCase) -> StaleMarks:
    """The marks of one case; none where the corpus is not known."""
    targets = tuple(label.target for label in case.labels)
    stale, relinked = [], []
    for target, facts in zip(targets, store.chunks.facts_now(case.app, case.environment, targets), strict=True):
        if facts.relinked:
            relinked.append(f"{target_name(target)} -> {facts.relinked[0]}, same text")
        elif facts.same_text is False or facts.present is False:
            stale.append(target_name(target))
    return StaleMarks(tuple(dict.fromkeys(stale)), tuple(dict.fromkeys(relinked)))
