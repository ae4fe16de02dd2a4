"""Complaints and feedback as nouns of the store."""

from __future__ import annotations

from typing import Protocol

from ..model import Complaint, Feedback


class Complaints(Protocol):
    """Tickets and thumbs."""

    def list(self, *, limit: int = 50, offset: int = 0) -> tuple[Complaint, ...]:
        """Newest first, then by complaint id."""
        ...

    def count(self) -> int: ...

    def get(self, complaint_id: str) -> Complaint | None: ...

    def of(self, request_id: str) -> tuple[Complaint, ...]: ...

    def feedback(self, request_id: str) -> tuple[Feedback, ...]: ...

    def save(self, complaint: Complaint) -> None: ...
