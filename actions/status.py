"""The state of store, spool, ingester and hub, with what to do about each trouble."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

from ..store import BadFrame, CorpusState


class AskStatus(BaseModel):
    """Asks for the status."""

    model_config = ConfigDict(frozen=True)


class IngesterState(BaseModel):
    """How the ingester fares."""

    model_config = ConfigDict(frozen=True)

    running: bool
    """False where no hub runs."""
    healthy: bool
    message: str
    last_commit_ns: int | None
    oldest_unread_s: float | None
    """Age of the oldest frame that is not in the store yet, in seconds; None: nothing waits."""
    frames_read: int
    frames_bad: int


class Trouble(BaseModel):
    """Something a person should know, and the next step."""

    model_config = ConfigDict(frozen=True)

    what: str
    remedy: str


class Status(BaseModel):
    """The whole state."""

    model_config = ConfigDict(frozen=True)

    spool: str
    """Absolute path."""
    spool_written: bool
    """Some app has ever written here."""
    spool_segments: int
    spool_bytes: int
    store: str
    store_bytes: int
    schema_version: int
    rows: dict[str, int]
    drops: dict[str, dict[str, int]]
    """App -> reason -> count; "not sampled" is among the reasons."""
    bad_frames: tuple[BadFrame, ...]
    corpora: tuple[CorpusState, ...]
    ingester: IngesterState
    hub: dict[str, Any] | None
    """pid, url, since; None where no hub runs."""
    troubles: tuple[Trouble, ...]
