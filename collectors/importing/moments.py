"""Times and lengths of time in logs."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

from ...diagnosis.ticket.calendar import zone_of
from ..ticket_time import ticket_time

NS: Final = 1_000_000_000
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def moment_ns(value: Any, *, zone: str, now_ns: int) -> int:  # noqa: ANN401 - a value of a log
    """Nanoseconds since 1970; BadInput where the value is no time. Without a zone of its own, `zone` counts."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            return ticket_time(value, zone=zone, now_ns=now_ns)
    if isinstance(value, datetime):
        aware = value if value.tzinfo is not None else value.replace(tzinfo=zone_of(zone))
        apart = aware - _EPOCH
        return (apart.days * 86_400 + apart.seconds) * NS + apart.microseconds * 1000
    return ticket_time(value, zone=zone, now_ns=now_ns)


def length_ns(value: Any, factor: int) -> int | None:  # noqa: ANN401 - a value of a log
    """A length of time in nanoseconds; None where it is none, or below 0."""
    if isinstance(value, bool) or value is None:
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return int(number * factor) if 0 <= number * factor < 2**62 else None
