"""Days, parts of days and clocks as people say them, and what they mean for a ticket that was written then."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone, tzinfo
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from ...model import UsageError

NS: Final = 1_000_000_000
HOUR_S: Final = 3600.0
DAY_S: Final = 86_400.0
_OFTEN: Final = range(7 * 60, 19 * 60)
"""Minutes of the day in which most tickets speak: "at 5" is 17:00."""
_LATER: Final = timedelta(minutes=20)
"""A time named may lie this much after the ticket: people round up."""


class Days(NamedTuple):
    """One day or several, both ends inclusive, in the zone of the ticket."""

    first: date
    last: date
    vague: bool = False
    """ "The other day": the limits are no limits."""


class Part(NamedTuple):
    """A part of a day, in minutes from midnight; beyond 1440 it is the next morning."""

    begin: int
    end: int


class Clock(NamedTuple):
    """A time of day, or two of them with what lies between."""

    minute: int
    """From midnight."""
    until: int | None = None
    exact: bool = False
    """Said to the minute."""
    twelve: bool = False
    """Said on a twelve-hour clock without "am" or "pm"."""
    zone: tzinfo | None = None
    """Where the words name one."""


class Span(NamedTuple):
    """Between two moments, with the likeliest one where there is one."""

    begin: datetime
    end: datetime
    at: datetime | None
    slack_s: float


def zone_of(name: str) -> tzinfo:
    """The zone of an IANA name or an offset ("+01:00"); empty is the machine's. UsageError where it is neither."""
    if not name:
        return datetime.now().astimezone().tzinfo or timezone.utc  # noqa: UP017 - the machine's own zone
    if name[0] in "+-":
        try:
            return datetime.strptime(name, "%z").tzinfo or timezone.utc  # noqa: UP017
        except ValueError:
            raise UsageError(f"{name!r} is no zone: write +01:00, UTC or Europe/Berlin.") from None
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise UsageError(f"{name!r} is no zone that is known here: write +01:00, UTC or Europe/Berlin.") from None


def span_of(days: Days | None, part: Part | None, clock: Clock | None, opened: datetime) -> Span | None:
    """What the words mean; None where nothing of it lies before the ticket. `opened` carries the zone."""
    if clock is not None:
        return _clock_span(days, part, clock, opened)
    if part is not None:
        return _part_span(days, part, opened)
    return _days_span(days, opened) if days is not None else None


def _days_span(days: Days, opened: datetime) -> Span | None:
    begin = _at(days.first, 0, opened)
    end = min(_at(days.last, 24 * 60, opened), opened)
    if begin >= end:
        return None
    several = days.last > days.first
    slack_s = DAY_S if days.vague else 6 * HOUR_S if several else 2 * HOUR_S
    return Span(begin, end, None, slack_s)


def _part_span(days: Days | None, part: Part, opened: datetime) -> Span | None:
    candidates = [opened.date(), opened.date() - timedelta(days=1)] if days is None else _each(days)
    for day in candidates:
        begin, end = _at(day, part.begin, opened), min(_at(day, part.end, opened), opened)
        if begin < end:
            return Span(begin, end, None, HOUR_S)
    return None


def _clock_span(days: Days | None, part: Part | None, clock: Clock, opened: datetime) -> Span | None:
    there = opened if clock.zone is None else opened.astimezone(clock.zone)
    possible = [there.date(), there.date() - timedelta(days=1)] if days is None else _each(days)
    for day in possible:
        for minute in _minutes(clock, part):
            at = _at(day, minute, there)
            if at <= opened + _LATER:
                return _around(at, clock, minute, opened)
    return None


def _around(at: datetime, clock: Clock, minute: int, opened: datetime) -> Span:
    if clock.until is not None:
        # "Between 2 and 3": the end goes to the other half of the day with the beginning.
        until = clock.until + (minute - clock.minute)
        end = at + timedelta(minutes=(until - minute) % (24 * 60))
        return Span(at, min(max(end, at), opened), None, 0.5 * HOUR_S)
    beside = timedelta(minutes=20 if clock.exact else 60)
    slack_s = 0.75 * HOUR_S if clock.exact else 1.2 * HOUR_S
    end = min(at + beside, max(opened, at))
    return Span(at - beside, end, min(at, opened), slack_s)


def _minutes(clock: Clock, part: Part | None) -> list[int]:
    """The times of day that the clock may mean, the likeliest first."""
    if not clock.twelve:
        return [clock.minute]
    both = [clock.minute % 720, clock.minute % 720 + 720]
    if part is not None:
        inside = [minute for minute in both if part.begin - 60 <= minute <= part.end + 60]
        return inside or both
    return sorted(both, key=lambda minute: minute not in _OFTEN)


def _each(days: Days) -> list[date]:
    """The newest first: "over the weekend at 5" is the last time that it was 5."""
    count = (days.last - days.first).days + 1
    return [days.last - timedelta(days=back) for back in range(min(count, 31))]


def _at(day: date, minute: int, opened: datetime) -> datetime:
    """That minute of the wall clock, in the zone of `opened`."""
    try:
        day += timedelta(days=minute // 1440)
    except OverflowError:
        day = date.max
    hour, rest = divmod(minute % 1440, 60)
    return datetime(day.year, day.month, day.day, hour, rest, tzinfo=opened.tzinfo)
