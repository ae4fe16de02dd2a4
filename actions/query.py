"""Free questions to the store, in SQL, reading only."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from ..model import UsageError
from .workspace import Workspace


class QuerySql(BaseModel):
    """One statement that reads."""

    model_config = ConfigDict(frozen=True)

    sql: str
    limit: int = Field(default=1000, ge=1, le=1_000_000)


class Answered(BaseModel):
    """The rows."""

    model_config = ConfigDict(frozen=True)

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    """Values as JSON has them: times in ISO form, bytes in hex, decimals as text."""
    more: bool
    """There were more rows than the limit."""


def query_sql(workspace: Workspace, ask: QuerySql) -> Answered:
    """Runs a statement that reads; one that would change the store raises UsageError."""
    if not ask.sql.strip():
        raise UsageError("Nothing to ask: write a SELECT, or SHOW TABLES to see what there is.")
    table = workspace.store.query(ask.sql, limit=ask.limit)
    rows = tuple(tuple(_plain(value) for value in row) for row in table.rows)
    return Answered(columns=table.columns, rows=rows, more=table.more)


def _plain(value: object) -> object:
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value).hex()
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, Decimal | UUID | timedelta):
        return str(value)
    return str(value)
