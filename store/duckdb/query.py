"""Free queries that only read."""

from __future__ import annotations

import duckdb

from ...model import UsageError
from ..store import Table
from .database import Database

_READS = {duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN}
"""DESCRIBE, SHOW, FROM, VALUES and SUMMARIZE are parsed as SELECT."""


def read(database: Database, sql: str, *, limit: int) -> Table:
    """The first `limit` rows. Anything but one reading statement raises UsageError, as does a wrong one.

    Three guards: the kind of the statement, a transaction that cannot write, and a connection that can
    neither touch a file nor load code (`database`).
    """
    with database.reading() as cursor:
        try:
            statements = cursor.extract_statements(sql)
            if len(statements) != 1:
                raise UsageError(f"One statement at a time, please; this text holds {len(statements)}.")
            if statements[0].type not in _READS:
                raise UsageError(
                    f"Only reading is possible here (SELECT, WITH, FROM, DESCRIBE, SHOW, EXPLAIN); "
                    f"this is {statements[0].type.name}. Labels and cases are changed by their own commands."
                )
            cursor.execute(statements[0])
            columns = tuple(column[0] for column in cursor.description or ())
            rows = cursor.fetchmany(limit + 1)
        except duckdb.Error as error:
            raise UsageError(_reason(error)) from error
    return Table(columns, tuple(rows[:limit]), more=len(rows) > limit)


def _reason(error: duckdb.Error) -> str:
    """What DuckDB says, with the place in the query that it points to."""
    text = str(error).strip()
    if isinstance(error, duckdb.PermissionException):
        return f"Only the store's own tables can be read here: {text.splitlines()[0]}"
    if "read-only" in text:
        return f"Only reading is possible here: {text.splitlines()[0]}"
    return text
