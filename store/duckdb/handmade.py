"""What people made, read as histories and merged by identity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple

import duckdb
from pydantic import BaseModel, ValidationError

from ...model import BadInput, Complaint, EvalCase, Label
from ...model.batch import BatchResult, ReplayBatch
from ...model.saved_filter import SavedFilter
from ...model.triage import Triage
from ..handmade import Conflict, History, Made, Merged
from .batches import batch_row, result_row
from .cases import case_row
from .columns import insert
from .complaints import complaint_row, next_place
from .database import Database
from .encoding import loads
from .labels import label_row
from .row import number
from .saved_filters import saved_filter_row
from .triages import triage_row


class _Spec(NamedTuple):
    """How one kind is kept."""

    table: str
    name: tuple[str, ...]
    """Columns that make a thing the same thing."""
    model: type[BaseModel]
    row: Callable[[int, Any], Any]
    followed: str = "request_id"
    """Column that counts more than the body: the row follows its request when that gets its final id. Empty: none."""


_SPECS: Final = {
    Made.LABELS: _Spec("labels", ("label_id",), Label, label_row),
    Made.CASES: _Spec("cases", ("case_id",), EvalCase, case_row, ""),
    Made.COMPLAINTS: _Spec("complaints", ("complaint_id",), Complaint, complaint_row),
    Made.TRIAGES: _Spec("triages", ("request_id",), Triage, triage_row),
    Made.SAVED_FILTERS: _Spec("saved_filters", ("name",), SavedFilter, saved_filter_row, ""),
    Made.BATCHES: _Spec("replay_batches", ("batch_id",), ReplayBatch, batch_row, ""),
    Made.BATCH_RESULTS: _Spec("replay_results", ("batch_id", "request_id"), BatchResult, result_row),
}


class DuckHandMade:
    """`store.HandMade` on DuckDB."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def read(self, made: Made) -> tuple[History, ...]:
        with self._database.reading() as cursor:
            return _read(cursor, made)

    def merge(self, histories: Iterable[History], *, replace: bool, at_ns: int) -> Merged:
        counts: Counter[str] = Counter()
        conflicts: list[Conflict] = []
        with self._database.changing() as cursor:
            here: dict[Made, dict[str, History]] = {}
            for one in histories:
                known = (
                    here.setdefault(one.made, {})
                    if one.made in here
                    else here.setdefault(one.made, {found.name: found for found in _read(cursor, one.made)})
                )
                counts[_merge(cursor, one, known.get(one.name), conflicts, replace=replace, at_ns=at_ns)] += 1
        return Merged(
            added=counts["added"],
            continued=counts["continued"],
            unchanged=counts["unchanged"],
            replaced=counts["replaced"],
            conflicts=tuple(conflicts),
        )

    def waiting(self) -> int:
        with self._database.reading() as cursor:
            return number(
                cursor,
                "select count(distinct request_id) from current_labels "
                "where not removed and request_id not in (select request_id from requests)",
            )


def _read(cursor: duckdb.DuckDBPyConnection, made: Made) -> tuple[History, ...]:
    spec = _SPECS[made]
    names = ", ".join(spec.name)
    values = "name, params, who, at_ns, removed" if made is Made.SAVED_FILTERS else "body"
    followed = f", {spec.followed}" if spec.followed else ""
    revisions: dict[str, list[dict[str, Any]]] = {}
    # Tables and columns are from the table above.
    for row in cursor.execute(f"select {names}, {values}{followed} from {spec.table} order by place").fetchall():
        name, rest = " ".join(row[: len(spec.name)]), row[len(spec.name) :]
        fields = (
            dict(zip(SavedFilter.model_fields, rest, strict=True)) if made is Made.SAVED_FILTERS else loads(rest[0])
        )
        if spec.followed:
            fields[spec.followed] = rest[-1]
        revisions.setdefault(name, []).append(_plain(made, name, fields))
    return tuple(History(made=made, name=name, revisions=tuple(found)) for name, found in revisions.items())


def _plain(made: Made, name: str, fields: dict[str, Any]) -> dict[str, Any]:
    """The fields in one form, so that two stores can be compared."""
    try:
        return _SPECS[made].model.model_validate(fields).model_dump(mode="json", exclude_defaults=True)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise BadInput(f"{made.value} {name}: {place}: {first['msg']}.") from None


def _merge(
    cursor: duckdb.DuckDBPyConnection,
    brought: History,
    here: History | None,
    conflicts: list[Conflict],
    *,
    replace: bool,
    at_ns: int,
) -> str:
    """What became of it, in one word."""
    theirs = [_plain(brought.made, brought.name, one) for one in brought.revisions]
    mine = list(here.revisions) if here is not None else []
    common = min(len(mine), len(theirs))
    agrees = [_said(one) for one in mine[:common]] == [_said(one) for one in theirs[:common]]
    if agrees and len(theirs) <= len(mine):
        return "unchanged"
    twin = _twin(cursor, brought.made, theirs[-1])
    if not replace and (not agrees or twin is not None):
        reason = "it says something else here" if twin is None else f"case {twin} asks the same in that set"
        conflicts.append(Conflict(made=brought.made, name=brought.name, reason=reason))
        return "conflict"
    if twin is not None:
        _archive(cursor, twin, at_ns)
    if not agrees:
        spec = _SPECS[brought.made]
        same = " and ".join(f"{column} = ?" for column in spec.name)
        cursor.execute(f"delete from {spec.table} where {same}", brought.name.split(" ", len(spec.name) - 1))
    _append(cursor, brought.made, theirs if not agrees else theirs[common:])
    return "replaced" if not agrees else "continued" if mine else "added"


def _said(fields: dict[str, Any]) -> dict[str, Any]:
    """What is compared: a row follows its request, so the id of that may differ."""
    return {name: value for name, value in fields.items() if name != "request_id"}


def _append(cursor: duckdb.DuckDBPyConnection, made: Made, revisions: list[dict[str, Any]]) -> None:
    spec = _SPECS[made]
    place = next_place(cursor, spec.table)
    rows = [spec.row(at, spec.model.model_validate(one)) for at, one in enumerate(revisions, start=place)]
    insert(cursor, spec.table, rows)


def _twin(cursor: duckdb.DuckDBPyConnection, made: Made, newest: dict[str, Any]) -> str | None:
    """Another case with this question in this set; a set holds one."""
    if made is not Made.CASES or newest.get("archived"):
        return None
    rows = cursor.execute(
        "select case_id from current_cases where eval_set = ? and case_key = ? and not archived and case_id <> ?",
        [newest["eval_set"], newest["case_key"], newest["case_id"]],
    ).fetchall()
    return str(rows[0][0]) if rows else None


def _archive(cursor: duckdb.DuckDBPyConnection, case_id: str, at_ns: int) -> None:
    """Takes a case out of its set; it is kept."""
    body = cursor.execute("select body from current_cases where case_id = ?", [case_id]).fetchall()[0][0]
    case = EvalCase.model_validate(loads(body))
    archived = case.model_copy(
        update={"archived": True, "revision": case.revision + 1, "note": case.note or f"archived by restore at {at_ns}"}
    )
    insert(cursor, "cases", [case_row(next_place(cursor, "cases"), archived)])
