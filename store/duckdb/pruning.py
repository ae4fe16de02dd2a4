"""Which requests are old enough to go, and which of the old ones stay because somebody worked on them."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import duckdb

from .leaving import GOING, make_going

_WORKED_ON: Final = {
    "labelled": "select request_id from labels",
    "in a case": "select unnest(json_extract_string(body, '$.source_requests[*]')) from cases",
    "complained about": "select request_id from current_complaints where request_id is not null "
    "union select json_extract_string(body, '$.closing.replay_id') from current_complaints",
}
"""Why a request stays, in words -> the requests. Each counts once, under the first."""
_FAMILY: Final = "replays and originals of those that stay"


class _Replay(NamedTuple):
    request_id: str
    replay_of: str


def choose_old(cursor: duckdb.DuckDBPyConnection, before_ns: int) -> dict[str, int]:
    """Fills the table of requests that go with those that started before; why others of that age stay, and how many."""
    make_going(cursor, "select rid, request_id from requests where start_ns < ?", [before_ns])
    kept = {}
    for why, sql in _WORKED_ON.items():
        kept[why] = _spare(cursor, f"request_id in ({sql})")
    kept[_FAMILY] = _spare_families(cursor)
    return {why: count for why, count in kept.items() if count}


def _spare_families(cursor: duckdb.DuckDBPyConnection) -> int:
    """Takes out those whose replay or original stays: a comparison needs both."""
    replays = [
        _Replay(*row)
        for row in cursor.execute("select request_id, replay_of from requests where replay_of is not null").fetchall()
    ]
    if not replays:
        return 0
    members = sorted({name for replay in replays for name in replay})
    stored = _ids(cursor, "select request_id from requests where request_id in (select unnest(?::varchar[]))", members)
    going = _ids(cursor, f"select request_id from {GOING} where request_id in (select unnest(?::varchar[]))", members)
    homes = {name: name for name in members}
    for replay in replays:
        homes[_root(homes, replay.request_id)] = _root(homes, replay.replay_of)
    staying = {_root(homes, name) for name in stored - going}
    spared = sorted(name for name in going if _root(homes, name) in staying)
    return _spare(cursor, "request_id in (select unnest(?::varchar[]))", [spared]) if spared else 0


def _root(homes: dict[str, str], name: str) -> str:
    while homes[name] != name:
        homes[name] = homes[homes[name]]
        name = homes[name]
    return name


def _ids(cursor: duckdb.DuckDBPyConnection, sql: str, among: list[str]) -> set[str]:
    return {request_id for (request_id,) in cursor.execute(sql, [among]).fetchall()}


def _spare(cursor: duckdb.DuckDBPyConnection, where: str, values: list[Any] | None = None) -> int:
    found = cursor.execute(f"delete from {GOING} where {where}", values or []).fetchall()
    return int(found[0][0])
