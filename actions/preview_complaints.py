"""Look at a file of tickets before it is imported: which column is taken for what, and the first rows."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from ..model import BadInput
from .bad_line import BadLine
from .complaint_fields import TicketRow, field_names, simple, ticket_row
from .complaint_files import read_records
from .import_complaints import ImportComplaints, check_columns
from .workspace import Workspace


class PreviewComplaints(ImportComplaints):
    """A file of tickets, and how many rows to show."""

    rows: int = Field(default=3, ge=1, le=100)


class ComplaintsPreview(BaseModel):
    """What an import would read."""

    model_config = ConfigDict(frozen=True)

    columns: tuple[str, ...]
    """Every name that a record has, in order of appearance."""
    mapping: dict[str, str]
    """Field of a ticket -> the column that it is read from; without fields that no column is known for."""
    rows: tuple[TicketRow, ...]
    """The first that can be read."""
    readable: int
    """How many records are tickets."""
    bad: tuple[BadLine, ...] = ()


def preview_complaints(workspace: Workspace, ask: PreviewComplaints) -> ComplaintsPreview:
    """Reads the whole file and stores nothing; BadInput where it is no file of tickets at all."""
    names = field_names(ask.columns)
    columns: dict[str, None] = {}
    rows: list[TicketRow] = []
    readable = 0
    bad: list[BadLine] = []
    now_ns = workspace.now_ns()
    for record in read_records(ask.text, ask.source):
        columns.update(dict.fromkeys(str(name) for name in record.fields))
        try:
            check_columns(record, names, ask.columns)
            row = ticket_row(record.fields, names, zone=ask.zone, now_ns=now_ns)
        except BadInput as error:
            bad.append(BadLine(line=record.line, reason=str(error)))
            continue
        readable += 1
        if len(rows) < ask.rows:
            rows.append(row)
    return ComplaintsPreview(
        columns=tuple(columns),
        mapping=_mapping(tuple(columns), names),
        rows=tuple(rows),
        readable=readable,
        bad=tuple(bad),
    )


def _mapping(columns: tuple[str, ...], names: dict[str, tuple[str, ...]]) -> dict[str, str]:
    by_name = {simple(column): column for column in reversed(columns)}
    found = {
        field: next((by_name[simple(alias)] for alias in aliases if simple(alias) in by_name), None)
        for field, aliases in names.items()
    }
    return {field: column for field, column in found.items() if column is not None}
