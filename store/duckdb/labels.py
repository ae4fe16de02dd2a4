"""Labels on DuckDB: every revision is a row, the newest one counts."""

from __future__ import annotations

from typing import NamedTuple

from ...model import Label, Refused
from .columns import insert
from .complaints import next_place
from .database import Database
from .encoding import dumps, loads
from .row import first_row, rows_of


class _LabelRow(NamedTuple):
    place: int
    label_id: str
    revision: int
    request_id: str
    app: str
    environment: str
    judgement: str
    grade: int | None
    evidence: int | None
    level: str
    chunk_id: str | None
    doc_id: str | None
    who: str
    at_ns: int
    removed: bool
    body: str


class DuckLabels:
    """`store.Labels` on DuckDB."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, request_id: str) -> tuple[Label, ...]:
        with self._database.reading() as cursor:
            # All revisions of a label are of one request, so the view over all labels need not be asked.
            rows = rows_of(
                cursor,
                "select label_id, removed, body from labels where request_id = ? order by revision, place",
                [request_id],
            )
            places = (
                rows_of(cursor, "select label_id from labels where request_id = ? order by place", [request_id])
                if len(rows) > 1
                else [(label_id,) for label_id, _, _ in rows]
            )
        newest = {label_id: (removed, body) for label_id, removed, body in rows}
        current = ((label_id, *newest[label_id]) for label_id in dict.fromkeys(one for (one,) in places))
        return tuple(_label(body, request_id) for _, removed, body in current if not removed)

    def history(self, request_id: str) -> tuple[Label, ...]:
        with self._database.reading() as cursor:
            rows = rows_of(
                cursor, "select body, request_id from labels where request_id = ? order by place", [request_id]
            )
        return tuple(_label(body, request_id) for body, request_id in rows)

    def save(self, labels: tuple[Label, ...]) -> None:
        with self._database.changing() as cursor:
            for label in labels:
                there = first_row(
                    cursor,
                    "select who from labels where label_id = ? and revision = ?",
                    [label.label_id, label.revision],
                )
                if there is not None:
                    raise Refused(
                        f"Label {label.label_id} has a revision {label.revision} already, by {there[0]}. "
                        "Load the request again and repeat the change."
                    )
                insert(cursor, "labels", [label_row(next_place(cursor, "labels"), label)])


def label_row(place: int, label: Label) -> _LabelRow:
    """A revision of a label as a row."""
    return _LabelRow(
        place=place,
        label_id=label.label_id,
        revision=label.revision,
        request_id=label.request_id,
        app=label.app,
        environment=label.environment,
        judgement=label.judgement.value,
        grade=label.grade,
        evidence=label.evidence,
        level=label.target.level.value,
        chunk_id=label.target.chunk_id,
        doc_id=label.target.doc_id,
        who=label.who,
        at_ns=label.at_ns,
        removed=label.removed,
        body=dumps(label.model_dump(mode="json", exclude={"from_case", "from_request"})),
    )


def _label(body: str, request_id: str) -> Label:
    """The label; its request is the one that its row follows."""
    return Label.model_validate({**loads(body), "request_id": request_id})
