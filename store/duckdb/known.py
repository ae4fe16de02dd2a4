"""Which number a request has: remembered, because a look for its id reads all ids."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import duckdb

from .row import first_row

_REMEMBERED: Final = 50_000

_numbers: dict[str, int] = {}
"""Request id -> the number it had when it was asked for last; the store says whether it still has."""


def rid_of(cursor: duckdb.DuckDBPyConnection, request_id: str) -> int | None:
    """The number of the request; None where it is not stored."""
    rid = _numbers.get(request_id)
    # Compared here: as a second condition DuckDB would read all ids for it.
    if rid is not None and first_row(cursor, "select request_id from requests where rid = ?", [rid]) == (request_id,):
        return rid
    row = first_row(cursor, "select rid from requests where request_id = ?", [request_id])
    if row is None:
        return None
    remember([(request_id, row[0])])
    return int(row[0])


def remember(found: Iterable[tuple[str, int]]) -> None:
    """Requests that are likely to be asked for next, with their numbers."""
    if len(_numbers) > _REMEMBERED:
        _numbers.clear()
    _numbers.update(found)
