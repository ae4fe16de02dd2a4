"""Which number a request has: remembered, because a look for its id reads all ids."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

import duckdb

from .row import first_row, rows_of

_REMEMBERED: Final = 50_000
_BEGINNING: Final = re.compile(r"[0-9a-f]{8}")
_END: Final = re.compile(r"[0-9a-f]{15}\Z")

_numbers: dict[str, int] = {}
"""Request id -> the number it had when it was asked for last; the store says whether it still has."""


def likely_rid(request_id: str) -> int | None:
    """The number that the request had when it was asked for last. Whoever reads its row sees whether it still has."""
    return _numbers.get(request_id)


def rid_of(cursor: duckdb.DuckDBPyConnection, request_id: str) -> int | None:
    """The number of the request; None where it is not stored."""
    rid = likely_rid(request_id)
    # Compared here: as a second condition DuckDB would read all ids for it.
    if rid is not None and first_row(cursor, "select request_id from requests where rid = ?", [rid]) == (request_id,):
        return rid
    rows = rows_of(
        cursor, "select request_id, rid from requests where id_end is not distinct from ?", [end_of(request_id)]
    )
    found = dict(rows).get(request_id)
    if found is not None:
        remember([(request_id, found)])
    return found


def end_of(request_id: str) -> int | None:
    """The last 15 digits of a request id as a number: they are chance, also where traces have short ids. None for what
    is no request id.
    """
    match = _END.search(request_id)
    return int(match.group(), 16) if match else None


def beginning_of(request_id: str) -> int | None:
    """The first 8 digits of a request id, or of its beginning, as a number; None for what does not begin so."""
    match = _BEGINNING.match(request_id)
    return int(match.group(), 16) if match else None


def remember(found: Iterable[tuple[str, int]]) -> None:
    """Requests that are likely to be asked for next, with their numbers."""
    if len(_numbers) > _REMEMBERED:
        _numbers.clear()
    _numbers.update(found)
