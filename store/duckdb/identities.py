"""Which row a request has: numbers are given out once, and a request that takes over another keeps its number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import duckdb

from ..intake import IntakeBatch
from .row import number

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


def identities_of(cursor: duckdb.DuckDBPyConnection, batch: IntakeBatch, known: Sequence[str], free: int) -> Identities:
    """The number of every request of the batch; new ones get the next free numbers, from `free` on.

    `known` are those of `named_requests` that may be stored.
    """
    composed = [recorded.request.request_id for recorded in batch.requests]
    stored = _stored(cursor, known)
    rids: dict[str, int] = {}
    taken_over = {new: stored[old] for old, new in batch.renamed.items() if old in stored}
    for request_id in composed:
        rid = stored.get(request_id) or taken_over.get(request_id)
        if rid is None:
            rid, free = free, free + 1
        rids[request_id] = rid
    return Identities(rids, sorted(set(stored.values())), batch.renamed)


def named_requests(batch: IntakeBatch) -> tuple[str, ...]:
    """Every request whose row the batch may touch."""
    composed = (recorded.request.request_id for recorded in batch.requests)
    return (*composed, *batch.dissolved, *batch.renamed)


def _stored(cursor: duckdb.DuckDBPyConnection, request_ids: Sequence[str]) -> dict[str, int]:
    if not request_ids:
        return {}
    rows = cursor.execute(
        "select request_id, rid from requests where request_id in (select unnest(?::varchar[]))",
        [sorted(set(request_ids))],
    ).fetchall()
    return dict(rows)


def newest_rid(cursor: duckdb.DuckDBPyConnection) -> int:
    """The largest number that a request has; 0 without any."""
    return number(cursor, "select max(rid) from requests")
