"""Sizes as people read them."""

from __future__ import annotations


def size_text(size: int) -> str:
    """ "12 B", "3.4 kB", "1.2 MB": decimal units."""
    value, unit = float(size), "B"
    for larger in ("kB", "MB", "GB"):
        if value < 1000:
            break
        value, unit = value / 1000, larger
    return f"{size} B" if unit == "B" else f"{value:,.1f} {unit}"
