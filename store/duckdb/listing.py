"""The requests that a filter lets through, in the order of the list: newest first, then by request id.

All their numbers and times are taken at once, which costs less than to let the database sort, count and cut them.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import duckdb
import numpy as np

from ..requests import RequestFilter
from .filters import filtered


class Listed(NamedTuple):
    """A request of the list."""

    start_ns: int
    request_id: str
    rid: int


class Place(NamedTuple):
    """Where a request stands in a list, or would stand."""

    before: int
    """How many stand before it."""
    is_there: bool


class Listing:
    """The numbers of the requests, by time; those of one time are told apart where it matters."""

    def __init__(self, rids: np.ndarray, starts: np.ndarray) -> None:
        order = np.argsort(-starts, kind="stable")
        self._rids, self._ages = rids[order], -starts[order]

    @classmethod
    def of(cls, cursor: duckdb.DuckDBPyConnection, which: RequestFilter) -> Self:
        """What the filter lets through now."""
        chosen = filtered(which)
        columns = cursor.execute(f"select r.rid, r.start_ns {chosen.sql}", chosen.values).fetchnumpy()
        return cls(np.asarray(columns["rid"]), np.asarray(columns["start_ns"]))

    def __len__(self) -> int:
        return len(self._rids)

    def slice(self, cursor: duckdb.DuckDBPyConnection, begin: int, end: int) -> list[Listed]:
        """Those from the 0-based place `begin` on, before `end`."""
        begin, end = max(0, begin), min(end, len(self))
        if begin >= end:
            return []
        first = int(np.searchsorted(self._ages, self._ages[begin], "left"))
        behind = int(np.searchsorted(self._ages, self._ages[end - 1], "right"))
        return self._named(cursor, first, behind)[begin - first : end - first]

    def place(self, cursor: duckdb.DuckDBPyConnection, start_ns: int, request_id: str) -> Place:
        """The place of a request that started then."""
        first, behind = (int(np.searchsorted(self._ages, -start_ns, side)) for side in ("left", "right"))
        ids = [one.request_id for one in self._named(cursor, first, behind)]
        return Place(first + sum(1 for one in ids if one < request_id), request_id in ids)

    def _named(self, cursor: duckdb.DuckDBPyConnection, begin: int, end: int) -> list[Listed]:
        """The requests of these places, in order where no other has the time of one of them."""
        if begin == end:
            return []
        rows = cursor.execute(
            "select start_ns, request_id, rid from requests where rid in (select unnest(?::bigint[]))",
            [self._rids[begin:end].tolist()],
        ).fetchall()
        return sorted((Listed(*row) for row in rows), key=lambda one: (-one.start_ns, one.request_id))
