"""Times in the zone of the person who looks: stored as nanoseconds UTC, shown with the zone named."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

SECOND_NS = 1_000_000_000
HOUR_NS = 3600 * SECOND_NS


def zone_named(name: str | None) -> tzinfo:
    """The zone that the browser names; UTC where it names none, or one that this machine does not know."""
    if not name:
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return UTC


def zone_name(zone: tzinfo) -> str:
    """As a page names it: "UTC", "Europe/Berlin"."""
    return zone.key if isinstance(zone, ZoneInfo) else "UTC"


def at(ns: int, zone: tzinfo) -> datetime:
    """The moment in `zone`; microseconds are exact, what is below them is dropped."""
    seconds, rest = divmod(ns, SECOND_NS)
    moment = datetime.fromtimestamp(seconds, UTC).replace(microsecond=rest // 1000)
    return moment.astimezone(zone)


def _ambiguous(moment: datetime) -> bool:
    """Whether clocks show this time twice, because summer time ends."""
    return moment.replace(fold=0).utcoffset() != moment.replace(fold=1).utcoffset()


def minute(ns: int, zone: tzinfo) -> str:
    """For lists: "29 Nov 14:03", in an hour that comes twice "25 Oct 02:30 CEST"."""
    moment = at(ns, zone)
    text = f"{moment.day} {moment:%b %H:%M}"
    return f"{text} {moment:%Z}" if _ambiguous(moment) else text


def second(ns: int, zone: tzinfo) -> str:
    """With everything: "29 Nov 2026, 14:03:22 CET"."""
    moment = at(ns, zone)
    return f"{moment.day} {moment:%b %Y, %H:%M:%S %Z}"


def start_of_day(day: date, zone: tzinfo) -> int:
    """The first moment of `day` in `zone`, in nanoseconds UTC."""
    return int(datetime.combine(day, time(), zone).timestamp()) * SECOND_NS


def today(now_ns: int, zone: tzinfo) -> date:
    """The day that it is in `zone`."""
    return at(now_ns, zone).date()


def day_range(first: date, last: date, zone: tzinfo) -> tuple[int, int]:
    """From the first moment of `first` (inclusive) to the last of `last` (exclusive): 23 or 25 hours happen."""
    return start_of_day(first, zone), start_of_day(last + timedelta(days=1), zone)


def ago(ns: int, now_ns: int) -> str:
    """How long ago: "4 s", "12 min", "3 h", "5 days"; the future is "0 s"."""
    seconds = max(0, now_ns - ns) // SECOND_NS
    if seconds < 120:
        return f"{seconds} s"
    if seconds < 2 * 3600:
        return f"{seconds // 60} min"
    if seconds < 48 * 3600:
        return f"{seconds // 3600} h"
    return f"{seconds // 86400} days"
