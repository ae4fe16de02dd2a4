"""What a receiver took and refused since its last report. Belongs to one event loop."""

from __future__ import annotations

import os
import time
from collections import Counter
from typing import Final

from ...model import Drops
from .refusal import Reason

REQUESTS: Final = "requests"
"""Requests that were acknowledged, of any kind."""
BYTES: Final = "bytes"
"""Of their bodies, after compression was undone."""


class Tally:
    """Counts for the life of the process, and those that are not reported yet."""

    def __init__(self, name: str) -> None:
        self.name = name
        """Names the receiver on the Status page: what it is, its machine and port."""
        self.received: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self._unsaid = (Counter[str](), Counter[str](), Counter[str]())
        """Received, refused, and parts of requests that were rejected."""

    def take(self, **counts: int) -> None:
        """A request was acknowledged; `counts` says what was in it: `spans=6, bytes=30_000`."""
        found = {REQUESTS: 1} | {name.replace("_", " "): count for name, count in counts.items() if count}
        self.received.update(found)
        self._unsaid[0].update(found)

    def refuse(self, reason: Reason) -> None:
        """A request was refused."""
        self.refused[reason.value] += 1
        self._unsaid[1][reason.value] += 1

    def reject(self, reason: Reason, count: int) -> None:
        """So many spans or records of a request that was taken were not."""
        self._unsaid[2][reason.value] += count

    def report(self) -> Drops | None:
        """What happened since the last report that was `said`; None: nothing."""
        received, refused, rejected = self._unsaid
        if not (received or refused or rejected):
            return None
        return Drops(
            app=self.name,
            pid=os.getpid(),
            drops=dict(rejected),
            at_ns=time.time_ns(),
            received=dict(received),
            refused=dict(refused),
        )

    def said(self, report: Drops) -> None:
        """Takes off what a report said, once it is written."""
        for counter, told in zip(self._unsaid, (report.received, report.refused, report.drops), strict=True):
            counter.subtract(told)
            for name in [name for name, count in counter.items() if not count]:
                del counter[name]
