"""The queue on DuckDB: append-only, the newest revision counts."""

from __future__ import annotations

from typing import NamedTuple

from ...model.triage import Triage
from .columns import insert
from .complaints import next_place
from .database import Database
from .encoding import dumps, loads
from .row import first_row, rows_of


class _TriageRow(NamedTuple):
    place: int
    request_id: str
    revision: int
    state: str | None
    assigned_to: str | None
    at_ns: int
    body: str


class DuckTriages:
    """`store.Triages` on DuckDB."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, request_id: str) -> Triage | None:
        with self._database.reading() as cursor:
            row = first_row(cursor, "select body, request_id from current_triages where request_id = ?", [request_id])
        return None if row is None else _triage(row[0], row[1])

    def history(self, request_id: str) -> tuple[Triage, ...]:
        with self._database.reading() as cursor:
            rows = rows_of(
                cursor, "select body, request_id from triages where request_id = ? order by place", [request_id]
            )
        return tuple(_triage(body, now) for body, now in rows)

    def save(self, triage: Triage) -> None:
        with self._database.changing() as cursor:
            insert(cursor, "triages", [triage_row(next_place(cursor, "triages"), triage)])

    def people(self) -> tuple[str, ...]:
        with self._database.reading() as cursor:
            rows = rows_of(
                cursor, "select distinct assigned_to from current_triages where assigned_to is not null order by all"
            )
        return tuple(name for (name,) in rows)


def triage_row(place: int, triage: Triage) -> _TriageRow:
    """A revision of a request's place in the queue as a row."""
    return _TriageRow(
        place=place,
        request_id=triage.request_id,
        revision=triage.revision,
        state=triage.state.value if triage.state else None,
        assigned_to=triage.assigned_to,
        at_ns=triage.at_ns,
        body=dumps(triage.model_dump(mode="json", exclude_defaults=True)),
    )


def _triage(body: str, request_id: str) -> Triage:
    """The triage; its request is the one that its row follows."""
    return Triage.model_validate({**loads(body), "request_id": request_id})
