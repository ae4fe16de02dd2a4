"""Import tickets from a help desk's export."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from ..collectors.redaction import redact_complaint
from ..model import BadInput, Complaint, GoldrankError, NotFound, UsageError
from ..model.complaint import ComplaintSource
from .bad_line import BadLine
from .complaint_change import made_id, take_complaint
from .complaint_fields import TicketRow, field_names, simple, ticket_row
from .complaint_files import Record, read_records
from .human_text import redactor
from .lookup import one_request_id
from .workspace import Workspace


class ImportComplaints(BaseModel):
    """Tickets as CSV or JSON lines."""

    model_config = ConfigDict(frozen=True)

    text: str
    source: str
    """Name of the file, for messages."""
    columns: dict[str, str] = {}
    """Field of a ticket -> the column that holds it, where it has no usual name (`complaint_fields.FIELDS`)."""
    app: str = ""
    """For tickets that name none."""
    environment: str = ""
    zone: str = ""
    """Of times without one; empty is the machine's."""


class ComplaintsImported(BaseModel):
    """What became of the file."""

    model_config = ConfigDict(frozen=True)

    created: int
    updated: int
    unchanged: int
    linked: int
    """Of those created or updated: how many name a request that is stored."""
    bad: tuple[BadLine, ...] = ()


class _Seen(NamedTuple):
    line: int
    changed: bool
    created: bool
    linked: bool


def import_complaints(workspace: Workspace, ask: ImportComplaints) -> ComplaintsImported:
    """Stores every ticket of the file that can be read; the others are named by line and reason.

    The same file again changes nothing. A ticket that says something else than before is renewed: its link, owner,
    notes and closing stay.
    """
    names = field_names(ask.columns)
    seen: dict[str, _Seen] = {}
    bad: list[BadLine] = []
    for record in read_records(ask.text, ask.source):
        try:
            check_columns(record, names, ask.columns)
            complaint = _complaint(workspace, ask, _row(record, names, ask, workspace.now_ns()))
            earlier = seen.get(complaint.complaint_id)
            if earlier is not None:
                raise BadInput(f"ticket {complaint.complaint_id} stands in line {earlier.line} already.")
            seen[complaint.complaint_id] = _take(workspace, record.line, complaint)
        except GoldrankError as error:
            if isinstance(error, UsageError):
                raise
            bad.append(BadLine(line=record.line, reason=str(error)))
    done = seen.values()
    return ComplaintsImported(
        created=sum(one.created for one in done),
        updated=sum(one.changed and not one.created for one in done),
        unchanged=sum(not one.changed for one in done),
        linked=sum(one.changed and one.linked for one in done),
        bad=tuple(bad),
    )


def check_columns(record: Record, names: Mapping[str, tuple[str, ...]], declared: Mapping[str, str]) -> None:
    """A declared column that is not there is a slip of the person who declared it."""
    if record.reason:
        raise BadInput(record.reason)
    there = {simple(name) for name in record.fields}
    for field, column in declared.items():
        if simple(column) not in there and field in {"text", "complaint_id"}:
            raise BadInput(f"it has no column {column!r}; it has: {', '.join(list(record.fields)[:12])}.")
    if not any(simple(name) in there for name in (*names["text"], *names["subject"])):
        raise BadInput(
            f"none of its columns is known as the text ({', '.join(list(record.fields)[:12])}): "
            "say which, with --column text=NAME."
        )


def _row(record: Record, names: Mapping[str, tuple[str, ...]], ask: ImportComplaints, now_ns: int) -> TicketRow:
    return ticket_row(record.fields, names, zone=ask.zone, now_ns=now_ns)


def _complaint(workspace: Workspace, ask: ImportComplaints, row: TicketRow) -> Complaint:
    """The row as it is stored, redacted. Without a time it keeps the one that it was first stored with, else now."""
    complaint_id = row.complaint_id or made_id(row.app or ask.app, row.who, row.text, row.at_ns)
    known = workspace.store.complaints.get(complaint_id)
    at_ns = row.at_ns if row.at_ns is not None else known.at_ns if known else workspace.now_ns()
    complaint = Complaint(
        complaint_id=complaint_id,
        app=row.app or ask.app,
        environment=row.environment or ask.environment,
        text=row.text,
        who=row.who,
        at_ns=at_ns,
        request_id=_request(workspace, row.request),
        source=ComplaintSource.TICKET,
        session=row.session,
        owner=row.owner,
    )
    return redact_complaint(complaint, (redactor(workspace),))


def _request(workspace: Workspace, text: str) -> str | None:
    """The request that the row names; none where it is not known here: the rest of the ticket still counts."""
    try:
        return one_request_id(workspace.store, text) if text else None
    except (NotFound, UsageError):
        return None


def _take(workspace: Workspace, line: int, complaint: Complaint) -> _Seen:
    created = workspace.store.complaints.get(complaint.complaint_id) is None
    changed = take_complaint(workspace, complaint)
    return _Seen(line, changed.changed, created, changed.row.complaint.request_id is not None)
