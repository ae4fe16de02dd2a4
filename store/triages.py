"""The queue as a noun of the store: what was put off, and who looks at what."""

from __future__ import annotations

from typing import Protocol

from ..model.triage import Triage


class Triages(Protocol):
    """Where requests stand in the queue. A request that nobody touched has none."""

    def get(self, request_id: str) -> Triage | None:
        """The current revision."""
        ...

    def history(self, request_id: str) -> tuple[Triage, ...]:
        """All revisions, oldest first."""
        ...

    def save(self, triage: Triage) -> None:
        """Appends a revision."""
        ...

    def people(self) -> tuple[str, ...]:
        """Everybody whom a request is assigned to now, by name."""
        ...
