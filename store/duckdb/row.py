"""The rows of an answer, read in a way that leaves the cursor free for the next statement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import duckdb

_KEPT: Final = 500
_statements: dict[str, duckdb.Statement] = {}
"""Text -> the statement. It names no file and holds no values, so it serves every store, thread and schema."""


def rows_of(cursor: duckdb.DuckDBPyConnection, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
    """All rows of one statement. It is parsed once in a process: a sixth of what a small one takes."""
    statement = _statements.get(sql)
    if statement is None:
        if len(_statements) >= _KEPT:  # texts that differ each time
            _statements.clear()
        (statement,) = cursor.extract_statements(sql)
        _statements[sql] = statement
    return cursor.execute(statement, list(values)).fetchall()


def first_row(cursor: duckdb.DuckDBPyConnection, sql: str, values: Sequence[object] = ()) -> tuple[Any, ...] | None:
    """The first row, or None. With `fetchone` the cursor would count as busy, and refuse the next Arrow table."""
    rows = rows_of(cursor, sql, values)
    return rows[0] if rows else None


def number(cursor: duckdb.DuckDBPyConnection, sql: str, values: Sequence[object] = ()) -> int:
    """The one number that a statement answers with; NULL counts as 0."""
    row = first_row(cursor, sql, values)
    return 0 if row is None or row[0] is None else int(row[0])
