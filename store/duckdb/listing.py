"""The requests that a filter lets through, in the order of the list: newest first, then by request id.

All their numbers and times are taken at once, which costs less than to let the database sort, count and cut them;
nothing is sorted but the few that are shown.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import duckdb
import numpy as np

from ..requests import RequestFilter
from .filters import filtered
from .row import rows_of


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
    """The numbers of the requests with their times; those of one time are told apart where it matters."""

    def __init__(self, rids: np.ndarray, starts: np.ndarray) -> None:
        self._rids, self._ages = rids, -starts

    @classmethod
    def of(cls, cursor: duckdb.DuckDBPyConnection, which: RequestFilter) -> Self:
        """What the filter lets through now."""
        chosen = filtered(cursor, which)
        columns = cursor.execute(f"select r.rid, r.start_ns {chosen.sql}", chosen.values).fetchnumpy()
        return cls(np.asarray(columns["rid"]), np.asarray(columns["start_ns"]))

    def __len__(self) -> int:
        return len(self._rids)

    def slice(self, cursor: duckdb.DuckDBPyConnection, begin: int, end: int) -> list[Listed]:
        """Those from the 0-based place `begin` on, before `end`."""
        begin, end = max(0, begin), min(end, len(self))
        if begin >= end:
            return []
        newest, oldest = np.partition(self._ages, (begin, end - 1))[[begin, end - 1]]
        before = int(np.count_nonzero(self._ages < newest))
        chosen = self._named(cursor, (self._ages >= newest) & (self._ages <= oldest))
        return chosen[begin - before : end - before]

    def place(self, cursor: duckdb.DuckDBPyConnection, start_ns: int, request_id: str) -> Place:
        """The place of a request that started then."""
        ids = [one.request_id for one in self._named(cursor, self._ages == -start_ns)]
        before = int(np.count_nonzero(self._ages < -start_ns))
        return Place(before + sum(1 for one in ids if one < request_id), request_id in ids)

    def _named(self, cursor: duckdb.DuckDBPyConnection, which: np.ndarray) -> list[Listed]:
        """These requests, in order."""
        rids = self._rids[which].tolist()
        if not rids:
            return []
        rows = rows_of(
            cursor, "select start_ns, request_id, rid from requests where rid in (select unnest(?::bigint[]))", [rids]
        )
        return sorted((Listed(*row) for row in rows), key=lambda one: (-one.start_ns, one.request_id))
