"""Requests on their way out: a table of them, and all rows that belong to them."""

from __future__ import annotations

from typing import Final

import duckdb

from .row import number

GOING: Final = "leaving"
"""Name of the temporary table: rid, request_id."""
_BY_RID: Final = ("spans", "stages", "hit_rows", "words", "diagnoses", "findings", "gold_ranks", "requests")
_CALLED: Final = {"hit_rows": "hits"}
"""Names under which people know tables that are called otherwise."""
BY_REQUEST: Final = ("labels", "feedback", "triages")
COUNTED: Final = frozenset({"spans", "stages", "hits", "requests", "texts", "diagnoses", *BY_REQUEST})
"""Tables of which a person is told how many rows went; the others are derived from them."""


def make_going(cursor: duckdb.DuckDBPyConnection, select: str, values: list[object] | None = None) -> None:
    """Fills the table by a query that answers with rid and request_id."""
    cursor.execute(f"create or replace temp table {GOING} as {select}", values or [])


def add_families(cursor: duckdb.DuckDBPyConnection) -> None:
    """Replays of what goes go too, and replays of those."""
    while number(
        cursor,
        f"select count(*) from requests where replay_of in (select request_id from {GOING}) "
        f"and rid not in (select rid from {GOING})",
    ):
        cursor.execute(
            f"insert into {GOING} select rid, request_id from requests "
            f"where replay_of in (select request_id from {GOING}) and rid not in (select rid from {GOING})"
        )


def delete_going(cursor: duckdb.DuckDBPyConnection) -> dict[str, int]:
    """Deletes all rows of these requests; how many of each table."""
    rows: dict[str, int] = {}
    # Spans of these traces that no request claims. First: they are found by the others.
    rows["spans"] = _delete(
        cursor,
        "spans",
        f"rid = 0 and trace_id in (select trace_id from spans where rid in (select rid from {GOING})) "
        f"and trace_id not in (select trace_id from spans where rid <> 0 and rid not in (select rid from {GOING}))",
    )
    for table in BY_REQUEST:
        rows[table] = _delete(cursor, table, f"request_id in (select request_id from {GOING})")
    for table in _BY_RID:
        name = _CALLED.get(table, table)
        rows[name] = rows.get(name, 0) + _delete(cursor, table, f"rid in (select rid from {GOING})")
    return {table: count for table, count in rows.items() if count and table in COUNTED}


def _delete(cursor: duckdb.DuckDBPyConnection, table: str, where: str) -> int:
    """How many rows went. Table and condition are our own text."""
    return number(cursor, f"delete from {table} where {where}")


def delete_where(cursor: duckdb.DuckDBPyConnection, table: str, where: str, values: list[object]) -> int:
    """Deletes these rows; how many."""
    return number(cursor, f"delete from {table} where {where}", values)
