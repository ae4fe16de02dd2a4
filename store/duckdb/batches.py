"""Batches of replays on DuckDB."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import duckdb

from ...model.batch import BatchOutcome, BatchResult, ReplayBatch
from ..batches import BatchRow
from .columns import insert
from .complaints import next_place
from .database import Database
from .encoding import dumps, loads
from .row import first_row


class _BatchRow(NamedTuple):
    place: int
    batch_id: str
    at_ns: int
    body: str


class _ResultRow(NamedTuple):
    place: int
    batch_id: str
    request_id: str
    outcome: str
    at_ns: int
    body: str


class DuckBatches:
    """`store.Batches` on DuckDB."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def list(self, *, limit: int = 20, offset: int = 0) -> tuple[BatchRow, ...]:
        with self._database.reading() as cursor:
            rows = cursor.execute(
                "select body from replay_batches order by at_ns desc, place desc limit ? offset ?", [limit, offset]
            ).fetchall()
            return tuple(_with_counts(cursor, body) for (body,) in rows)

    def get(self, batch_id: str) -> BatchRow | None:
        with self._database.reading() as cursor:
            row = first_row(cursor, "select body from replay_batches where batch_id = ?", [batch_id])
            return None if row is None else _with_counts(cursor, row[0])

    def results(
        self, batch_id: str, *, outcome: BatchOutcome | None = None, limit: int = 1000, offset: int = 0
    ) -> tuple[BatchResult, ...]:
        wanted, values = ("and outcome = ?", [outcome.value]) if outcome else ("", [])
        with self._database.reading() as cursor:
            rows = cursor.execute(
                # The condition is one of the two texts above.
                f"select body from current_replay_results where batch_id = ? {wanted} order by place limit ? offset ?",
                [batch_id, *values, limit, offset],
            ).fetchall()
        return tuple(BatchResult.model_validate(loads(body)) for (body,) in rows)

    def missing(self, batch_id: str) -> tuple[str, ...]:
        found = self.get(batch_id)
        if found is None:
            return ()
        with self._database.reading() as cursor:
            rows = cursor.execute(
                "select request_id from current_replay_results where batch_id = ?", [batch_id]
            ).fetchall()
        done = {request_id for (request_id,) in rows}
        return tuple(request_id for request_id in found.batch.request_ids if request_id not in done)

    def save(self, batch: ReplayBatch) -> None:
        with self._database.changing() as cursor:
            if first_row(cursor, "select 1 from replay_batches where batch_id = ?", [batch.batch_id]) is None:
                insert(cursor, "replay_batches", [batch_row(next_place(cursor, "replay_batches"), batch)])

    def add(self, result: BatchResult) -> None:
        with self._database.changing() as cursor:
            insert(cursor, "replay_results", [result_row(next_place(cursor, "replay_results"), result)])


def batch_row(place: int, batch: ReplayBatch) -> _BatchRow:
    """A batch as a row."""
    return _BatchRow(place, batch.batch_id, batch.at_ns, dumps(batch.model_dump(mode="json")))


def result_row(place: int, result: BatchResult) -> _ResultRow:
    """A result of a batch as a row."""
    return _ResultRow(
        place=place,
        batch_id=result.batch_id,
        request_id=result.request_id,
        outcome=result.outcome.value,
        at_ns=result.at_ns,
        body=dumps(result.model_dump(mode="json")),
    )


def _with_counts(cursor: duckdb.DuckDBPyConnection, body: str) -> BatchRow:
    batch = ReplayBatch.model_validate(loads(body))
    rows: Iterable[tuple[Any, ...]] = cursor.execute(
        "select outcome, count(*) from current_replay_results where batch_id = ? group by outcome", [batch.batch_id]
    ).fetchall()
    return BatchRow(batch=batch, counts={BatchOutcome(outcome): count for outcome, count in rows})
