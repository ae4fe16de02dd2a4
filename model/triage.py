"""Working through a queue of requests: what is put off, what nobody can tell, and who looks at which."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict


class TriageState(StrEnum):
    """Why a request left the queue without a label."""

    LATER = "later"
    """Somebody wants to come back to it."""
    CANNOT_TELL = "cannot_tell"
    """Somebody looked, and could not say which passage should have answered."""


class Triage(BaseModel):
    """Where one request stands in the queue, in its current revision."""

    model_config = ConfigDict(frozen=True)

    request_id: str
    state: TriageState | None = None
    """None: it is in the queue."""
    assigned_to: str | None = None
    who: str
    at_ns: int
    revision: int = 1
    by_undo: bool = False
    """It brings back what was there before an earlier change."""
