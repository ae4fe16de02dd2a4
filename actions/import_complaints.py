"""Import tickets from a help desk's export."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Final, NamedTuple

from pydantic import BaseModel, ConfigDict

from ..collectors.redaction import redact_complaint
from ..collectors.sifting import sift_complaint
from ..model import BadInput, Complaint, GoldrankError, NotFound, UsageError
from ..model.complaint import ComplaintSource
from .bad_line import BadLine
from .complaint_change import as_arrived, made_id
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


_AT_ONCE: Final = 1000
"""Tickets that are stored in one transaction: between two of them others may write."""


class _Read(NamedTuple):
    """A ticket of the file, or why there is none."""

    line: int
    row: TicketRow | None
    complaint_id: str = ""
    reason: str = ""


class _Taken(NamedTuple):
    """What became of a ticket."""

    changed: bool
    created: bool
    linked: bool


def import_complaints(workspace: Workspace, ask: ImportComplaints) -> ComplaintsImported:
    """Stores every ticket of the file that can be read; the others are named by line and reason.

    The same file again changes nothing. A ticket that says something else than before is renewed: its link, owner,
    notes and closing stay.
    """
    done: list[_Taken] = []
    bad: list[BadLine] = []
    for some in _batched(_tickets(workspace, ask), _AT_ONCE):
        done += _take(workspace, ask, some, bad)
    return ComplaintsImported(
        created=sum(one.created for one in done),
        updated=sum(one.changed and not one.created for one in done),
        unchanged=sum(not one.changed for one in done),
        linked=sum(one.changed and one.linked for one in done),
        bad=tuple(sorted(bad, key=lambda one: one.line)),
    )


def _tickets(workspace: Workspace, ask: ImportComplaints) -> Iterator[_Read]:
    """The tickets of the file, each with its id. Of several with one id the first counts."""
    names = field_names(ask.columns)
    lines: dict[str, int] = {}
    for record in read_records(ask.text, ask.source):
        try:
            check_columns(record, names, ask.columns)
            row = ticket_row(record.fields, names, zone=ask.zone, now_ns=workspace.now_ns())
            complaint_id = row.complaint_id or made_id(row.app or ask.app, row.who, row.text, row.at_ns)
            if complaint_id in lines:
                raise BadInput(f"ticket {complaint_id} stands in line {lines[complaint_id]} already.")
        except UsageError:
            raise
        except GoldrankError as error:
            yield _Read(record.line, None, reason=str(error))
        else:
            lines[complaint_id] = record.line
            yield _Read(record.line, row, complaint_id)


def _batched(tickets: Iterator[_Read], size: int) -> Iterator[list[_Read]]:
    while some := list(islice(tickets, size)):
        yield some


def _take(workspace: Workspace, ask: ImportComplaints, some: list[_Read], bad: list[BadLine]) -> list[_Taken]:
    """Stores these, in one transaction; adds to `bad` what cannot be."""
    store = workspace.store
    taken: list[_Taken] = []
    changed: list[Complaint] = []
    with store.writing():
        known = store.complaints.several([one.complaint_id for one in some])
        sieve = store.erasures.sieve()
        for one in some:
            if one.row is None:
                bad.append(BadLine(line=one.line, reason=one.reason))
                continue
            before = known.get(one.complaint_id)
            arriving = _complaint(workspace, ask, one.row, one.complaint_id, before)
            # A ticket without a time may be as old as any.
            dated = arriving.model_copy(update={"at_ns": one.row.at_ns or 0})
            if sift_complaint(dated, sieve) is None:
                bad.append(BadLine(line=one.line, reason="this ticket was forgotten here, and is not stored again."))
                continue
            after = as_arrived(workspace, before, arriving)
            if after != before:
                changed.append(after)
            taken.append(_Taken(after != before, before is None, after.request_id is not None))
        store.complaints.save_all(changed)
    return taken


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


def _complaint(
    workspace: Workspace, ask: ImportComplaints, row: TicketRow, complaint_id: str, known: Complaint | None
) -> Complaint:
    """The row as it is stored, redacted. Without a time it keeps the one that it was first stored with, else now."""
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
