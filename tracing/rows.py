"""`hits=` as a table of columns: which column of a row holds what, for rows of a database without usual names.

@goldrank.retrieve(hits={"id": 0, "text": 1, "distance": 2})           # tuples, by place (0-based)
@goldrank.retrieve(hits={"id": "pk", "text": "body", "doc_id": "manual", "distance": "dist"})      # by name
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from ..model.errors import UsageError
from . import names
from .values import fields_of, is_a, is_metadata

Columns = Mapping[str, str | int]
"""What a column holds -> its name, or its place in the row (0-based)."""

RowReader = Callable[[Any], dict[str, Any]]
"""A row as a dict with usual names."""

HOLDS: Final = ("id", "doc_id", "parent_id", "text", "metadata", *names.SCORES)
"""What a column can hold."""


def check_columns(columns: Columns, where: str) -> None:
    """UsageError for a mapping that cannot be used: it is said when the function is decorated."""
    for holds, column in columns.items():
        if holds not in HOLDS:
            raise UsageError(
                f"{where}: hits= says where {holds!r} is, which is nothing that a hit has. "
                f"It can say where these are: {', '.join(HOLDS)}."
            )
        if not is_a(column, str | int) or is_a(column, bool):
            raise UsageError(
                f"{where}: hits= gives {column!r} for {holds!r}; expected is a column's name, or its place (0-based)."
            )
    if "id" not in columns and "text" not in columns:
        raise UsageError(f"{where}: hits= must say where the id or the text of a hit is.")


def row_reader(columns: Columns) -> RowReader:
    """A function from a row to a dict with usual names. Named columns that nothing maps become metadata."""
    taken = set(columns.values())

    def read(row: Any) -> dict[str, Any]:
        found = {holds: cell for holds, column in columns.items() if (cell := _cell(row, column)) is not None}
        if "metadata" not in columns:
            rest = {key: value for key, value in _named(row).items() if key not in taken and is_metadata(value)}
            if rest:
                found["metadata"] = rest
        return found

    return read


def _cell(row: Any, column: str | int) -> Any:
    """One cell; None where the row has none such. The app named the column, so its own row class is asked."""
    try:
        if isinstance(column, str) and not is_a(row, dict) and hasattr(row, column):
            return getattr(row, column)
        return row[column]
    except (LookupError, TypeError, AttributeError):
        return None


def _named(row: Any) -> Mapping[str, Any]:
    """The columns by name, where a row has names: dicts, named tuples, objects."""
    if is_a(row, list) or (is_a(row, tuple) and not hasattr(type(row), "_fields")):
        return {}
    if hasattr(type(row), "_mapping"):  # SQLAlchemy's
        return dict(row._mapping)  # noqa: SLF001 - its documented name
    if hasattr(type(row), "keys") and not is_a(row, dict):  # sqlite3's
        return {key: row[key] for key in row.keys()}  # noqa: SIM118 - its iteration gives cells
    return fields_of(row) or {}
