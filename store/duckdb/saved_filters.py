"""Saved filters on DuckDB: append-only, the newest revision of a name counts."""

from __future__ import annotations

from typing import NamedTuple

from ...model.saved_filter import SavedFilter
from .columns import insert
from .complaints import next_place
from .database import Database
from .row import rows_of


class _SavedFilterRow(NamedTuple):
    place: int
    name: str
    params: str
    who: str
    at_ns: int
    removed: bool


class DuckSavedFilters:
    """`store.SavedFilters` on DuckDB."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> tuple[SavedFilter, ...]:
        with self._database.reading() as cursor:
            rows = rows_of(
                cursor, "select name, params, who, at_ns from current_saved_filters where not removed order by name"
            )
        return tuple(SavedFilter(name=name, params=params, who=who, at_ns=at_ns) for name, params, who, at_ns in rows)

    def save(self, saved: SavedFilter) -> None:
        with self._database.changing() as cursor:
            insert(cursor, "saved_filters", [saved_filter_row(next_place(cursor, "saved_filters"), saved)])


def saved_filter_row(place: int, saved: SavedFilter) -> _SavedFilterRow:
    """A revision of a saved filter as a row."""
    return _SavedFilterRow(place, saved.name, saved.params, saved.who, saved.at_ns, saved.removed)
