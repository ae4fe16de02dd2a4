"""`goldrank complaints`: the tickets, and the requests that they are about."""

from __future__ import annotations

from argparse import ArgumentParser

from ..actions import ComplaintRow, ListComplaints, list_complaints
from ..model import Verdict
from .arguments import add_page
from .command import NOTHING, OK, Call, Command
from .table import Column
from .times import local_time, zone_name

_COLUMNS = (
    Column("ticket", shrinks=True),
    Column("time"),
    Column("request"),
    Column("verdict"),
    Column("in a set"),
    Column("text", shrinks=True),
    Column("question", shrinks=True),
)


def add_arguments(parser: ArgumentParser) -> None:
    """Which part of the list."""
    add_page(parser, limit=50)
    parser.add_argument("--json", action="store_true", help="as JSON, for other programs")


def run(call: Call) -> int:
    """Exit code 1 where there is none."""
    ask = ListComplaints(limit=call.arguments.limit, offset=call.arguments.offset)
    page = call.perform(list_complaints, ask)
    if call.arguments.json:
        call.terminal.json(page)
    elif page.rows:
        call.terminal.table(_COLUMNS, [_cells(row) for row in page.rows])
        zone = zone_name(page.rows[0].complaint.at_ns)
        call.terminal.line(f"{len(page.rows):,} of {page.total:,} · newest first · times in {zone}")
    else:
        call.terminal.note("No complaint is stored.")
    return OK if page.rows else NOTHING


def _cells(row: ComplaintRow) -> tuple[str, ...]:
    verdict = "no label" if row.verdict == Verdict.NO_LABEL.value else row.verdict.replace("_", " ")
    return (
        row.complaint.complaint_id,
        local_time(row.complaint.at_ns),
        row.request_words,
        verdict,
        "yes" if row.promoted else "",
        row.complaint.text,
        row.question or "",
    )


COMPLAINTS = Command(
    name="complaints",
    summary="list complaints with the requests they are about",
    examples=("goldrank complaints", "goldrank complaints --limit 5 --json"),
    add_arguments=add_arguments,
    run=run,
)
