"""The stored complaints: what users and tickets said, each with the request it is about."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from ..collectors.used_labels import cases_of
from ..model import Complaint, IdForm, find_ids, short_id
from ..store import RequestFilter, RequestRow, Store
from .lookup import look_up
from .workspace import Workspace


class ListComplaints(BaseModel):
    """A page of complaints."""

    model_config = ConfigDict(frozen=True)

    limit: int = Field(default=50, ge=1, le=1000)
    offset: int = Field(default=0, ge=0)


class ComplaintRow(BaseModel):
    """One complaint with what is known of its request."""

    model_config = ConfigDict(frozen=True)

    complaint: Complaint
    request_id: str | None
    """The linked request, where it is stored. None: the text names none, or one that has not come."""
    named_id: str | None = None
    """Where none is linked: the one stored request that the text names, by its first digits, say."""
    question: str | None = None
    """At most 300 characters."""
    verdict: str = ""
    """A Verdict value; empty where there is no request or no diagnosis yet."""
    labelled: bool = False
    """The request has labels of its own, or inherits a case's."""
    promoted: bool = False
    """A set holds the request's question."""

    @property
    def request_words(self) -> str:
        """Which request it is about, as pages and commands say it: "7f3a9c12", "names request 7f3a9c12; not linked"."""
        if self.request_id:
            return short_id(self.request_id)
        if self.named_id:
            return f"names request {short_id(self.named_id)}; not linked"
        if self.complaint.request_id:
            return f"names request {short_id(self.complaint.request_id)}; not in this store"
        return "names no request"


class ComplaintPage(BaseModel):
    """Complaints, newest first."""

    model_config = ConfigDict(frozen=True)

    rows: tuple[ComplaintRow, ...]
    total: int


_WATCHED = 200
"""How many of the newest complaints are looked through for the short id of a request."""
_REQUESTS = 1000
"""Rows of the list of requests that are read to find question and verdict."""
_QUESTION = 300


def list_complaints(workspace: Workspace, ask: ListComplaints) -> ComplaintPage:
    """A page of complaints with question and verdict of their requests."""
    store = workspace.store
    complaints = store.complaints.list(limit=ask.limit, offset=ask.offset)
    page = store.requests.page(RequestFilter(complained=True), limit=_REQUESTS)
    known = {row.request_id: row for row in page.rows}
    rows = tuple(_row(store, complaint, known) for complaint in complaints)
    return ComplaintPage(rows=rows, total=store.complaints.count())


def _row(store: Store, complaint: Complaint, known: dict[str, RequestRow]) -> ComplaintRow:
    recorded = store.requests.get(complaint.request_id, texts=False) if complaint.request_id else None
    if recorded is None:
        named = None if complaint.request_id else look_up(store, complaint.text).request_ids
        return ComplaintRow(
            complaint=complaint, request_id=None, named_id=named[0] if named and len(named) == 1 else None
        )
    request = recorded.request
    row = known.get(request.request_id)
    cases = cases_of(store, request)
    return ComplaintRow(
        complaint=complaint,
        request_id=request.request_id,
        question=request.question[:_QUESTION] if request.question else None,
        verdict=row.verdict if row else "",
        labelled=row.labelled or row.inherited if row else False,
        promoted=bool(cases),
    )


def complaints_about(store: Store, request_id: str) -> tuple[Complaint, ...]:
    """The complaints linked to a request, then those that name it, and only it, by its first digits.

    The latter are shown with it and not stored as linked: a few digits may be an invoice number as well.
    """
    linked = store.complaints.of(request_id)
    named = (
        complaint
        for complaint in store.complaints.list(limit=_WATCHED)
        if complaint.request_id is None and _names_shortly(store, complaint.text, request_id)
    )
    return (*linked, *named)


def _names_shortly(store: Store, text: str, request_id: str) -> bool:
    """Whether the text holds a prefix that leads to this request alone."""
    starts = request_id.split("-")
    return any(
        mention.form is IdForm.PREFIX
        and any(start.startswith(mention.prefix or " ") for start in starts)
        and store.requests.resolve(mention) == (request_id,)
        for mention in find_ids(text)
    )
