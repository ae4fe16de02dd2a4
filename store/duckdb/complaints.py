"""Complaints and feedback on DuckDB: append-only, the newest revision counts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import duckdb

from ...model import Complaint, Feedback, short_id
from ..complaints import (
    CandidateQuery,
    ComplaintFacts,
    ComplaintFactsPage,
    ComplaintFilter,
    FoundCandidates,
    KnownNames,
    ShownRequest,
)
from .candidates import candidates, known_names, shown
from .columns import insert
from .complaint_page import complaint_facts, complaint_page
from .database import Database
from .encoding import dumps, loads
from .row import first_row, number, rows_of

_MOST_WITH_PREFIX = 20


class _ComplaintRow(NamedTuple):
    place: int
    complaint_id: str
    request_id: str | None
    app: str
    at_ns: int
    body: str
    source: str
    owner: str | None
    closed: str | None
    """State of its closing."""


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
            rows = rows_of(
                cursor,
                "select body, request_id from current_complaints order by at_ns desc, complaint_id limit ? offset ?",
                [limit, offset],
            )
        return tuple(stored_complaint(*row) for row in rows)

    def page(self, which: ComplaintFilter, *, limit: int, offset: int = 0) -> ComplaintFactsPage:
        with self._database.reading() as cursor:
            return complaint_page(cursor, which, limit=limit, offset=offset)

    def facts(self, complaint_id: str) -> ComplaintFacts | None:
        with self._database.reading() as cursor:
            return complaint_facts(cursor, complaint_id)

    def count(self) -> int:
        with self._database.reading() as cursor:
            return number(cursor, "select count(*) from current_complaints")

    def get(self, complaint_id: str) -> Complaint | None:
        with self._database.reading() as cursor:
            return _current(cursor, complaint_id)

    def with_prefix(self, beginning: str) -> tuple[str, ...]:
        with self._database.reading() as cursor:
            rows = rows_of(
                cursor,
                "select complaint_id from current_complaints where starts_with(lower(complaint_id), lower(?)) "
                f"order by complaint_id limit {_MOST_WITH_PREFIX}",
                [beginning],
            )
        return tuple(complaint_id for (complaint_id,) in rows)

    def of(self, request_id: str) -> tuple[Complaint, ...]:
        with self._database.reading() as cursor:
            rows = rows_of(
                cursor,
                "select body, request_id from current_complaints where request_id = ? order by at_ns, complaint_id",
                [request_id],
            )
        return tuple(stored_complaint(*row) for row in rows)

    def perhaps_of(self, request_id: str) -> tuple[Complaint, ...]:
        heads = [short_id(part) for part in (request_id, request_id.rpartition("-")[2])]
        with self._database.reading() as cursor:
            rows = rows_of(
                cursor,
                "select body, request_id from current_complaints where request_id = ? or (request_id is null and "
                "(contains(lower(body), ?) or contains(lower(body), ?))) "
                "order by request_id is null, case when request_id is null then -at_ns else at_ns end, complaint_id",
                [request_id, *heads],
            )
        return tuple(stored_complaint(*row) for row in rows)

    def history(self, complaint_id: str) -> tuple[Complaint, ...]:
        with self._database.reading() as cursor:
            return tuple(_all_revisions(cursor, {complaint_id}).get(complaint_id, ()))

    def feedback(self, request_id: str) -> tuple[Feedback, ...]:
        with self._database.reading() as cursor:
            rows = rows_of(
                cursor,
                "select body, request_id from current_feedback where request_id = ? order by at_ns, feedback_id",
                [request_id],
            )
        return tuple(_feedback(*row) for row in rows)

    def unanswered_feedback(self, *, limit: int) -> tuple[Feedback, ...]:
        with self._database.reading() as cursor:
            rows = rows_of(
                cursor,
                "select body, request_id from current_feedback where score < 0 and request_id not in "
                "(select request_id from complaints where request_id is not null) "
                "order by at_ns desc, feedback_id desc limit ?",
                [limit],
            )
        return tuple(_feedback(*row) for row in rows)

    def save(self, complaint: Complaint) -> None:
        with self._database.changing() as cursor:
            if _current(cursor, complaint.complaint_id) != complaint:
                _append(cursor, [complaint])

    def several(self, complaint_ids: Collection[str]) -> dict[str, Complaint]:
        with self._database.reading() as cursor:
            rows = rows_of(
                cursor,
                "select complaint_id, body, request_id from current_complaints "
                "where complaint_id in (select unnest(?::varchar[]))",
                [list(complaint_ids)],
            )
        return {complaint_id: stored_complaint(body, request_id) for complaint_id, body, request_id in rows}

    def save_all(self, complaints: Sequence[Complaint]) -> None:
        with self._database.changing() as cursor:
            _append(cursor, complaints)

    def known_names(self, names: tuple[str, ...]) -> KnownNames:
        with self._database.reading() as cursor:
            return known_names(cursor, names)

    def candidates(self, query: CandidateQuery) -> FoundCandidates:
        with self._database.reading() as cursor:
            return candidates(cursor, query)

    def shown(self, keys: tuple[int, ...], *, length: int) -> dict[int, ShownRequest]:
        with self._database.reading() as cursor:
            return shown(cursor, keys, length=length)


def add_complaints(cursor: duckdb.DuckDBPyConnection, complaints: Iterable[Complaint]) -> None:
    """Appends what arrives. What was stored before, in any revision, is not appended a second time, so that a frame
    that is read again cannot undo a link that a person made. A ticket that comes with another text keeps what became
    of it."""
    complaints = tuple(complaints)
    known = _all_revisions(cursor, {one.complaint_id for one in complaints})
    new = []
    for arriving in complaints:
        revisions = known.setdefault(arriving.complaint_id, [])
        if any(one.renewed(arriving) == one for one in revisions):
            continue
        new.append(revisions[-1].renewed(arriving) if revisions else arriving)
        revisions.append(new[-1])
    _append(cursor, new)


def add_feedback(cursor: duckdb.DuckDBPyConnection, feedback: Iterable[Feedback]) -> None:
    """Appends feedback that is not stored yet."""
    for one in feedback:
        body = dumps(one.model_dump(mode="json"))
        sql = "select 1 from feedback where feedback_id = ? and body = ?"
        if first_row(cursor, sql, [one.feedback_id, body]) is not None:
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


def stored_complaint(body: str, request_id: str | None) -> Complaint:
    """A complaint from its row; its request is the one that the row follows."""
    return Complaint.model_validate({**loads(body), "request_id": request_id})


def _append(cursor: duckdb.DuckDBPyConnection, complaints: Sequence[Complaint]) -> None:
    if not complaints:
        return
    first = next_place(cursor, "complaints")
    insert(cursor, "complaints", [complaint_row(first + at, one) for at, one in enumerate(complaints)])


def complaint_row(place: int, complaint: Complaint) -> _ComplaintRow:
    """A revision of a complaint as a row."""
    return _ComplaintRow(
        place=place,
        complaint_id=complaint.complaint_id,
        request_id=complaint.request_id,
        app=complaint.app,
        at_ns=complaint.at_ns,
        source=complaint.source.value,
        owner=complaint.owner,
        closed=complaint.closing.state.value if complaint.closing else None,
        body=dumps(complaint.model_dump(mode="json", exclude_defaults=True)),
    )


def _current(cursor: duckdb.DuckDBPyConnection, complaint_id: str) -> Complaint | None:
    row = first_row(cursor, "select body, request_id from current_complaints where complaint_id = ?", [complaint_id])
    return None if row is None else stored_complaint(row[0], row[1])


def _all_revisions(cursor: duckdb.DuckDBPyConnection, complaint_ids: Collection[str]) -> dict[str, list[Complaint]]:
    """The revisions of each, oldest first; none of those that are not stored."""
    if not complaint_ids:
        return {}
    rows = rows_of(
        cursor,
        "select complaint_id, body, request_id from complaints "
        "where complaint_id in (select unnest(?::varchar[])) order by place",
        [list(complaint_ids)],
    )
    found: dict[str, list[Complaint]] = {}
    for complaint_id, body, request_id in rows:
        found.setdefault(complaint_id, []).append(stored_complaint(body, request_id))
    return found


def _feedback(body: str, request_id: str) -> Feedback:
    return Feedback.model_validate({**loads(body), "request_id": request_id})
