"""The stored complaints: what users and tickets said, each with its state and the request it is about."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from ..model import Complaint, IdForm, find_ids, short_id
from ..model.complaint import ComplaintState
from ..store import ComplaintFacts, ComplaintFilter, Store
from .lookup import look_up
from .workspace import Workspace


class ListComplaints(BaseModel):
    """A page of complaints."""

    model_config = ConfigDict(frozen=True)

    which: ComplaintFilter = ComplaintFilter()
    limit: int = Field(default=50, ge=1, le=1000)
    offset: int = Field(default=0, ge=0)


class ComplaintRow(BaseModel):
    """One complaint with what is known of its request."""

    model_config = ConfigDict(frozen=True)

    complaint: Complaint
    state: ComplaintState = ComplaintState.NEW
    request_id: str | None
    """The linked request, where it is stored. None: the text names none, or one that has not come."""
    named_id: str | None = None
    """Where none is linked: the one stored request that the text names, by its first digits, say."""
    named: int = 0
    """How many stored requests the text names, where none is linked."""
    question: str | None = None
    """At most 300 characters."""
    verdict: str = ""
    """A Verdict value; empty where there is no request or no diagnosis yet."""
    labelled: bool = False
    """The request has labels of its own, or inherits a case's."""
    promoted: bool = False
    """A set holds the request's question."""
    verdict_after_s: float | None = None
    """Seconds from the complaint to the first verdict from a label, never below 0; None while there is none."""

    @property
    def request_words(self) -> str:
        """Which request it is about, as pages and commands say it: "7f3a9c12", "names request 7f3a9c12; not linked"."""
        if self.request_id:
            return short_id(self.request_id)
        if self.named_id:
            return f"names request {short_id(self.named_id)}; not linked"
        if self.complaint.request_id:
            return f"names request {short_id(self.complaint.request_id)}; not in this store"
        if self.named > 1:
            return f"names {self.named:,} requests; not linked"
        return "names no request"


class ComplaintPage(BaseModel):
    """Complaints, newest first."""

    model_config = ConfigDict(frozen=True)

    rows: tuple[ComplaintRow, ...]
    total: int
    """How many the filter lets through."""
    stored: int = 0
    """How many there are at all."""
    states: dict[ComplaintState, int] = {}
    """How many are in each state, whatever states and `open` were asked for; without empty ones."""
    owners: tuple[str, ...] = ()
    """Everybody who looks after one, by name."""


def list_complaints(workspace: Workspace, ask: ListComplaints) -> ComplaintPage:
    """A page of complaints with question and verdict of their requests."""
    page = workspace.store.complaints.page(ask.which, limit=ask.limit, offset=ask.offset)
    return ComplaintPage(
        rows=tuple(complaint_row(workspace.store, facts) for facts in page.rows),
        total=page.matching,
        stored=page.stored,
        states=page.states,
        owners=page.owners,
    )


def complaint_row(store: Store, facts: ComplaintFacts) -> ComplaintRow:
    """What is known of a complaint, as lists and answers show it."""
    complaint = facts.complaint
    verdict_ns = complaint.verdict_at_ns
    named = look_up(store, complaint.text).request_ids if complaint.request_id is None else ()
    return ComplaintRow(
        complaint=complaint,
        state=facts.state,
        request_id=facts.stored_request,
        named_id=named[0] if len(named) == 1 else None,
        named=len(named),
        question=facts.question,
        verdict=facts.verdict,
        labelled=facts.labelled,
        promoted=facts.promoted,
        verdict_after_s=None if verdict_ns is None else max(0, verdict_ns - complaint.at_ns) / 1e9,
    )


def complaints_about(store: Store, request_id: str) -> tuple[Complaint, ...]:
    """The complaints linked to a request, then those that name it, and only it, by its first digits.

    The latter are shown with it and not stored as linked: a few digits may be an invoice number as well.
    """
    return tuple(
        complaint
        for complaint in store.complaints.perhaps_of(request_id)
        if complaint.request_id is not None or _names_shortly(store, complaint.text, request_id)
    )


def _names_shortly(store: Store, text: str, request_id: str) -> bool:
    """Whether the text holds a prefix that leads to this request alone."""
    starts = request_id.split("-")
    return any(
        mention.form is IdForm.PREFIX
        and any(start.startswith(mention.prefix or " ") for start in starts)
        and store.requests.resolve(mention) == (request_id,)
        for mention in find_ids(text)
    )
