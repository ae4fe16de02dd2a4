"""What people made by hand, as histories that can be taken out and brought in again: no telemetry can make it anew."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict


class Made(StrEnum):
    """The kinds, in the order in which they are brought in."""

    LABELS = "labels"
    CASES = "cases"
    COMPLAINTS = "complaints"
    TRIAGES = "triages"
    SAVED_FILTERS = "saved_filters"
    BATCHES = "batches"
    BATCH_RESULTS = "batch_results"


class History(BaseModel):
    """One thing with all its revisions."""

    model_config = ConfigDict(frozen=True)

    made: Made
    name: str
    """What makes it the same thing in two stores: label, case, ticket or batch id, request id, name."""
    revisions: tuple[dict[str, Any], ...]
    """Oldest first; each the fields of its model."""


class Conflict(BaseModel):
    """A thing that says something else here than what was brought."""

    model_config = ConfigDict(frozen=True)

    made: Made
    name: str
    reason: str


class Merged(BaseModel):
    """What became of the histories that were brought."""

    model_config = ConfigDict(frozen=True)

    added: int = 0
    continued: int = 0
    """Things of which newer revisions came."""
    unchanged: int = 0
    replaced: int = 0
    conflicts: tuple[Conflict, ...] = ()
    """Left as they are here."""


class HandMade(Protocol):
    """Labels, cases, complaints with their notes, places in the queue, saved filters, batches."""

    def read(self, made: Made) -> tuple[History, ...]:
        """All of one kind, in the order in which they were first made."""
        ...

    def merge(self, histories: Iterable[History], *, replace: bool, at_ns: int) -> Merged:
        """Brings histories in, all of them in one change. The same again changes nothing.

        A history that goes on where the one here ends is appended. One that contradicts it is a conflict, and with
        `replace` takes its place. Raises BadInput where a revision is none of its kind.
        """
        ...

    def waiting(self) -> int:
        """How many requests have labels and are not stored: the labels count when they come."""
        ...
