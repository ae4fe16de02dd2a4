"""What users said about answers: complaints (a ticket) and feedback (a score and a comment)."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict


class ComplaintState(StrEnum):
    """How far a complaint has come. The first four follow from the facts, the others are a person's closing."""

    NEW = "new"
    LINKED = "linked"
    """It has a request."""
    LABELLED = "labelled"
    """Its request has a gold."""
    PROMOTED = "promoted"
    """Its request's question is in an eval set."""
    FIXED = "fixed"
    NOT_REPRODUCIBLE = "not_reproducible"
    NOT_ANSWERABLE = "not_answerable"


class ComplaintSource(StrEnum):
    """How a complaint came in."""

    TICKET = "ticket"
    """Pasted or imported."""
    FEEDBACK = "feedback"
    """Thumbs down in the app."""
    APP = "app"
    """Posted by an app or a help desk."""


class Closing(BaseModel):
    """Why a complaint is closed. One of a passing case, a replay or a reason is needed."""

    model_config = ConfigDict(frozen=True)

    state: ComplaintState
    """FIXED, NOT_REPRODUCIBLE or NOT_ANSWERABLE."""
    case_id: str | None = None
    """The eval case that passes now."""
    replay_id: str | None = None
    """Id of the replayed request that shows it."""
    reason: str | None = None
    who: str
    at_ns: int


class ComplaintNote(BaseModel):
    """What somebody wrote on a complaint."""

    model_config = ConfigDict(frozen=True)

    text: str
    who: str
    at_ns: int


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
    source: ComplaintSource = ComplaintSource.TICKET
    session: str | None = None
    """The conversation it is about, where the help desk knows it."""
    owner: str | None = None
    """Who looks after it."""
    linked_by: str | None = None
    """The person who confirmed the request, or took it away: then nothing links it by itself again. None while nobody
    did either, or where the text names it."""
    notes: tuple[ComplaintNote, ...] = ()
    """Oldest first."""
    closing: Closing | None = None
    verdict_at_ns: int | None = None
    """When its request first had a verdict from a label. The time from complaint to verdict is kept by it."""

    def renewed(self, arriving: Complaint) -> Complaint:
        """What the ticket says as it comes again, with what people did about it kept."""
        return self.model_copy(
            update={
                **{name: getattr(arriving, name) for name in _SAID},
                "request_id": arriving.request_id or self.request_id,
            }
        )


_SAID = ("app", "environment", "text", "who", "at_ns", "source", "session")
"""What a ticket says itself."""


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
