"""What users said about answers: complaints (a ticket) and feedback (a score and a comment)."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Complaint(BaseModel):
    """A ticket about an answer. A `complaint` frame of the spool holds one."""

    model_config = ConfigDict(frozen=True)

    complaint_id: str
    """The ticket's own id, or one that goldrank made."""
    app: str = ""
    environment: str = ""
    text: str
    """As received, after redaction."""
    who: str | None = None
    at_ns: int
    request_id: str | None = None
    """Linked exactly: the text holds the request's id, or a person linked it. Never guessed."""


class Feedback(BaseModel):
    """A score that a user gave to an answer. A `feedback` frame of the spool holds one."""

    model_config = ConfigDict(frozen=True)

    feedback_id: str
    request_id: str
    app: str = ""
    environment: str = ""
    score: float
    """Below 0 bad, above 0 good."""
    comment: str | None = None
    at_ns: int
