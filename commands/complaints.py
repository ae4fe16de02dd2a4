"""`goldrank complaints`: the tickets, the requests they are about, and what became of them."""

from __future__ import annotations

import time
from argparse import ArgumentParser

from ..actions import (
    AddComplaint,
    AssignComplaint,
    ComplaintChanged,
    ComplaintRow,
    ImportComplaints,
    LinkComplaint,
    ListComplaints,
    NoteComplaint,
    OpenComplaint,
    ReopenComplaint,
    UnlinkComplaint,
    add_complaint,
    assign_complaint,
    import_complaints,
    link_complaint,
    list_complaints,
    note_complaint,
    open_complaint,
    reopen_complaint,
    unlink_complaint,
)
from ..model import UsageError, Verdict
from ..model.complaint import ComplaintState
from ..store import ComplaintFilter
from .arguments import add_page, add_who, read_file
from .command import NOTHING, OK, Call, Command, Group
from .complaint_close import CLOSE
from .complaint_find import FIND
from .complaint_text import add_complaint_id, add_json, changed, complaint_lines, ticket_text
from .table import Column
from .times import local_time, parse_time, zone_name
from .zone import local_zone

_COLUMNS = (
    Column("ticket", shrinks=True),
    Column("time"),
    Column("state"),
    Column("owner", shrinks=True),
    Column("request"),
    Column("verdict"),
    Column("text", shrinks=True),
    Column("question", shrinks=True),
)


def _add_list(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--words", default="", metavar="WORDS", help="every word must be in the text, the id or the user"
    )
    parser.add_argument(
        "--state", action="append", default=[], choices=[state.value for state in ComplaintState], help="several: any"
    )
    parser.add_argument("--owner", default="", metavar="NAME", help="who looks after it")
    closed = parser.add_mutually_exclusive_group()
    closed.add_argument("--open", action="store_const", const=True, default=None, help="without closed ones")
    closed.add_argument("--closed", action="store_const", const=False, dest="open", help="closed ones alone")
    parser.add_argument("--app", default="", help="only this app")
    add_page(parser, limit=50)
    add_json(parser)


def _list(call: Call) -> int:
    arguments = call.arguments
    which = ComplaintFilter(
        words=arguments.words,
        states=tuple(ComplaintState(state) for state in arguments.state),
        owner=arguments.owner,
        open=arguments.open,
        app=arguments.app,
    )
    page = call.perform(list_complaints, ListComplaints(which=which, limit=arguments.limit, offset=arguments.offset))
    if arguments.json:
        call.terminal.json(page)
    elif page.rows:
        call.terminal.table(_COLUMNS, [_cells(row) for row in page.rows])
        states = ", ".join(f"{state.value.replace('_', ' ')} {count:,}" for state, count in page.states.items())
        zone = zone_name(page.rows[0].complaint.at_ns)
        call.terminal.line(f"{len(page.rows):,} of {page.total:,} · {states} · newest first · times in {zone}")
    else:
        call.terminal.note("No complaint fits." if page.stored else "No complaint is stored.")
    return OK if page.rows else NOTHING


def _cells(row: ComplaintRow) -> tuple[str, ...]:
    verdict = "no label" if row.verdict == Verdict.NO_LABEL.value else row.verdict.replace("_", " ")
    return (
        row.complaint.complaint_id,
        local_time(row.complaint.at_ns),
        row.state.value.replace("_", " "),
        row.complaint.owner or "",
        row.request_words,
        verdict,
        row.complaint.text,
        row.question or "",
    )


def _add_add(parser: ArgumentParser) -> None:
    parser.add_argument("text", nargs="*", metavar="TEXT", help="what was said; - reads it from stdin")
    parser.add_argument("--file", metavar="FILE", help="reads it from a file")
    parser.add_argument("--id", default="", metavar="TICKET", help="the ticket's own id; without it one is made")
    parser.add_argument("--user", metavar="USER", help="the user who complained")
    parser.add_argument("--session", metavar="SESSION", help="the conversation it is about")
    parser.add_argument("--request", default="", metavar="REQUEST", help="its request, where that is known")
    parser.add_argument("--at", metavar="TIME", help="when it was written: 2026-11-30T09:12, or 2h for ago")
    parser.add_argument("--app", default="", help="the app it is about")
    parser.add_argument("--environment", default="", help="the environment of the app")
    add_who(parser)
    add_json(parser)


def _add(call: Call) -> int:
    arguments = call.arguments
    ask = AddComplaint(
        text=ticket_text(arguments.text, arguments.file),
        complaint_id=arguments.id,
        who=arguments.user,
        session=arguments.session,
        request=arguments.request,
        at_ns=parse_time(arguments.at, now_ns=time.time_ns()) if arguments.at else None,
        zone=local_zone(),
        app=arguments.app,
        environment=arguments.environment,
    )
    return changed(call, call.perform(add_complaint, ask, create=True), "stored")


def _add_import(parser: ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="CSV with column names, JSON lines or a JSON array; - reads stdin")
    parser.add_argument(
        "--column", action="append", default=[], metavar="FIELD=NAME", help="which column holds a field, several times"
    )
    parser.add_argument("--app", default="", help="for tickets that name no app")
    parser.add_argument("--environment", default="", help="for tickets that name none")
    parser.add_argument("--zone", default="", help="of times without one, as Europe/Berlin; by default your own")
    add_who(parser)
    add_json(parser)


def _import(call: Call) -> int:
    arguments = call.arguments
    pairs = [one.partition("=") for one in arguments.column]
    if any(not (field and column) for field, _, column in pairs):
        raise UsageError("--column takes FIELD=NAME, as in --column text=Problem.")
    ask = ImportComplaints(
        text=read_file(arguments.file),
        source=arguments.file,
        columns={field: column for field, _, column in pairs},
        app=arguments.app,
        environment=arguments.environment,
        zone=arguments.zone or local_zone(),
    )
    done = call.perform(import_complaints, ask, create=True)
    if arguments.json:
        call.terminal.json(done)
    else:
        counts = f"{done.created:,} created, {done.updated:,} updated, {done.unchanged:,} unchanged"
        call.terminal.line(f"{counts}; {done.linked:,} name their request")
    for one in done.bad:
        call.terminal.note(f"{arguments.file} line {one.line}: {one.reason}")
    return NOTHING if done.bad else OK


def _add_show(parser: ArgumentParser) -> None:
    add_complaint_id(parser)
    add_json(parser)


def _show(call: Call) -> int:
    opened = call.perform(open_complaint, OpenComplaint(complaint_id=call.arguments.ticket))
    if call.arguments.json:
        call.terminal.json(opened)
    else:
        for line in complaint_lines(opened.row):
            call.terminal.line(line)
        call.terminal.line()
        call.terminal.text(opened.row.complaint.text)
    return OK


def _add_link(parser: ArgumentParser) -> None:
    add_complaint_id(parser)
    parser.add_argument("request", nargs="?", default="", metavar="REQUEST", help="an id in any form")
    parser.add_argument("--remove", action="store_true", help="takes the link away; nothing links it by itself again")
    add_who(parser)
    add_json(parser)


def _link(call: Call) -> int:
    arguments = call.arguments
    if bool(arguments.request) == arguments.remove:
        raise UsageError("Name the request that the ticket is about, or --remove.")
    if arguments.remove:
        return changed(call, call.perform(unlink_complaint, UnlinkComplaint(complaint_id=arguments.ticket)), "unlinked")
    ask = LinkComplaint(complaint_id=arguments.ticket, request=arguments.request)
    return changed(call, call.perform(link_complaint, ask), "linked")


def _add_assign(parser: ArgumentParser) -> None:
    add_complaint_id(parser)
    parser.add_argument("owner", nargs="?", default="", metavar="NAME", help="who looks after it; without: nobody")
    add_who(parser)
    add_json(parser)


def _assign(call: Call) -> int:
    ask = AssignComplaint(complaint_id=call.arguments.ticket, owner=call.arguments.owner)
    return changed(call, call.perform(assign_complaint, ask), "assigned")


def _add_note(parser: ArgumentParser) -> None:
    add_complaint_id(parser)
    parser.add_argument("text", nargs="+", metavar="TEXT", help="the note; - reads it from stdin")
    add_who(parser)
    add_json(parser)


def _note(call: Call) -> int:
    ask = NoteComplaint(complaint_id=call.arguments.ticket, text=ticket_text(call.arguments.text, None))
    return changed(call, call.perform(note_complaint, ask), "noted")


def _add_reopen(parser: ArgumentParser) -> None:
    add_complaint_id(parser)
    parser.add_argument("--reason", default="", help="kept as a note")
    add_who(parser)
    add_json(parser)


def _reopen(call: Call) -> int:
    done: ComplaintChanged = call.perform(
        reopen_complaint, ReopenComplaint(complaint_id=call.arguments.ticket, reason=call.arguments.reason)
    )
    return changed(call, done, "reopened")


_LIST = Command(
    "list",
    "list complaints with the requests they are about",
    (
        "goldrank complaints",
        "goldrank complaints list --state new --state linked",
        "goldrank complaints --owner mara --json",
    ),
    _add_list,
    _list,
)

COMPLAINTS = Group(
    name="complaints",
    summary="list, add, import, link and close complaints; find their requests",
    commands=(
        _LIST,
        Command(
            "add",
            "store a ticket",
            (
                'goldrank complaints add "it told me 14 days" --id T-1042 --user u-17',
                "goldrank complaints add - < ticket.txt",
            ),
            _add_add,
            _add,
            "It is linked where its text holds the id of exactly one request.",
        ),
        Command(
            "import",
            "read tickets from a help desk's export",
            ("goldrank complaints import tickets.csv", "goldrank complaints import export.jsonl --column text=Problem"),
            _add_import,
            _import,
            "The same file again changes nothing.",
        ),
        Command(
            "show",
            "show one complaint",
            ("goldrank complaints show T-1042",),
            _add_show,
            _show,
        ),
        FIND,
        Command(
            "link",
            "link a complaint to the request it is about",
            ("goldrank complaints link T-1042 7f3a9c12", "goldrank complaints link T-1042 --remove"),
            _add_link,
            _link,
        ),
        Command(
            "assign",
            "say who looks after a complaint",
            ("goldrank complaints assign T-1042 mara", "goldrank complaints assign T-1042"),
            _add_assign,
            _assign,
        ),
        Command(
            "note",
            "write a note on a complaint",
            ('goldrank complaints note T-1042 "asked for a screenshot"',),
            _add_note,
            _note,
        ),
        CLOSE,
        Command(
            "reopen",
            "open a closed complaint again",
            ('goldrank complaints reopen T-1042 --reason "it came back"',),
            _add_reopen,
            _reopen,
        ),
    ),
    default=_LIST,
)
