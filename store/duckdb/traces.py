"""Which traces may be stored: most spans that come belong to none, and then nothing needs to be read.

Kept are 64 bits of each trace id. Two traces may share them; then the store is asked in vain.
"""

from __future__ import annotations

from collections.abc import Iterable

import duckdb
import numpy as np

_RECENT = 50_000
"""So many new ones are kept apart before they are sorted in among the others."""
_DIGITS = 16


class Traces:
    """The traces of all spans and requests, remembered. What is deleted from the store may stay in here."""

    def __init__(self) -> None:
        self._stored: np.ndarray | None = None
        """Sorted, eight bytes each; None: nothing was asked yet."""
        self._recent: set[int] = set()

    def known(self, cursor: duckdb.DuckDBPyConnection, ids: Iterable[str]) -> tuple[str, ...]:
        """Those of the trace or request ids of which something may be stored."""
        stored = self._learned(cursor)
        return tuple(one for one in ids if _bits(one) in self._recent or _holds(stored, _bits(one)))

    def add(self, cursor: duckdb.DuckDBPyConnection, ids: Iterable[str]) -> None:
        """These are stored from now on. After a rollback they stay: that costs a look, and no truth."""
        stored = self._learned(cursor)
        self._recent.update(map(_bits, ids))
        if len(self._recent) > _RECENT:
            self._stored = np.union1d(stored, np.fromiter(self._recent, np.uint64, len(self._recent)))
            self._recent.clear()

    def _learned(self, cursor: duckdb.DuckDBPyConnection) -> np.ndarray:
        if self._stored is None:
            rows = cursor.execute(
                "select distinct trace_id from spans union select distinct split_part(request_id, '-', 1) from requests"
            ).fetchall()
            self._stored = np.unique(np.fromiter((_bits(one) for (one,) in rows), np.uint64, len(rows)))
        return self._stored


def _bits(trace_or_request_id: str) -> int:
    """64 bits of the trace; of an id that is none, of its letters."""
    head = trace_or_request_id.partition("-")[0][-_DIGITS:]
    try:
        return int(head, 16)
    except ValueError:
        return int.from_bytes(head.encode("utf-8", "surrogatepass")[-8:], "big")


def _holds(stored: np.ndarray, bits: int) -> bool:
    place = int(np.searchsorted(stored, np.uint64(bits)))
    return place < len(stored) and int(stored[place]) == bits
