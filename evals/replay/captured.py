"""What an app printed, within bounds: the beginning and the end are kept, the middle is counted."""

from __future__ import annotations

from typing import Final

KEPT_EACH: Final = 1_000_000
"""Bytes of the beginning, and bytes of the end."""


class Captured:
    """Bytes as they come, invalid ones included."""

    def __init__(self) -> None:
        self._first = bytearray()
        self._last = bytearray()
        self.dropped = 0
        """Bytes of the middle that are gone."""

    def add(self, data: bytes) -> None:
        """Takes some more."""
        room = KEPT_EACH - len(self._first)
        if room > 0:
            self._first += data[:room]
            data = data[room:]
        self._last += data
        if len(self._last) > 2 * KEPT_EACH:
            self._cut()

    def _cut(self) -> None:
        over = len(self._last) - KEPT_EACH
        if over > 0:
            self.dropped += over
            del self._last[:over]

    def text(self) -> str:
        """What is kept, with a line where something is missing; what is no UTF-8 is shown as U+FFFD."""
        self._cut()
        first, last = (bytes(part).decode("utf-8", "replace") for part in (self._first, self._last))
        gap = f"\n[… {self.dropped:,} bytes left out …]\n" if self.dropped else ""
        return f"{first}{gap}{last}"

    def __len__(self) -> int:
        return len(self._first) + len(self._last) + self.dropped
