"""Which row a request has: numbers are given out once, and a request that takes over another keeps its number."""

from __future__ import annotations

from typing import NamedTuple

import duckdb

from ..intake import IntakeBatch
from .row import first_row

_FOLLOWING = ("labels", "complaints", "feedback")
"""Tables whose rows go along when a provisional request becomes another."""


class Identities(NamedTuple):
    """The numbers of a batch's requests."""

    rids: dict[str, int]
    """Request id -> its number."""
    replaced: list[int]
    """Numbers whose rows are replaced or go."""
    renamed: dict[str, str]

    def follow(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Labels, complaints and feedback of a renamed request go to the one that takes it over."""
        for old, new in self.renamed.items():
            for table in _FOLLOWING:
                # The name is one of the tuple above.
                cursor.execute(f"update {table} set request_id = ? where request_id = ?", [new, old])


def identities_of(cursor: duckdb.DuckDBPyConnection, batch: IntakeBatch, now_ns: int) -> Identities:
    """The number of every request of the batch; a new one is its time of arrival, bumped until it is free."""
    composed = [recorded.request.request_id for recorded in batch.requests]
    stored = _stored(cursor, [*composed, *batch.dissolved, *batch.renamed])
    rids: dict[str, int] = {}
    free = _first_free(cursor, now_ns)
    taken_over = {new: stored[old] for old, new in batch.renamed.items() if old in stored}
    for request_id in composed:
        known = stored.get(request_id) or taken_over.get(request_id)
        if known is None:
            known, free = free, free + 1
        rids[request_id] = known
    return Identities(rids, sorted(set(stored.values())), batch.renamed)


def _stored(cursor: duckdb.DuckDBPyConnection, request_ids: list[str]) -> dict[str, int]:
    if not request_ids:
        return {}
    rows = cursor.execute(
        "select request_id, rid from requests where request_id in (select unnest(?::varchar[]))",
        [sorted(set(request_ids))],
    ).fetchall()
    return dict(rows)


def _first_free(cursor: duckdb.DuckDBPyConnection, now_ns: int) -> int:
    row = first_row(cursor, "select coalesce(max(rid), 0) + 1 from requests")
    return now_ns if row is None else max(now_ns, int(row[0]))
