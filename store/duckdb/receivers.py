"""What receivers took and refused: one row a receiver and thing, counted up in the transaction of its frame."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import duckdb

from ...model import Drops
from ..intake import ReceiverCounts

RECEIVERS: Final = """
create table receivers(receiver varchar not null, refused boolean not null, what varchar not null,
    count bigint not null, last_ns bigint not null);
"""


def add_receivers(cursor: duckdb.DuckDBPyConnection, reports: Iterable[Drops]) -> None:
    """Adds what these reports say; most of them are of apps, which receive nothing."""
    for report in reports:
        for refused, counts in ((False, report.received), (True, report.refused)):
            for what, count in counts.items():
                _add(cursor, report, what, count, refused=refused)


def _add(cursor: duckdb.DuckDBPyConnection, report: Drops, what: str, count: int, *, refused: bool) -> None:
    key = [report.app, refused, what]
    known = cursor.execute("select 1 from receivers where receiver = ? and refused = ? and what = ?", key).fetchone()
    if known is None:
        cursor.execute("insert into receivers values (?, ?, ?, ?, ?)", [*key, count, report.at_ns])
    else:
        cursor.execute(
            "update receivers set count = count + ?, last_ns = greatest(last_ns, ?) "
            "where receiver = ? and refused = ? and what = ?",
            [count, report.at_ns, *key],
        )


def receiver_counts(cursor: duckdb.DuckDBPyConnection) -> tuple[ReceiverCounts, ...]:
    """All receivers that ever reported, by name; what came most stands first."""
    found: dict[str, ReceiverCounts] = {}
    rows = cursor.execute(
        "select receiver, refused, what, count, last_ns from receivers order by receiver, refused, count desc, what"
    ).fetchall()
    for receiver, refused, what, count, last_ns in rows:
        one = found.get(receiver) or ReceiverCounts(receiver=receiver, last_ns=0)
        field = "refused" if refused else "received"
        changed = {field: {**getattr(one, field), what: count}, "last_ns": max(one.last_ns, last_ns)}
        found[receiver] = one.model_copy(update=changed)
    return tuple(found.values())
