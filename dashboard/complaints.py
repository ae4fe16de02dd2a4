"""What the pages about complaints read and do: calls of actions. What writes drops the pages' caches."""

from __future__ import annotations

from ..actions.add_complaint import AddComplaint, add_complaint
from ..actions.assign_complaint import AssignComplaint, assign_complaint
from ..actions.close_complaint import CloseComplaint, ReopenComplaint, close_complaint, reopen_complaint
from ..actions.complaint_change import ComplaintChanged
from ..actions.complaints import ComplaintPage, ComplaintRow, ListComplaints, list_complaints
from ..actions.find_candidates import Candidates, FindCandidates, find_candidates
from ..actions.import_complaints import ComplaintsImported, ImportComplaints, import_complaints
from ..actions.link_complaint import LinkComplaint, UnlinkComplaint, link_complaint, unlink_complaint
from ..actions.note_complaint import NoteComplaint, note_complaint
from ..actions.open_complaint import OpenComplaint, OpenedComplaint, open_complaint
from ..actions.preview_complaints import ComplaintsPreview, PreviewComplaints, preview_complaints
from ..actions.read_ticket import ReadTicket, read_ticket
from ..model.ticket import TicketReading
from ..store import ComplaintFilter
from . import data
from .holder import workspace


def queue(which: ComplaintFilter, *, limit: int, offset: int = 0) -> ComplaintPage:
    """A page of the queue; not cached, so that one's own change is there at once."""
    return list_complaints(workspace(), ListComplaints(which=which, limit=limit, offset=offset))


def opened(complaint_id: str) -> OpenedComplaint:
    """One complaint; NotFound or UsageError where none has this id."""
    return open_complaint(workspace(), OpenComplaint(complaint_id=complaint_id))


def reading(ask: ReadTicket) -> TicketReading:
    """What is understood of a ticket."""
    return read_ticket(workspace(), ask)


def candidates(ask: FindCandidates) -> Candidates:
    """The requests that it may be about."""
    return find_candidates(workspace(), ask)


def viewer_name() -> str:
    """Who changes are made as."""
    return workspace().who


def add(ask: AddComplaint) -> ComplaintRow:
    """Stores a ticket."""
    return _written(add_complaint(workspace(), ask))


def link(complaint_id: str, request_id: str) -> ComplaintRow:
    """Links it to a request."""
    return _written(link_complaint(workspace(), LinkComplaint(complaint_id=complaint_id, request=request_id)))


def unlink(complaint_id: str) -> ComplaintRow:
    """Takes its link away."""
    return _written(unlink_complaint(workspace(), UnlinkComplaint(complaint_id=complaint_id)))


def assign(complaint_id: str, owner: str) -> ComplaintRow:
    """Gives it to somebody; empty is nobody."""
    return _written(assign_complaint(workspace(), AssignComplaint(complaint_id=complaint_id, owner=owner)))


def note(complaint_id: str, text: str) -> ComplaintRow:
    """Writes a note on it."""
    return _written(note_complaint(workspace(), NoteComplaint(complaint_id=complaint_id, text=text)))


def close(ask: CloseComplaint) -> ComplaintRow:
    """Closes it; Refused or UsageError where nothing shows that it is done."""
    return _written(close_complaint(workspace(), ask))


def reopen(complaint_id: str, reason: str) -> ComplaintRow:
    """Takes its closing away."""
    return _written(reopen_complaint(workspace(), ReopenComplaint(complaint_id=complaint_id, reason=reason)))


def preview(ask: PreviewComplaints) -> ComplaintsPreview:
    """What an import would read."""
    return preview_complaints(workspace(), ask)


def imported(ask: ImportComplaints) -> ComplaintsImported:
    """Imports tickets."""
    done = import_complaints(workspace(), ask)
    data.forget()
    return done


def _written(changed: ComplaintChanged) -> ComplaintRow:
    data.forget()
    return changed.row
