"""Show one request: what was recorded, what diagnosis says of it, and what people said about it."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from ..model import Complaint, Diagnosis, EvalCase, Feedback, Label, LabelFacts, RecordedRequest


class ShowRequest(BaseModel):
    """Which request to show, and with which labels."""

    model_config = ConfigDict(frozen=True)

    request: str
    """An id in any form, or a text that contains one."""
    gold: tuple[str, ...] = ()
    """Chunk ids (or `doc:ID`) to look at as gold, without saving a label. Replaces the stored labels."""
    expect: tuple[str, ...] = ()
    """Phrases that a right answer contains, with `gold`."""


class Answer(BaseModel):
    """One of the three questions, answered: in the corpus? retrieved? in the prompt?"""

    model_config = ConfigDict(frozen=True)

    value: str
    """"Yes", "No", "Rank 1", "2 of 3", "Not recorded", "Not seen"."""
    evidence: str


class RequestView(BaseModel):
    """Everything that the request page, `goldrank show` and a ticket need."""

    model_config = ConfigDict(frozen=True)

    recorded: RecordedRequest
    diagnosis: Diagnosis
    labels: tuple[Label, ...]
    """The labels that the diagnosis used: the request's own, else inherited ones, else the ones asked for."""
    facts: tuple[LabelFacts, ...]
    """One for each label, in their order."""
    in_corpus: Answer | None = None
    retrieved: Answer | None = None
    in_prompt: Answer | None = None
    """None without a gold."""
    complaints: tuple[Complaint, ...] = ()
    feedback: tuple[Feedback, ...] = ()
    cases: tuple[EvalCase, ...] = ()
    """Cases with this request's key, or that name it as a source."""
