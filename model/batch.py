"""Many replays at once: all failures of a verdict, or all cases of an eval set, against today's app."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict

from .replay import Override
from .verdict import Verdict


class BatchOutcome(StrEnum):
    """What a replay shows of one request."""

    FIXED = "fixed"
    """It failed then, and is delivered now."""
    STILL_BROKEN = "still_broken"
    NEWLY_BROKEN = "newly_broken"
    """It was delivered then, and is not now."""
    STILL_DELIVERED = "still_delivered"
    COULD_NOT_RUN = "could_not_run"
    """The app failed, timed out or could not be asked; `BatchResult.detail` says which."""
    CANNOT_TELL = "cannot_tell"
    """It ran, and one of the two verdicts is unknown: no label, or not enough was recorded."""

    @property
    def words(self) -> str:
        """As pages show it."""
        return self.value.replace("_", " ")


WORST_FIRST: Final = (
    BatchOutcome.NEWLY_BROKEN,
    BatchOutcome.STILL_BROKEN,
    BatchOutcome.COULD_NOT_RUN,
    BatchOutcome.CANNOT_TELL,
    BatchOutcome.FIXED,
    BatchOutcome.STILL_DELIVERED,
)
"""The order in which results are shown."""


class ReplayBatch(BaseModel):
    """One batch. It goes on where it stopped: a request that has a result is not run again."""

    model_config = ConfigDict(frozen=True)

    batch_id: str
    target: str
    """The app: `module:object` or an address."""
    source: str
    """In words: "verdict demoted", "eval set support"."""
    request_ids: tuple[str, ...]
    """What is to be replayed, in this order."""
    overrides: tuple[Override, ...] = ()
    who: str
    at_ns: int


class BatchResult(BaseModel):
    """What came of one request of a batch."""

    model_config = ConfigDict(frozen=True)

    batch_id: str
    request_id: str
    question: str = ""
    """At most 300 characters; empty where it was not recorded."""
    outcome: BatchOutcome
    then_verdict: str
    """A Verdict value; empty: no label."""
    now_verdict: str = ""
    replay_id: str | None = None
    """Id of the new request."""
    sentence: str = ""
    """Where the gold stood and stands, or why it could not run."""
    seconds: float = 0.0
    at_ns: int


_PASSED = frozenset({Verdict.DELIVERED})
_UNKNOWN = frozenset({Verdict.UNKNOWN, Verdict.NO_LABEL, Verdict.STALE_LABEL, Verdict.REACHED_LAST_LIST})


def batch_outcome(then: Verdict, now: Verdict) -> BatchOutcome:
    """What two verdicts of the same golds say. Only `delivered` passes; where one cannot be told, neither can this."""
    if then in _UNKNOWN or now in _UNKNOWN:
        return BatchOutcome.CANNOT_TELL
    if now in _PASSED:
        return BatchOutcome.STILL_DELIVERED if then in _PASSED else BatchOutcome.FIXED
    return BatchOutcome.NEWLY_BROKEN if then in _PASSED else BatchOutcome.STILL_BROKEN
