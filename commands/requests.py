"""`goldrank requests`: the list, newest first."""

from __future__ import annotations

import time
from argparse import ArgumentParser, Namespace

from ..actions import FindRequests, find_requests
from ..model import Outcome, Verdict, short_id
from ..store import RequestFilter, RequestRow
from .arguments import add_page
from .command import NOTHING, OK, Call, Command
from .table import Column
from .times import local_time, parse_time, zone_name

_COLUMNS = (
    Column("request"),
    Column("time"),
    Column("question", shrinks=True),
    Column("verdict"),
    Column("gold path", shrinks=True),
    Column("complaint", shrinks=True),
    Column("app", shrinks=True),
    Column("ms", right=True),
)


def add_arguments(parser: ArgumentParser) -> None:
    """Filters; each one narrows the list."""
    parser.add_argument("words", nargs="*", metavar="WORD", help="every word must be in the question or the answer")
    parser.add_argument(
        "--user", default="", metavar="NAME", help="only this user's; upper and lower case are the same"
    )
    parser.add_argument("--app", default="", metavar="NAME", help="only this app's")
    parser.add_argument("--environment", default="", metavar="NAME", help="only those of this deployment environment")
    parser.add_argument("--outcome", choices=[one.value for one in Outcome], help="how the request ended")
    parser.add_argument(
        "--verdict",
        default="",
        choices=[one.value for one in Verdict],
        metavar="VERDICT",
        help=f"one of {', '.join(one.value for one in Verdict)}",
    )
    labelled = parser.add_mutually_exclusive_group()
    labelled.add_argument("--labelled", action="store_const", const=True, help="with labels, own or inherited")
    labelled.add_argument(
        "--unlabelled", action="store_const", const=False, dest="labelled", help="without any label, own or inherited"
    )
    parser.add_argument("--complained", action="store_const", const=True, help="with a ticket or a thumb down")
    parser.add_argument("--since", metavar="TIME", help="2026-11-30, 2026-11-30T09:12, or 2h, 3d, 1w ago")
    parser.add_argument("--until", metavar="TIME", help="the same; a bare day is included")
    add_page(parser, limit=25)
    parser.add_argument("--json", action="store_true", help="as JSON, for other programs")


def filter_of(arguments: Namespace, *, now_ns: int) -> RequestFilter:
    """The filter that the arguments say."""
    return RequestFilter(
        words=" ".join(arguments.words),
        user=arguments.user,
        app=arguments.app,
        environment=arguments.environment,
        outcome=arguments.outcome,
        verdict=arguments.verdict,
        labelled=arguments.labelled,
        complained=arguments.complained,
        since_ns=parse_time(arguments.since, now_ns=now_ns) if arguments.since else None,
        until_ns=parse_time(arguments.until, now_ns=now_ns, end_of_day=True) if arguments.until else None,
    )


def run(call: Call) -> int:
    """Exit code 1 where the filter lets nothing through."""
    arguments = call.arguments
    which = filter_of(arguments, now_ns=time.time_ns())
    page = call.perform(find_requests, FindRequests(which=which, limit=arguments.limit, offset=arguments.offset))
    if arguments.json:
        call.terminal.json(page)
        return OK if page.rows else NOTHING
    if not page.rows:
        call.terminal.note(_nothing(page.stored, page.matching))
        return NOTHING
    call.terminal.table(_COLUMNS, [_cells(row) for row in page.rows])
    shown = f"{len(page.rows):,} of {page.matching:,}"
    more = f" · {page.stored:,} stored" if page.matching != page.stored else ""
    call.terminal.line(f"{shown}{more} · newest first · times in {zone_name(page.rows[0].start_ns)}")
    return OK


def _nothing(stored: int, matching: int) -> str:
    if matching:
        return f"The list has {matching:,} requests; --offset is beyond its end."
    if stored:
        return f"None of the {stored:,} stored requests fits. Leave out a filter."
    return "No request is stored yet. `goldrank ingest` reads what apps have recorded; `goldrank status` says more."


def _cells(row: RequestRow) -> tuple[str, ...]:
    marks = " (incomplete)" if row.missing else ""
    verdict = "" if row.verdict == Verdict.NO_LABEL.value else row.verdict.replace("_", " ")
    return (
        short_id(row.request_id),
        local_time(row.start_ns),
        (row.question or "") + marks,
        verdict + (_origin(row) if row.inherited and verdict else ""),
        row.gold_path,
        ", ".join(row.complaints),
        row.app,
        "" if not row.duration_ms else f"{row.duration_ms:,.0f}",
    )


def _origin(row: RequestRow) -> str:
    return " (of the replayed)" if row.replay_of else " (from a case)"


REQUESTS = Command(
    name="requests",
    summary="list requests, newest first",
    examples=(
        "goldrank requests",
        "goldrank requests refund --verdict demoted --since 3d",
        "goldrank requests --complained --unlabelled --json",
    ),
    add_arguments=add_arguments,
    run=run,
)
