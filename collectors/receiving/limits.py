"""How much is taken: of one body, at once, and in a second. Belongs to one event loop."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

from ...tracing.spool import MAX_PAYLOAD
from .refusal import NotTaken, Reason

MIB: Final = 1024 * 1024


class Limits(NamedTuple):
    """What a receiver takes."""

    body_bytes: int = 32 * MIB
    """Of one body as sent."""
    inflated_bytes: int = MAX_PAYLOAD
    """Of one body after compression is undone: sixty megabytes of zeros arrive as sixty kilobytes."""
    waiting_bytes: int = 256 * MIB
    """Of all bodies that are being read or wait for the disk."""
    bytes_per_s: float | None = None
    """Of bodies after compression is undone, on average. None: as fast as the disk is."""
    spans_per_s: float | None = None
    """Spans and log records, on average."""
    idle_s: float = 30.0
    """A body of which nothing more came for so long is given up."""
    whole_s: float = 600.0
    """A body that is not complete after so long is given up."""


class Rate:
    """An average rate with a burst of one second. What was taken is paid for before the next is taken.

    One body larger than a second's worth is taken, and the debt waited for: else it could never be sent.
    """

    def __init__(self, per_s: float | None, now: Callable[[], float] = time.monotonic) -> None:
        self._per_s = per_s
        self._now = now
        self._left = per_s or 0.0
        self._at = now()

    def wait_s(self) -> float:
        """Seconds until the next may be taken; 0: now."""
        if self._per_s is None:
            return 0.0
        self._earn(self._per_s)
        return max(0.0, -self._left / self._per_s)

    def charge(self, amount: int) -> None:
        """`amount` was taken."""
        if self._per_s is not None:
            self._earn(self._per_s)
            self._left -= amount

    def _earn(self, per_s: float) -> None:
        now = self._now()
        self._left = min(per_s, self._left + (now - self._at) * per_s)
        self._at = now


class Room:
    """What one request holds of the waiting room."""

    def __init__(self, waiting: Waiting) -> None:
        self._waiting = waiting
        self.held = 0

    def take(self, size: int) -> None:
        """Holds `size` bytes more; NotTaken where all requests together would hold too much."""
        if self._waiting.held + size > self._waiting.limit:
            raise NotTaken(
                Reason.BUSY,
                f"More than {self._waiting.limit // MIB:,} MiB wait to be written. Send it again in a moment.",
                retry_s=1,
            )
        self._waiting.held += size
        self.held += size


class Waiting:
    """The bytes of all requests that are under way."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.held = 0
        self.requests = 0

    @contextmanager
    def room(self) -> Iterator[Room]:
        """Room for one request, given back at its end whatever came of it."""
        room = Room(self)
        self.requests += 1
        try:
            yield room
        finally:
            self.requests -= 1
            self.held -= room.held


class Rates:
    """Both rates of a receiver."""

    def __init__(self, limits: Limits) -> None:
        self._bytes = Rate(limits.bytes_per_s)
        self._spans = Rate(limits.spans_per_s)

    def check(self) -> None:
        """NotTaken while more was taken than the rate allows."""
        wait_s = max(self._bytes.wait_s(), self._spans.wait_s())
        if wait_s > 0:
            raise NotTaken(
                Reason.TOO_FAST,
                f"More comes than this receiver was told to take; the next is taken in {wait_s:.1f} s.",
                retry_s=max(1, math.ceil(wait_s)),
            )

    def charge(self, size: int, spans: int) -> None:
        """So much was taken."""
        self._bytes.charge(size)
        self._spans.charge(spans)
