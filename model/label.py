"""Labels: one judgement about a chunk or document for one request, by someone at a time."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field


class Judgement(StrEnum):
    """What the label says."""

    GOLD = "gold"
    NOT_RELEVANT = "not_relevant"
    FORBIDDEN = "forbidden"


class Level(StrEnum):
    """What the label is about."""

    CHUNK = "chunk"
    DOCUMENT = "document"


class LabelTarget(BaseModel):
    """The passage that a label is about, with what it held when it was labelled."""

    model_config = ConfigDict(frozen=True)

    level: Level = Level.CHUNK
    chunk_id: str | None = None
    """Set at chunk level."""
    doc_id: str | None = None
    """Set at document level; at chunk level where it was known."""
    index: str | None = None
    text: str | None = None
    text_hash: str | None = None
    quote: str | None = None
    """The sentence that answers, where one was pasted: a part of `text`."""


class Label(BaseModel):
    """One label, in its current revision."""

    model_config = ConfigDict(frozen=True)

    label_id: str
    request_id: str
    app: str
    environment: str = ""
    judgement: Judgement
    grade: int | None = Field(default=None, ge=1, le=4)
    """1 to 4 for gold, None otherwise."""
    evidence: int | None = Field(default=None, ge=1)
    """Of gold: all numbers of a request are needed; golds that share a number are alternatives."""
    target: LabelTarget
    who: str
    at_ns: int
    revision: int = 1
    removed: bool = False
    """An undone label: kept, and no longer counted."""
    by_undo: bool = False
    """This revision brought back what an earlier one said; a further undo goes on before it."""
    from_case: str | None = None
    """Inherited from this case; not stored as a label of the request."""
    from_request: str | None = None
    """Inherited from this request, which the labelled one replays; not stored as a label of the replay."""

    @property
    def inherited(self) -> bool:
        """It is no label of the request's own."""
        return self.from_case is not None or self.from_request is not None
