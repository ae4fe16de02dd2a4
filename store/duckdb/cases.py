"""Eval cases on DuckDB: append-only revisions, one case a key and set."""

from __future__ import annotations

from typing import NamedTuple

import duckdb

from ...model import EvalCase, Refused, UsageError
from ..cases import CaseFilter, CasePage
from .columns import insert
from .complaints import next_place
from .database import Database
from .encoding import dumps, loads
from .like import every_word
from .row import first_row, rows_of


class _CaseRow(NamedTuple):
    place: int
    case_id: str
    revision: int
    eval_set: str
    case_key: str
    app: str
    question: str
    archived: bool
    created_ns: int
    found_by: str
    """What a search for words looks at, a line each."""
    body: str


class DuckCases:
    """`store.Cases` on DuckDB."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def page(self, which: CaseFilter, *, limit: int = 100, offset: int = 0) -> CasePage:
        conditions, values = _conditions(which)
        source = f"from current_cases where {conditions}"
        with self._database.reading() as cursor:
            # Conditions are our own text; what people typed is bound.
            matching = first_row(cursor, f"select count(*) {source}", values)
            rows = rows_of(
                cursor,
                f"select body {source} order by eval_set, created_ns, case_id limit ? offset ?",
                [*values, limit, offset],
            )
            sets = rows_of(
                cursor, "select eval_set, count(*) from current_cases where not archived group by all order by all"
            )
        return CasePage(
            rows=tuple(_case(body) for (body,) in rows),
            matching=0 if matching is None else matching[0],
            sets=dict(sets),
        )

    def get(self, case_id: str) -> EvalCase | None:
        with self._database.reading() as cursor:
            row = first_row(cursor, "select body from current_cases where case_id = ?", [case_id])
        return None if row is None else _case(row[0])

    def by_key(self, case_key: str, *, eval_set: str = "") -> tuple[EvalCase, ...]:
        with self._database.reading() as cursor:
            rows = rows_of(
                cursor,
                "select body from current_cases where case_key = ? and not archived and (? = '' or eval_set = ?) "
                "order by eval_set, created_ns, case_id",
                [case_key, eval_set, eval_set],
            )
        return tuple(_case(body) for (body,) in rows)

    def naming(self, request_id: str, *, case_key: str = "") -> tuple[EvalCase, ...]:
        with self._database.reading() as cursor:
            rows = rows_of(
                cursor,
                "select body, case_key = ? from current_cases where not archived "
                "and (case_key = ? or contains(found_by, ?)) order by eval_set, created_ns, case_id",
                [case_key, case_key, request_id],
            )
        found = ((_case(body), has_key) for body, has_key in rows)
        return tuple(case for case, has_key in found if has_key or request_id in case.source_requests)

    def save(self, case: EvalCase, *, expected_revision: int | None) -> bool:
        with self._database.changing() as cursor:
            current = _revision(cursor, case.case_id)
            if current != expected_revision:
                return False
            if expected_revision is not None and case.revision <= expected_revision:
                raise UsageError(
                    f"Case {case.case_id} is stored as revision {expected_revision}; a change of it needs a higher "
                    f"number than {case.revision}."
                )
            other = None if case.archived else _other(cursor, case)
            if other is not None:
                if expected_revision is None:
                    return False
                raise Refused(
                    f"The set {case.eval_set!r} holds another case with this question ({other}). "
                    "Archive one of the two, or change the set of one."
                )
            insert(cursor, "cases", [case_row(next_place(cursor, "cases"), case)])
            return True

    def history(self, case_id: str) -> tuple[EvalCase, ...]:
        with self._database.reading() as cursor:
            rows = rows_of(cursor, "select body from cases where case_id = ? order by place", [case_id])
        return tuple(_case(body) for (body,) in rows)


def _conditions(which: CaseFilter) -> tuple[str, list[object]]:
    conditions, values = ["true"], list[object]()
    for column, wanted in (("eval_set", which.eval_set), ("app", which.app)):
        if wanted:
            conditions.append(f"{column} = ?")
            values.append(wanted)
    if which.archived is not None:
        conditions.append("archived = ?")
        values.append(which.archived)
    words, patterns = every_word(which.words, "found_by")
    conditions.extend(words)
    values.extend(patterns)
    return " and ".join(conditions), values


def _revision(cursor: duckdb.DuckDBPyConnection, case_id: str) -> int | None:
    row = first_row(cursor, "select max(revision) from cases where case_id = ?", [case_id])
    return None if row is None else row[0]


def _other(cursor: duckdb.DuckDBPyConnection, case: EvalCase) -> str | None:
    """Another case with this key in this set that is not archived."""
    row = first_row(
        cursor,
        "select case_id from current_cases "
        "where eval_set = ? and case_key = ? and not archived and case_id <> ? limit 1",
        [case.eval_set, case.case_key, case.case_id],
    )
    return None if row is None else str(row[0])


def case_row(place: int, case: EvalCase) -> _CaseRow:
    """A revision of a case as a row."""
    return _CaseRow(
        place=place,
        case_id=case.case_id,
        revision=case.revision,
        eval_set=case.eval_set,
        case_key=case.case_key,
        app=case.app,
        question=case.question,
        archived=case.archived,
        created_ns=case.created_ns,
        found_by=_found_by(case),
        body=dumps(case.model_dump()),
    )


def _found_by(case: EvalCase) -> str:
    """Question, ids, ticket, note, author, sources and labelled passages."""
    targets = (label.target for label in case.labels)
    parts = [case.question, case.standalone, case.case_id, case.ticket, case.note, case.kind, case.author]
    parts.extend(case.source_requests)
    parts.extend(name for target in targets for name in (target.chunk_id, target.doc_id))
    return "\n".join(part for part in parts if part)


def _case(body: str) -> EvalCase:
    return EvalCase.model_validate(loads(body))
