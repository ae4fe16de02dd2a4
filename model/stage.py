"""Stages: the steps of a request that make or change a ranked list or a text."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

from .hit import Hit
from .stage_words import Completeness, FlowSource, Outcome, StageKind


class Message(BaseModel):
    """One message of a prompt or of a history."""

    model_config = ConfigDict(frozen=True)

    role: str
    """user, assistant, system, tool; empty where the app gave a plain text."""
    text: str


class StageInput(BaseModel):
    """A list that went into a stage."""

    model_config = ConfigDict(frozen=True)

    stage_id: str
    """The stage whose list it is."""
    depth: int | None = None
    """The deepest rank of that list that was handed over; None: not known. Ranks below it were never given."""


class Stage(BaseModel):
    """One stage of a recorded request."""

    model_config = ConfigDict(frozen=True)

    stage_id: str
    """The span id of its outermost span, 16 hex digits."""
    kind: StageKind
    name: str
    parent_id: str | None = None
    """The enclosing stage, or None directly below the request span."""
    parent_missing: bool = False
    """The span names a parent that never came."""
    start_ns: int
    end_ns: int | None = None
    """None: no end was received."""
    clock_note: str | None = None
    """Set when the recorded times contradict each other or the request's; then a duration is not below 0."""
    outcome: Outcome = Outcome.OK
    error: str | None = None
    """Type and message of the failure; never the payload."""
    query: str | None = None
    """The text sent to a retriever, reranker or rewriter."""
    queries: tuple[str, ...] = ()
    """What a rewrite stage returned, in order."""
    technique: str | None = None
    """Of a rewrite: standalone, expansion, decomposition, hypothetical."""
    top_k: int | None = None
    """How deep the list was asked to be."""
    filters: Any = None
    """The filter as recorded, JSON."""
    index: str | None = None
    index_version: str | None = None
    embedding_model: str | None = None
    model: str | None = None
    settings: dict[str, Any] = {}
    """Other named parameters that the app recorded (a threshold, fusion constants)."""
    notes: dict[str, Any] = {}
    """What the app noted on this stage (`OpenStage.note`)."""
    hits: tuple[Hit, ...] | None = None
    """In the order recorded. Empty: explicitly nothing. None: the stage has no list, or it was not recorded."""
    length: int | None = None
    """True length of the list, also where only a part of it was recorded."""
    missing_top: int = 0
    completeness: Completeness = Completeness.COMPLETE
    shape: str | None = None
    """Shape tag of the value that the stage returned, so that a replay can rebuild it."""
    inputs: tuple[StageInput, ...] = ()
    """The lists that went into this stage, as declared or recorded."""
    flow_source: FlowSource = FlowSource.UNKNOWN
    """DECLARED or RECORDED where `inputs` is known from the app; else UNKNOWN, and diagnosis may derive it."""
    text: str | None = None
    """What the stage returned, where that is a text (an assembled context, a generated answer)."""
    prompt: tuple[Message, ...] | None = None
    """Of a generate stage: the messages sent to the model, in order. None: not recorded."""
    declared_context: tuple[str, ...] | None = None
    """Of a generate stage: the chunk ids the app declared as its context, in order."""

    @property
    def has_list(self) -> bool:
        """Whether a list (possibly empty) was recorded."""
        return self.hits is not None

    @property
    def duration_ms(self) -> float | None:
        """Milliseconds, never below 0; None when no end was received."""
        return None if self.end_ns is None else max(0, self.end_ns - self.start_ns) / 1e6
