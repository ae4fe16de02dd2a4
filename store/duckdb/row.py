"""The first row of an answer, read in a way that leaves the cursor free for the next statement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import duckdb


def first_row(cursor: duckdb.DuckDBPyConnection, sql: str, values: Sequence[object] = ()) -> tuple[Any, ...] | None:
    """The first row, or None. With `fetchone` the cursor would count as busy, and refuse the next Arrow table."""
    rows = cursor.execute(sql, list(values)).fetchall()
    return rows[0] if rows else None


def number(cursor: duckdb.DuckDBPyConnection, sql: str, values: Sequence[object] = ()) -> int:
    """The one number that a statement answers with; NULL counts as 0."""
    row = first_row(cursor, sql, values)
    return 0 if row is None or row[0] is None else int(row[0])
