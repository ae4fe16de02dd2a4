"""What belongs to a person or to a request, beside its recording: complaints, cases, batches, saved filters."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import parse_qsl

import duckdb

from ...model import EvalCase
from ...model.case import OF_ONE_REQUEST
from ...model.sieve import Cause, Kind, Tombstone, bury
from ..erasures import Forget
from .cases import case_row
from .columns import insert
from .encoding import dumps, loads
from .leaving import BY_REQUEST, GOING, add_families, delete_where, make_going
from .tombstones import secret_of


class Followers(NamedTuple):
    """What followed the requests out."""

    rows: dict[str, int]
    stones: list[Tombstone]


def choose_forgotten(cursor: duckdb.DuckDBPyConnection, what: Forget, now_ns: int) -> None:
    """Fills the table of requests that go: the user's, those named, and the replays of each."""
    make_going(
        cursor,
        "select rid, request_id from requests where (? <> '' and user_id = ? and start_ns <= ?) "
        "or request_id in (select unnest(?::varchar[]))",
        [what.user, what.user, now_ns, list(what.request_ids)],
    )
    add_families(cursor)


def delete_followers(cursor: duckdb.DuckDBPyConnection, what: Forget, now_ns: int) -> Followers:
    """Deletes what people made of the requests that go, and what the user wrote; with its tombstones."""
    found = Followers({}, [])
    if what.user or what.request_ids:
        going = {*what.request_ids, *_strings(cursor, f"select request_id from {GOING}")}
        _beside(cursor, what, found)
        _complaints(cursor, what, now_ns, found)
        _cases(cursor, going, now_ns, found)
        _batches(cursor, going, found)
        _saved_filters(cursor, what, going, found)
    return found


def _beside(cursor: duckdb.DuckDBPyConnection, what: Forget, found: Followers) -> None:
    """Labels, feedback and places in the queue of named requests that are not stored: a backup brings such."""
    for table in BY_REQUEST:
        where = f"request_id in (select unnest(?::varchar[])) and request_id not in (select request_id from {GOING})"
        _count(found, table, delete_where(cursor, table, where, [list(what.request_ids)]))


def _bury(cursor: duckdb.DuckDBPyConnection, kind: Kind, names: list[str], now_ns: int) -> list[Tombstone]:
    secret = secret_of(cursor)
    return [bury(secret, kind, one, cause=Cause.FORGOTTEN, at_ns=now_ns) for one in names]


def _complaints(cursor: duckdb.DuckDBPyConnection, what: Forget, now_ns: int, found: Followers) -> None:
    """Whole complaints, in all revisions: about these requests, or by this user."""
    ids = _strings(
        cursor,
        "select distinct complaint_id from complaints "
        f"where request_id in (select request_id from {GOING}) or request_id in (select unnest(?::varchar[])) "
        "or (? <> '' and json_extract_string(body, '$.who') = ?)",
        [list(what.request_ids), what.user, what.user],
    )
    count = delete_where(cursor, "complaints", "complaint_id in (select unnest(?::varchar[]))", [ids])
    _count(found, "complaints", count)
    found.stones.extend(_bury(cursor, Kind.COMPLAINT, ids, now_ns))


def _cases(cursor: duckdb.DuckDBPyConnection, going: set[str], now_ns: int, found: Followers) -> None:
    """A case of these requests alone goes in all revisions. One that others ask too keeps its question and labels,
    and loses what it held of a single request.
    """
    rows = cursor.execute("select place, case_id, body from cases order by place").fetchall() if going else []
    cases = [(place, case_id, EvalCase.model_validate(loads(body))) for place, case_id, body in rows]
    touched = {case_id for _, case_id, case in cases if going & set(case.source_requests)}
    newest = {case_id: case for _, case_id, case in cases}
    gone = sorted(case_id for case_id in touched if not set(newest[case_id].source_requests) - going)
    count = delete_where(cursor, "cases", "case_id in (select unnest(?::varchar[]))", [gone])
    _count(found, "cases", count)
    found.stones.extend(_bury(cursor, Kind.CASE, gone, now_ns))
    for place, case_id, case in cases:
        if case_id in touched and case_id not in gone:
            sources = tuple(one for one in case.source_requests if one not in going)
            delete_where(cursor, "cases", "place = ?", [place])
            kept = case.model_dump(exclude=set(OF_ONE_REQUEST)) | {"source_requests": sources}
            insert(cursor, "cases", [case_row(place, EvalCase.model_validate(kept))])
            _count(found, "cases", 1)


def _batches(cursor: duckdb.DuckDBPyConnection, going: set[str], found: Followers) -> None:
    """Results of these requests, and their places in batches; a batch of them alone goes."""
    count = delete_where(
        cursor,
        "replay_results",
        "request_id in (select unnest(?::varchar[])) "
        "or json_extract_string(body, '$.replay_id') in (select unnest(?::varchar[]))",
        [sorted(going), sorted(going)],
    )
    _count(found, "replay_results", count)
    for place, body in cursor.execute("select place, body from replay_batches").fetchall() if going else ():
        batch = loads(body)
        left = [one for one in batch["request_ids"] if one not in going]
        if len(left) == len(batch["request_ids"]):
            continue
        _count(found, "replay_batches", 1)
        if left:
            kept = dumps({**batch, "request_ids": left})
            cursor.execute("update replay_batches set body = ? where place = ?", [kept, place])
        else:
            delete_where(cursor, "replay_batches", "place = ?", [place])


def _saved_filters(cursor: duckdb.DuckDBPyConnection, what: Forget, going: set[str], found: Followers) -> None:
    """Filters that name the user or one of the requests, in all revisions of their names."""
    names = set()
    for name, params in cursor.execute("select name, params from saved_filters").fetchall():
        values = [value for _, value in parse_qsl(params, keep_blank_values=True)]
        if (what.user and what.user in {name, *values}) or going.intersection(values):
            names.add(name)
    count = delete_where(cursor, "saved_filters", "name in (select unnest(?::varchar[]))", [sorted(names)])
    _count(found, "saved_filters", count)


def _count(found: Followers, table: str, count: int) -> None:
    if count:
        found.rows[table] = found.rows.get(table, 0) + count


def _strings(cursor: duckdb.DuckDBPyConnection, sql: str, values: list[object] | None = None) -> list[str]:
    return [text for (text,) in cursor.execute(sql, values or []).fetchall()]
