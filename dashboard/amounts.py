"""Numbers as pages write them: `12,480`, `1,912 ms`, `31.4 MB`; nothing is an empty text."""

from __future__ import annotations

MINUS = "−"


def count(number: int) -> str:
    """With thousands set apart: "12,480"."""
    return f"{number:,}"


def counted(number: int, one: str, many: str | None = None) -> str:
    """With its noun: "1 hit", "50 hits"."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def milliseconds(duration: float | None) -> str:
    """Whole from 10 on, below with one decimal; empty when not known, as in logs that have no latency: those last 0."""
    if not duration:
        return ""
    return f"{duration:,.0f}" if duration >= 10 else f"{duration:.1f}"


def took(duration: float | None) -> str:
    """How long something took, in words."""
    if duration is None:
        return "no end received"
    return f"{milliseconds(duration)} ms" if duration else "duration not recorded"


def size(length: int) -> str:
    """Bytes in the unit that leaves one to three digits before the point: "31.4 MB"."""
    amount = float(length)
    for unit in ("B", "kB", "MB", "GB"):
        if amount < 1000:
            return f"{amount:,.0f} {unit}" if unit == "B" else f"{amount:,.1f} {unit}"
        amount /= 1000
    return f"{amount:,.1f} TB"


def score_decimals(scores: list[float]) -> int:
    """One number of decimals for a whole column: 2 for values from 10 on, 3 around 1, 4 where all are small."""
    top = max((abs(score) for score in scores), default=0.0)
    if top >= 10:
        return 2
    return 3 if top >= 0.1 else 4


def score(value: float | None, decimals: int) -> str:
    """With the minus sign of print; empty when there is none."""
    return "" if value is None else f"{value:,.{decimals}f}".replace("-", MINUS)


def rank(number: int | None) -> str:
    """A rank for a cell; none is an empty cell."""
    return "" if number is None else f"{number:,}"
