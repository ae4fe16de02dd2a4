"""Times that contradict each other: spans of another machine's clock, ends before starts."""

from __future__ import annotations

from typing import Final, NamedTuple

TOLERANCE_NS: Final = 1_000_000_000
"""How far outside its request a span may lie without a word: clocks of machines differ a little."""


class Window(NamedTuple):
    """The time of a request."""

    start_ns: int
    end_ns: int | None
    """None: no end was received."""

    def clamp(self, time_ns: int) -> int:
        """The nearest time inside the request; only for putting stages in order."""
        inside = max(time_ns, self.start_ns)
        return inside if self.end_ns is None else min(inside, max(self.end_ns, self.start_ns))


def note(start_ns: int, end_ns: int | None, window: Window | None) -> str | None:
    """What is odd about the times of a span, in words; None where nothing is.

    Without a window (the request span has not come) only the span's own times are compared.
    """
    odd = []
    if end_ns is not None and end_ns < start_ns:
        odd.append("its end is recorded before its start")
    if window is not None:
        if start_ns < window.start_ns - TOLERANCE_NS:
            odd.append(f"it is recorded {_say(window.start_ns - start_ns)} before its request begins")
        elif window.end_ns is not None and max(start_ns, end_ns or 0) > window.end_ns + TOLERANCE_NS:
            late_ns = max(start_ns, end_ns or 0) - window.end_ns
            odd.append(f"it is recorded up to {_say(late_ns)} after its request ends")
    return "; ".join(odd) or None


def _say(duration_ns: int) -> str:
    seconds = duration_ns / 1e9
    for limit, divisor, unit in ((120, 1, "s"), (7200, 60, "min"), (172_800, 3600, "h")):
        if seconds < limit:
            return f"{seconds / divisor:.3g} {unit}"
    return f"{seconds / 86_400:,.1f} days" if seconds < 8_640_000 else f"{seconds / 86_400:,.0f} days"
