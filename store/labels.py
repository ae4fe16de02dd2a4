"""Labels as a noun of the store: append-only revisions."""

from __future__ import annotations

from typing import Protocol

from ..model import Label


class Labels(Protocol):
    """Labels of requests."""

    def of(self, request_id: str) -> tuple[Label, ...]:
        """Current labels of the request itself, without removed ones, in the order in which they were first made."""
        ...

    def history(self, request_id: str) -> tuple[Label, ...]:
        """Every revision, oldest first, removals included."""
        ...

    def save(self, labels: tuple[Label, ...]) -> None:
        """Appends these revisions in one transaction. A revision that exists already raises Refused."""
        ...
