"""Times and lengths of time in logs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Final

from ...diagnosis.ticket.calendar import zone_of
from ...model import BadInput
from ..ticket_time import ticket_time

NS: Final = 1_000_000_000
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


_DATED: Final = re.compile(r"\d{4}|\d{1,2}[./-]\d{1,2}[./-]\d{2}")
"""A year stands in it, or it is a number since 1970. "Yesterday" is said in a ticket; in a log it means nothing."""
_SLASHED: Final = re.compile(r"\s*(?P<one>\d\d?)/(?P<two>\d\d?)/(?P<year>\d{4})(?!\d)[\s,T]*(?P<rest>.*)", re.DOTALL)


class SlashOrder(StrEnum):
    """How 03/04/2026 is meant."""

    DAY_FIRST = "day/month/year"
    MONTH_FIRST = "month/day/year"


def slash_order(values: Iterable[object]) -> tuple[SlashOrder, str] | None:
    """How a column of dates writes them: one date that is none the other way round shows it for all.

    With what a person should know of it. None where it has no such dates.
    """
    found = [match for value in values if isinstance(value, str) and (match := _SLASHED.match(value)) is not None]
    if not found:
        return None
    days, months = (any(int(match[part]) > 12 for match in found) for part in ("one", "two"))
    order = SlashOrder.DAY_FIRST if days else SlashOrder.MONTH_FIRST
    if days and months:
        return order, f"dates of both orders stand in it; those that could be both are taken for {order.value}"
    shown = found[0][0].strip()
    return order, "" if days or months else f"{shown!r} is taken for {order.value}; write 2026-12-31 where it is not"


def moment_ns(value: Any, *, zone: str, now_ns: int, order: SlashOrder | None = None) -> int:  # noqa: ANN401
    """Nanoseconds since 1970; BadInput where the value is no time. Without a zone of its own, `zone` counts.

    `order`: of dates with slashes, where the column shows it.
    """
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            if _DATED.search(value) is None:
                raise BadInput(f"{value[:60]!r} is no time: write 2026-11-30T09:12:00+01:00.") from None
            return ticket_time(_ordered(value, order), zone=zone, now_ns=now_ns)
    if isinstance(value, datetime):
        aware = value if value.tzinfo is not None else value.replace(tzinfo=zone_of(zone))
        apart = aware - _EPOCH
        return (apart.days * 86_400 + apart.seconds) * NS + apart.microseconds * 1000
    return ticket_time(value, zone=zone, now_ns=now_ns)


def _ordered(value: str, order: SlashOrder | None) -> str:
    """A date with slashes in the one form that can be read in one way only."""
    match = None if order is None else _SLASHED.match(value)
    if match is None:
        return value
    one, two = int(match["one"]), int(match["two"])
    day, month = (one, two) if (order is SlashOrder.DAY_FIRST or one > 12) and two <= 12 else (two, one)
    return f"{match['year']}-{month:02}-{day:02} {match['rest']}".strip()


def length_ns(value: Any, factor: int) -> int | None:  # noqa: ANN401 - a value of a log
    """A length of time in nanoseconds; None where it is none, or below 0."""
    if isinstance(value, bool) or value is None:
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return int(number * factor) if 0 <= number * factor < 2**62 else None
