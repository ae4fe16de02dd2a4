"""Requests: one user question going through the app, up to its answer."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

from .stage import Message, Stage
from .stage_words import Outcome


class Request(BaseModel):
    """What is known of a request without its stages."""

    model_config = ConfigDict(frozen=True)

    request_id: str
    """`<trace id>-<span id>`; the bare trace id while no request span has come (`provisional`)."""
    trace_id: str
    provisional: bool = False
    app: str = ""
    environment: str = ""
    app_version: str | None = None
    question: str | None = None
    question_source: str | None = None
    """None where the app recorded it; otherwise how it was inferred."""
    history: tuple[Message, ...] = ()
    answer: str | None = None
    answer_note: str | None = None
    """Why there is no answer text: "not readable", "not recorded", "redacted"."""
    user: str | None = None
    session: str | None = None
    tenant: str | None = None
    groups: tuple[str, ...] | None = None
    """None: not recorded. Empty: the user is in no group."""
    as_of: str | None = None
    """The time that the app answered for, where it is not now."""
    outcome: Outcome = Outcome.OK
    error: str | None = None
    start_ns: int
    end_ns: int | None = None
    replay_of: str | None = None
    notes: dict[str, Any] = {}
    attributes: dict[str, Any] = {}
    missing: tuple[str, ...] = ()
    """What is known to be missing, in words: "request span missing", "1 span missing"."""
    repaired: bool = False
    """Characters that no text may hold (lone surrogates) were replaced by U+FFFD."""

    @property
    def duration_ms(self) -> float | None:
        """Milliseconds, never below 0; None when no end was received."""
        return None if self.end_ns is None else max(0, self.end_ns - self.start_ns) / 1e6


class RecordedRequest(BaseModel):
    """A request with its stages, as recorded. Diagnosis reads this and nothing else of the request."""

    model_config = ConfigDict(frozen=True)

    request: Request
    stages: tuple[Stage, ...] = ()
    """By start time, then stage id. Their order on a page is diagnosis's (`diagnosis.flow`)."""
