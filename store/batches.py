"""Batches of replays as a noun of the store."""

from __future__ import annotations

from typing import Protocol

from pydantic import BaseModel, ConfigDict

from ..model.batch import BatchOutcome, BatchResult, ReplayBatch


class BatchRow(BaseModel):
    """A batch with how far it has come."""

    model_config = ConfigDict(frozen=True)

    batch: ReplayBatch
    counts: dict[BatchOutcome, int]
    """How many requests had this outcome; those without a result yet are in none."""

    @property
    def done(self) -> int:
        """How many have a result."""
        return sum(self.counts.values())


class Batches(Protocol):
    """Batches and their results."""

    def list(self, *, limit: int = 20, offset: int = 0) -> tuple[BatchRow, ...]:
        """Newest first."""
        ...

    def get(self, batch_id: str) -> BatchRow | None: ...

    def results(
        self, batch_id: str, *, outcome: BatchOutcome | None = None, limit: int = 1000, offset: int = 0
    ) -> tuple[BatchResult, ...]:
        """In the order in which they came; the newest of each request."""
        ...

    def missing(self, batch_id: str) -> tuple[str, ...]:
        """Ids of requests without a result, in the batch's order."""
        ...

    def save(self, batch: ReplayBatch) -> None:
        """Adds a batch. One with its id that is there already stays as it is."""
        ...

    def add(self, result: BatchResult) -> None: ...
