"""Counting what is lost, from any thread, signal handler or destructor, without ever waiting."""

from __future__ import annotations

import json
import os
import threading
import time
from collections import deque
from typing import Final

NOT_SAMPLED: Final = "not sampled"
"""The app's own sampler left it out. Reported like a loss, but nothing was ever handed over."""

_FOLD_AT: Final = 1024
_PATIENCE_S: Final = 0.2


def drops_json(app: str, counts: dict[str, int]) -> bytes:
    """A `model.Drops` of this process, without loading pydantic into the app."""
    return json.dumps({"app": app, "pid": os.getpid(), "drops": counts, "at_ns": time.time_ns()}).encode()


class Losses:
    """Reason -> count since the last report, and the number of all real losses."""

    def __init__(self) -> None:
        self._added: deque[tuple[str, int]] = deque()
        self._folding = threading.Lock()
        self._counts: dict[str, int] = {}
        self._total = 0

    def __bool__(self) -> bool:
        """Whether there is anything to report."""
        return bool(self._added or self._counts)

    def add(self, reason: str, n: int) -> None:
        """Appending is atomic; whoever finds many appended adds them up, unless someone does just now."""
        self._added.append((reason, n))
        if len(self._added) >= _FOLD_AT:
            self._fold()

    def counts(self) -> dict[str, int]:
        """What is to report: a copy, to be given to `reported` once it is written."""
        self._fold(_PATIENCE_S)
        return dict(self._counts)

    def reported(self, counts: dict[str, int]) -> None:
        """Takes off what a report said."""
        with self._folding:
            for reason, n in counts.items():
                left = self._counts.get(reason, 0) - n
                if left > 0:
                    self._counts[reason] = left
                else:
                    self._counts.pop(reason, None)

    def total(self) -> int:
        """All that was handed over and lost since the start; it only grows. Not sampled is not lost."""
        self._fold(_PATIENCE_S)
        return self._total

    def _fold(self, wait_s: float = 0) -> None:
        """Without effect where someone else folds for so long: this very thread, if we are its signal handler."""
        if not self._folding.acquire(timeout=wait_s):
            return
        try:
            while self._added:
                reason, n = self._added.popleft()
                self._counts[reason] = self._counts.get(reason, 0) + n
                if reason != NOT_SAMPLED:
                    self._total += n
        finally:
            self._folding.release()
