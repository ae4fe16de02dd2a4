"""Tombstones: keyed hashes of what was erased, so that it is known when it comes again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import duckdb
import pyarrow as pa  # type: ignore[import-untyped]

from ...model.sieve import Cause, Kind, Sieve, Tombstone, bury
from .columns import insert_table
from .row import first_row
from .spans import SpanKey

PRUNED_KEPT_NS: Final = 30 * 24 * 3600 * 1_000_000_000
"""So long a pruned request is remembered: spans come late by hours, never by weeks. After it an old file may be
imported again."""


def secret_of(cursor: duckdb.DuckDBPyConnection) -> bytes:
    """What the hashes of this store are made with."""
    row = first_row(cursor, "select secret from erasure_state")
    return b"" if row is None else bytes(row[0])


def read_sieve(cursor: duckdb.DuckDBPyConnection) -> Sieve:
    """Knows all tombstones of this store."""
    rows = cursor.execute("select kind, digest, head, words, cause, at_ns from tombstones").fetchall()
    return Sieve(secret_of(cursor), (Tombstone(*row) for row in rows))


def entomb(cursor: duckdb.DuckDBPyConnection, stones: Sequence[Tombstone]) -> None:
    """Adds those that are not there yet."""
    if not stones:
        return
    table = pa.table(
        {
            "kind": pa.array([one.kind for one in stones], pa.string()),
            "digest": pa.array([one.digest for one in stones], pa.uint64()),
            "head": pa.array([one.head for one in stones], pa.uint64()),
            "words": pa.array([one.words for one in stones], pa.int32()),
            "cause": pa.array([one.cause for one in stones], pa.string()),
            "at_ns": pa.array([one.at_ns for one in stones], pa.int64()),
        }
    )
    cursor.execute("create or replace temp table new_stones as select * from tombstones limit 0")
    insert_table(cursor, "new_stones", table)
    cursor.execute(
        "delete from tombstones t using new_stones n "
        "where t.kind = n.kind and t.digest = n.digest and t.at_ns <= n.at_ns"
    )
    cursor.execute("insert into tombstones select distinct on (kind, digest) * from new_stones")
    cursor.execute("drop table new_stones")


def drop_old(cursor: duckdb.DuckDBPyConnection, now_ns: int) -> None:
    """Takes away those of requests that were pruned long ago."""
    cursor.execute(
        "delete from tombstones where cause = ? and at_ns < ?", [Cause.PRUNED.value, now_ns - PRUNED_KEPT_NS]
    )


def stones_of_requests(
    cursor: duckdb.DuckDBPyConnection, rids: str, *, cause: Cause, at_ns: int
) -> tuple[list[Tombstone], frozenset[str]]:
    """Tombstones of the requests in the table named `rids`, while they are still stored; and their traces.

    A trace of which nothing stays has one; of the others each span and the request has.
    """
    secret = secret_of(cursor)
    traces = _names(
        cursor,
        f"select distinct trace_id from spans where rid in (select rid from {rids}) "
        f"union select trace_id from requests where rid in (select rid from {rids})",
    )
    shared = _names(
        cursor,
        f"select distinct trace_id from spans where rid <> 0 and rid not in (select rid from {rids}) "
        f"and trace_id in (select trace_id from spans where rid in (select rid from {rids}))",
    )
    stones = [bury(secret, Kind.TRACE, one, cause=cause, at_ns=at_ns) for one in traces - shared]
    requests = cursor.execute(
        f"select request_id, trace_id from requests where rid in (select rid from {rids})"
    ).fetchall()
    for request_id, trace_id in requests:
        if trace_id in shared or cause is Cause.FORGOTTEN:
            stones.append(bury(secret, Kind.REQUEST, request_id, cause=cause, at_ns=at_ns))
    if shared:
        spans = cursor.execute(f"select trace_id, span_id from spans where rid in (select rid from {rids})").fetchall()
        keys = (SpanKey(*row) for row in spans if row[0] in shared)
        stones += stones_of_spans(secret, keys, cause=cause, at_ns=at_ns)
    return stones, frozenset(traces)


def stones_of_spans(secret: bytes, keys: Iterable[SpanKey], *, cause: Cause, at_ns: int) -> list[Tombstone]:
    """A tombstone a span."""
    return [bury(secret, Kind.SPAN, f"{one.trace_id}-{one.span_id}", cause=cause, at_ns=at_ns) for one in keys]


def _names(cursor: duckdb.DuckDBPyConnection, sql: str) -> set[str]:
    return {name for (name,) in cursor.execute(sql).fetchall()}
