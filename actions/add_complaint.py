"""Add a complaint: a ticket that somebody pastes."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from ..collectors.redaction import redact_complaint
from ..collectors.sifting import sift_complaint
from ..diagnosis.ticket.reading import read_ticket
from ..model import Complaint, Refused, UsageError
from ..model.complaint import ComplaintSource
from .complaint_change import ComplaintChanged, made_id, take_complaint
from .human_text import redactor
from .lookup import one_request_id
from .workspace import Workspace


class AddComplaint(BaseModel):
    """One ticket."""

    model_config = ConfigDict(frozen=True)

    text: str
    complaint_id: str = ""
    """The ticket's own id; empty: one is made. With an id that is there, the ticket is renewed."""
    who: str | None = None
    """The user who complained."""
    session: str | None = None
    request: str = ""
    """A request id in any form, where the ticket's own system knows it."""
    at_ns: int | None = None
    """When it was written; None: as its head says ("Sent: ..."), else now."""
    zone: str = ""
    """The zone of its head; empty is the machine's."""
    app: str = ""
    environment: str = ""
    source: ComplaintSource = ComplaintSource.TICKET


def add_complaint(workspace: Workspace, ask: AddComplaint) -> ComplaintChanged:
    """Stores the ticket, redacted. It is linked where it names exactly one request that is stored, else never."""
    if not ask.text.strip():
        raise UsageError("The ticket is empty: paste what was said.")
    now_ns = workspace.now_ns()
    at_ns = ask.at_ns
    if at_ns is None:
        at_ns = min(read_ticket(ask.text, opened_ns=now_ns, zone=ask.zone).opened_ns, now_ns)
    complaint = Complaint(
        complaint_id=ask.complaint_id.strip() or made_id(ask.app, ask.who, ask.text, at_ns),
        app=ask.app,
        environment=ask.environment,
        text=ask.text.strip(),
        who=ask.who or None,
        at_ns=at_ns,
        request_id=one_request_id(workspace.store, ask.request) if ask.request.strip() else None,
        source=ask.source,
        session=ask.session or None,
    )
    if sift_complaint(complaint, workspace.store.erasures.sieve()) is None:
        raise Refused("This ticket, its request or its user was forgotten here, so it is not stored again.")
    return take_complaint(workspace, redact_complaint(complaint, (redactor(workspace),)))
