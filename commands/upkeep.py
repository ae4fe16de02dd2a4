"""Commands that look after the data: ingest, reindex, status, sql, snapshot."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from .arguments import positive, read_stdin
from .command import NOTHING, OK, Call, Command
from .sizes import size_text
from .table import Column, counted, many
from .times import local_time

if TYPE_CHECKING:
    from ..actions import Status

_RECEIVED: Final = {"requests": "messages"}
"""A request over the network is a message here: a request is a user's question."""


def _only_json(parser: ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="as JSON, for other programs")


def _ingest(call: Call) -> int:
    from ..actions import Ingest, ingest

    done = call.perform(ingest, Ingest())
    if call.arguments.json:
        call.terminal.json(done)
    else:
        read = many(done.frames_read, "frame")
        call.terminal.line(f"{read} read; {many(done.requests, 'request')} in the store.")
    if done.frames_bad:
        call.terminal.note(f"Could not be read and set aside: {many(done.frames_bad, 'frame')}; see goldrank status.")
    if done.message:
        call.terminal.note(done.message)
    return OK


def _reindex(call: Call) -> int:
    from ..actions import Reindex, reindex

    done = call.perform(reindex, Reindex())
    if call.arguments.json:
        call.terminal.json(done)
    else:
        call.terminal.line(f"Read again from stored spans: {many(done.composed, 'request')}.")
        call.terminal.line(f"Judged anew: {many(done.requests, 'labelled request')}.")
    return OK


def _status(call: Call) -> int:
    from ..actions import AskStatus, status

    state = call.perform(status, AskStatus())
    if call.arguments.json:
        call.terminal.json(state)
        return OK
    for name, value in _facts(state).items():
        call.terminal.line(f"{name:<9} {value}")
    for name, value in _receivers(state):
        call.terminal.line(f"{name:<9} {value}")
    for trouble in state.troubles:
        call.terminal.line()
        call.terminal.line(trouble.what)
        call.terminal.line(f"  {trouble.remedy}")
    if not state.troubles:
        call.terminal.line("No trouble is known.")
    return OK


def _facts(state: Status) -> dict[str, str]:
    hub = "none runs"
    if state.hub is not None:
        hub = f"{state.hub.get('url')} (PID {state.hub.get('pid')})"
    ingester = "none runs; goldrank ingest reads the spool"
    if state.ingester.running:
        commit = state.ingester.last_commit_ns
        ingester = f"reading; last commit {local_time(commit, seconds=True) if commit else 'none yet'}"
    spool = (
        f"{many(state.spool_segments, 'segment')}, {size_text(state.spool_bytes)}, {state.spool_unread:,} not read yet"
    )
    rows = ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in state.rows.items() if count)
    return {
        "spool": f"{state.spool} ({spool})",
        "store": f"{state.store} ({size_text(state.store_bytes)}, schema {state.schema_version})",
        "holds": rows or "nothing yet",
        "hub": hub,
        "ingester": ingester,
        "hides": ", ".join(state.redaction) or "nothing of what people write; GOLDRANK_REDACT says what it should",
    }


def _receivers(state: Status) -> Iterator[tuple[str, str]]:
    """One line for each: what it took, what it refused, and when it last said so."""
    for one in state.receivers:
        taken = [
            size_text(count) if what == "bytes" else counted(count, _RECEIVED.get(what, what))
            for what, count in one.received.items()
        ]
        refused = [f"{count:,} {reason}" for reason, count in one.refused.items()]
        said = f"took {', '.join(taken) or 'nothing'}; refused {', '.join(refused) or 'nothing'}"
        yield "receiver", f"{one.receiver}: {said} (until {local_time(one.last_ns, seconds=True)})"


def _add_sql(parser: ArgumentParser) -> None:
    parser.add_argument("query", metavar="QUERY", help="one statement that reads; - reads it from stdin")
    parser.add_argument("--limit", type=positive, default=1000, metavar="N", help="at most so many rows (default 1000)")
    parser.add_argument("--json", action="store_true", help="as JSON, for other programs")


def _sql(call: Call) -> int:
    from ..actions import QuerySql, query_sql

    query = call.arguments.query
    ask = QuerySql(sql=read_stdin("the query") if query == "-" else query, limit=call.arguments.limit)
    answer = call.perform(query_sql, ask)
    if call.arguments.json:
        call.terminal.json(answer)
    else:
        columns = [Column(name, shrinks=True) for name in answer.columns]
        call.terminal.table(columns, [["" if cell is None else str(cell) for cell in row] for row in answer.rows])
    if answer.more:
        call.terminal.note(f"There are more rows than {len(answer.rows):,}: --limit N shows more.")
    return OK if answer.rows else NOTHING


def _add_snapshot(parser: ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="where the copy goes")
    parser.add_argument("--overwrite", action="store_true", help="replace a file that is there")
    parser.add_argument("--json", action="store_true", help="as JSON, for other programs")


def _snapshot(call: Call) -> int:
    from ..actions import Snapshot, snapshot

    target = Path(call.arguments.file).expanduser().absolute()
    made = call.perform(snapshot, Snapshot(target=str(target), overwrite=call.arguments.overwrite))
    if call.arguments.json:
        call.terminal.json(made)
    else:
        call.terminal.line(f"{made.path} ({size_text(made.size)}): open it with any DuckDB, also while a hub runs.")
    return OK


INGEST = Command(
    "ingest",
    "read what apps have recorded into the store",
    ("goldrank ingest", "goldrank ingest --directory /var/lib/bot/.goldrank"),
    _only_json,
    _ingest,
    description="While a hub runs it reads by itself; this waits until everything recorded so far is stored.",
)
REINDEX = Command(
    "reindex",
    "make everything that is derived anew from the stored spans, for instance after an upgrade",
    ("goldrank reindex",),
    _only_json,
    _reindex,
)
STATUS = Command(
    "status",
    "say where the data is, what was lost, and what to do about it",
    ("goldrank status", "goldrank status --json"),
    _only_json,
    _status,
)
SQL = Command(
    "sql",
    "ask the store in SQL, reading only",
    ('goldrank sql "select verdict, count(*) from request_states group by all"', "goldrank sql 'show tables' --json"),
    _add_sql,
    _sql,
)
SNAPSHOT = Command(
    "snapshot",
    "copy the store into a file that other programs can open",
    ("goldrank snapshot /tmp/look.duckdb", "goldrank snapshot backup.duckdb --overwrite"),
    _add_snapshot,
    _snapshot,
)
