"""A recorded request stage by stage: what went in, what came out, what moved, where the gold stands."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from .stage_words import FlowSource, StageKind
from .verdict import GoldPoint


class StepInput(BaseModel):
    """A list that went into a step."""

    model_config = ConfigDict(frozen=True)

    stage_id: str
    name: str
    length: int
    """How many hits of it were handed over."""


class StepMove(BaseModel):
    """One chunk of a step's list, or one that went in and did not come out."""

    model_config = ConfigDict(frozen=True)

    chunk_id: str
    doc_id: str | None
    before: int | None
    """Its best 1-based rank among the lists that went in; None: it was in none of them."""
    after: int | None
    """Its 1-based rank in the list that came out; None: it did not come out."""


class StepGold(BaseModel):
    """One gold after a step."""

    model_config = ConfigDict(frozen=True)

    label_id: str
    name: str
    point: GoldPoint | None
    """None: the step has no list."""
    lost_here: bool
    position: int | None = None
    """1-based place in the prompt, on the step that holds the context."""

    @property
    def place(self) -> str:
        """In short: "★4", "★–✕" (lost here), "✕" where the step has no list; empty where nothing is to be said."""
        lost = "✕" if self.lost_here else ""
        if self.position is not None:
            return f"★{self.position}"
        if self.point is None:
            return lost
        return f"★{self.point.distinct_rank or '–'}{lost}"


class Step(BaseModel):
    """One stage, in the order of the flow."""

    model_config = ConfigDict(frozen=True)

    number: int
    """1-based."""
    stage_id: str
    name: str
    """As sentences say it: "dense (2)" where several share a name."""
    kind: StageKind
    inputs: tuple[StepInput, ...]
    flow_source: FlowSource
    """UNKNOWN: what went in is not known, and nothing is said to have moved."""
    text_in: str | None
    """The query, or the text that a rewrite was given."""
    texts_out: tuple[str, ...]
    """The queries of a rewrite, the answer, the assembled text."""
    length_out: int | None
    """Hits that came out; None: no list."""
    moves: tuple[StepMove, ...]
    """By rank after, then by rank before; `before` is None in all of them where what went in is not known."""
    golds: tuple[StepGold, ...]
    sentence: str
    """What it did, in one sentence: "rerank took 40 hits of rrf and gave 40: 31 moved, 0 left out"."""
    started_ms: float
    """Milliseconds after the request's start."""
    took_ms: float | None
    error: str | None
