"""Saved filters as a noun of the store."""

from __future__ import annotations

from typing import Protocol

from ..model.saved_filter import SavedFilter


class SavedFilters(Protocol):
    """Filters of the list of requests that people keep."""

    def all(self) -> tuple[SavedFilter, ...]:
        """The newest revision of each name that was not removed, by name."""
        ...

    def save(self, saved: SavedFilter) -> None:
        """Appends a revision."""
        ...
