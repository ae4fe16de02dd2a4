"""Times as people write and read them at a terminal: in the zone of their machine, which is named."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from ..model import UsageError

_AGO: Final = re.compile(r"(\d+)([smhdw])")
_UNITS: Final = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_NS: Final = 1_000_000_000


def local_time(at_ns: int, *, seconds: bool = False) -> str:
    """ "2026-11-30 09:12", in the local zone."""
    moment = datetime.fromtimestamp(at_ns / _NS, UTC).astimezone()
    return moment.strftime("%Y-%m-%d %H:%M:%S" if seconds else "%Y-%m-%d %H:%M")


def zone_name(at_ns: int) -> str:
    """The name of the local zone at that moment."""
    return datetime.fromtimestamp(at_ns / _NS, UTC).astimezone().tzname() or "UTC"


def parse_time(text: str, *, now_ns: int, end_of_day: bool = False) -> int:
    """Nanoseconds of a date, a date with a time (local zone where none is named), or "2h" for two hours ago.

    A bare date is its first moment; with `end_of_day` the first moment of the next day.
    """
    ago = _AGO.fullmatch(text.strip())
    if ago:
        seconds = timedelta(**{_UNITS[ago.group(2)]: int(ago.group(1))}).total_seconds()
        return now_ns - int(seconds * _NS)
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise UsageError(f"{text!r} is no time: write 2026-11-30, 2026-11-30T09:12, or 2h, 3d, 1w for ago.") from None
    if end_of_day and len(text.strip()) == len("2026-11-30"):
        moment += timedelta(days=1)
    if moment.tzinfo is None:
        moment = moment.astimezone()
    return int(moment.timestamp()) * _NS + moment.microsecond * 1000
