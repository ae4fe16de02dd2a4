"""When a ticket was written, in any of the forms that help desks and people write."""

from __future__ import annotations

import email.utils
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final

from ..diagnosis.ticket.calendar import NS, zone_of
from ..diagnosis.ticket.time_words import read_times
from ..model import BadInput

_UNITS: Final = ((10**11, NS), (10**14, 10**6), (10**17, 1000))
"""Below this an epoch number counts seconds, milliseconds, microseconds; else nanoseconds."""
_EARLIEST_S: Final = 10**8
"""1973. A smaller number is a date without dashes, or no time."""
_LATEST_NS: Final = 2**62


def ticket_time(value: object, *, zone: str = "", now_ns: int) -> int:
    """Nanoseconds of an ISO time, an epoch number, a mail's date, or "28.11.2026 14:05"; BadInput with what was found.

    Where the value names no zone, `zone` counts.
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise BadInput(f"{type(value).__name__} is no time.")
    text = str(value).strip()
    number = _number(text)
    if number is not None and number >= _EARLIEST_S:
        return _epoch(number)
    moment = _moment(text, zone_of(zone), now_ns)
    if moment is None:
        raise BadInput(f"{text[:60]!r} is no time: write 2026-11-30T09:12:00+01:00.")
    return round(moment.timestamp() * 1_000_000) * 1000


def _number(text: str) -> int | float | None:
    try:
        return int(text) if text.isascii() and text.isdigit() else float(text)
    except ValueError:
        return None


def _epoch(number: float) -> int:
    if number > _LATEST_NS:
        raise BadInput(f"{number:g} is no time: an epoch in seconds, milliseconds, microseconds or nanoseconds.")
    factor = next((factor for limit, factor in _UNITS if number < limit), 1)
    return number * factor if isinstance(number, int) else round(number * 1000) * factor // 1000


def _moment(text: str, zone: tzinfo, now_ns: int) -> datetime | None:
    moment = _iso(text) or _mail_date(text) or _spoken(text, zone, now_ns)
    if moment is None:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=zone)
    return moment if moment.year >= 1971 else None


def _iso(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _mail_date(text: str) -> datetime | None:
    try:
        return email.utils.parsedate_to_datetime(text)
    except (TypeError, ValueError, IndexError):
        return None


def _spoken(text: str, zone: tzinfo, now_ns: int) -> datetime | None:
    """By the rules that read times in tickets: a date, with or without a time of day."""
    until = datetime.fromtimestamp(now_ns / NS, UTC).astimezone(zone) + timedelta(days=1)
    windows = read_times(text, until)
    if len(windows) != 1:
        return None
    at_ns = windows[0].at_ns or windows[0].begin_ns
    return datetime.fromtimestamp(at_ns / NS, UTC)
