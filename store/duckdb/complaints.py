"""Complaints and feedback on DuckDB: append-only, the newest revision counts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import duckdb

from ...model import Complaint, Feedback
from .columns import insert
from .database import Database
from .encoding import dumps, loads
from .row import first_row


class _ComplaintRow(NamedTuple):
    place: int
    complaint_id: str
    request_id: str | None
    app: str
    at_ns: int
    body: str


class _FeedbackRow(NamedTuple):
    place: int
    feedback_id: str
    request_id: str
    app: str
    score: float
    at_ns: int
    body: str


class DuckComplaints:
    """`store.Complaints` on DuckDB."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def list(self, *, limit: int = 50, offset: int = 0) -> tuple[Complaint, ...]:
        with self._database.reading() as cursor:
            rows = cursor.execute(
                "select body, request_id from current_complaints order by at_ns desc, complaint_id limit ? offset ?",
                [limit, offset],
            ).fetchall()
        return tuple(_complaint(body, request_id) for body, request_id in rows)

    def count(self) -> int:
        with self._database.reading() as cursor:
            row = first_row(cursor, "select count(*) from current_complaints")
        return 0 if row is None else int(row[0])

    def get(self, complaint_id: str) -> Complaint | None:
        with self._database.reading() as cursor:
            row = first_row(
                cursor, "select body, request_id from current_complaints where complaint_id = ?", [complaint_id]
            )
        return None if row is None else _complaint(row[0], row[1])

    def of(self, request_id: str) -> tuple[Complaint, ...]:
        with self._database.reading() as cursor:
            rows = cursor.execute(
                "select body, request_id from current_complaints where request_id = ? order by at_ns, complaint_id",
                [request_id],
            ).fetchall()
        return tuple(_complaint(body, request_id) for body, request_id in rows)

    def feedback(self, request_id: str) -> tuple[Feedback, ...]:
        with self._database.reading() as cursor:
            rows = cursor.execute(
                "select body, request_id from current_feedback where request_id = ? order by at_ns, feedback_id",
                [request_id],
            ).fetchall()
        return tuple(Feedback.model_validate({**loads(body), "request_id": request_id}) for body, request_id in rows)

    def save(self, complaint: Complaint) -> None:
        with self._database.changing() as cursor:
            add_complaints(cursor, [complaint], again=True)


def add_complaints(cursor: duckdb.DuckDBPyConnection, complaints: Iterable[Complaint], *, again: bool = False) -> None:
    """Appends revisions. What was stored before, in any revision, is not appended a second time, so that a
    frame that is read again cannot undo a link that a person made; with `again` only the newest revision counts."""
    for complaint in complaints:
        body = dumps(complaint.model_dump(mode="json"))
        view = "current_complaints" if again else "complaints"
        if _holds(cursor, view, "complaint_id", complaint.complaint_id, body):
            continue
        insert(
            cursor,
            "complaints",
            [
                _ComplaintRow(
                    next_place(cursor, "complaints"),
                    complaint.complaint_id,
                    complaint.request_id,
                    complaint.app,
                    complaint.at_ns,
                    body,
                )
            ],
        )


def add_feedback(cursor: duckdb.DuckDBPyConnection, feedback: Iterable[Feedback]) -> None:
    """Appends feedback that is not stored yet."""
    for one in feedback:
        body = dumps(one.model_dump(mode="json"))
        if _holds(cursor, "feedback", "feedback_id", one.feedback_id, body):
            continue
        insert(
            cursor,
            "feedback",
            [
                _FeedbackRow(
                    next_place(cursor, "feedback"),
                    one.feedback_id,
                    one.request_id,
                    one.app,
                    one.score,
                    one.at_ns,
                    body,
                )
            ],
        )


def next_place(cursor: duckdb.DuckDBPyConnection, table: str) -> int:
    """The place behind the last row of an append-only table; from 1."""
    row = first_row(cursor, f"select coalesce(max(place), 0) + 1 from {table}")
    return 1 if row is None else int(row[0])


def _holds(cursor: duckdb.DuckDBPyConnection, table: str, key: str, value: str, body: str) -> bool:
    """Whether the table has this very revision."""
    sql = f"select 1 from {table} where {key} = ? and body = ?"
    return first_row(cursor, sql, [value, body]) is not None


def _complaint(body: str, request_id: str | None) -> Complaint:
    return Complaint.model_validate({**loads(body), "request_id": request_id})
