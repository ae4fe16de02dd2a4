"""Tables that were written as one JSON document, as data frames write themselves: by column, by row, or split."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

_INDEX: Final = "context.span_id"
"""Of a data frame of Phoenix the ids are its index, which is no column."""


def table_rows(value: Mapping[str, Any], is_one: Callable[[Any], bool]) -> list[dict[str, Any]] | None:
    """The rows of a table; None where the object is none, or where a row of it is nothing that `is_one` knows."""
    for read in (_split, _by_column, _by_row):
        rows = read(value)
        if rows and all(map(is_one, rows)):
            return rows
    return None


def _split(value: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Names, index and rows in three lists, or names and rows alone."""
    names, rows, index = value.get("columns"), value.get("data"), value.get("index")
    if not isinstance(names, list) or not isinstance(rows, list) or len(value) > 3:
        return None
    if not all(isinstance(row, list) and len(row) == len(names) for row in rows):
        return None
    keys: Iterable[Any] = index if isinstance(index, list) and len(index) == len(rows) else range(len(rows))
    named = [dict(zip(map(str, names), row, strict=True)) for row in rows]
    return [_with_index(row, key) for row, key in zip(named, keys, strict=True)]


def _by_column(value: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """A list a column, or an object with a key a row."""
    columns = list(value.values())
    if len(columns) < 2:
        return None
    first = columns[0]
    if all(isinstance(one, list) and one and len(one) == len(first) for one in columns):
        return [dict(zip(value, row, strict=True)) for row in zip(*columns, strict=True)]
    if all(isinstance(one, Mapping) and one and one.keys() == first.keys() for one in columns):
        return [_with_index({name: column[key] for name, column in value.items()}, key) for key in first]
    return None


def _by_row(value: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """An object a row under its key; all of them have the same names."""
    rows = list(value.values())
    if len(rows) < 2 or not all(
        isinstance(one, Mapping) and len(one) > 1 and one.keys() == rows[0].keys() for one in rows
    ):
        return None
    return [_with_index(dict(row), key) for key, row in value.items()]


def _with_index(row: dict[str, Any], key: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON value
    return {_INDEX: str(key), **row} if "context.trace_id" in row and _INDEX not in row else row
