"""Ids in the cells of a log."""

from __future__ import annotations

from ..dialects.values import as_id


def cell_id(value: object) -> str | None:
    """An id as text, as `as_id`, but 12.0 is 12: a column with gaps turns its whole numbers into such ones."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return as_id(value)
