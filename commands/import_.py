"""`goldrank import`: what people have already: logs, OTLP files, exports of other tools, TREC runs."""

from __future__ import annotations

import re
import sys
from argparse import ArgumentParser
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from ..model import UsageError
from .arguments import add_who, positive
from .command import NOTHING, OK, Call, Command
from .import_text import MappingTable, say_done, say_rows
from .zone import local_zone

if TYPE_CHECKING:
    from ..actions.import_files import ImportFiles

_FORMS: Final = ("rows", "otlp", "phoenix", "langfuse", "langsmith", "mlflow")
_BETWEEN_PAIRS: Final = re.compile(r",(?=[\w.]+=)")


def add_arguments(parser: ArgumentParser) -> None:
    """What to import, and how to read it."""
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="files and folders, plain, gzip or zstd; - reads stdin"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="show how the columns are read and three rows; store nothing"
    )
    parser.add_argument(
        "--rows", type=positive, default=3, metavar="N", help="how many rows --dry-run shows (default 3)"
    )
    parser.add_argument(
        "--map",
        action="append",
        default=[],
        metavar="FIELD=COLUMN",
        help="which column holds a field, several times or with commas: question=query,bm25.hits=results[].id",
    )
    parser.add_argument(
        "--mapping", metavar="FILE", help="the same as a TOML or JSON file, with a table for each stage"
    )
    parser.add_argument("--no-guess", action="store_true", help="read nothing but the columns that are declared")
    parser.add_argument("--format", choices=_FORMS, help="what the files are; by default seen by their content")
    parser.add_argument("--app", default="", help="for requests that name no app")
    parser.add_argument("--environment", default="", help="for requests that name none")
    parser.add_argument("--zone", default="", help="of times without one, as Europe/Berlin; by default your own")
    parser.add_argument("--encoding", default="", help="of text files, as cp1252; by default UTF-8")
    trec = parser.add_argument_group("TREC")
    trec.add_argument(
        "--trec-run",
        action="append",
        default=[],
        metavar="FILE",
        help="a run; its name is the stage's, NAME=FILE says another one; several times: several stages",
    )
    trec.add_argument("--qrels", default="", metavar="FILE", help="what should have been found: labels")
    trec.add_argument("--queries", default="", metavar="FILE", help="ids and questions: id, tab, text, or JSON lines")
    trec.add_argument("--corpus", default="", metavar="FILE", help="ids and texts of the documents, in the same forms")
    parser.add_argument(
        "--needs",
        choices=("any", "all"),
        help="of several passages that should have been found; by default any of qrels, and all of a log's",
    )
    add_who(parser)
    parser.add_argument("--json", action="store_true", help="as JSON, for other programs")


def run(call: Call) -> int:
    """Shows what would be imported, or imports it."""
    ask = _ask(call)
    return _preview(call, ask) if call.arguments.dry_run else _import(call, ask)


def _preview(call: Call, ask: ImportFiles) -> int:
    from ..actions.import_files import preview_files

    table = MappingTable(call.terminal)
    for seen in preview_files(ask, _stdin, rows=call.arguments.rows):
        if call.arguments.json:
            call.terminal.json(seen)
            continue
        if seen.skipped:
            call.terminal.note(seen.skipped)
            continue
        table.show(seen)
        say_rows(call.terminal, seen)
    if not call.arguments.json:
        call.terminal.note("Nothing was stored: this was a dry run.")
    return OK


def _import(call: Call, ask: ImportFiles) -> int:
    from ..actions import Folder
    from ..actions.import_files import Watcher, import_files

    folder = Folder(call.directory)
    table = MappingTable(call.terminal)
    seen = (lambda _file: None) if call.arguments.json else table.show
    with call.session(create=True) as session:
        folder.make()
        done = import_files(session, folder.spool, ask, _stdin, Watcher(seen=seen, tell=call.terminal.progress))
    if call.arguments.json:
        call.terminal.json(done)
    else:
        say_done(call.terminal, done)
    return NOTHING if done.bad or done.labels_refused else OK


def _ask(call: Call) -> ImportFiles:
    from ..actions.import_files import ImportFiles
    from ..collectors.importing.forms import Form

    arguments = call.arguments
    if not arguments.paths and not arguments.trec_run:
        raise UsageError("Name what to import: goldrank import requests.jsonl, or --trec-run run.txt.")
    if not arguments.trec_run and (arguments.qrels or arguments.queries or arguments.corpus):
        raise UsageError("--qrels, --queries and --corpus belong to a run: --trec-run FILE.")
    return ImportFiles(
        paths=tuple(arguments.paths),
        form=Form(arguments.format) if arguments.format else None,
        mapping={**_mapping_file(arguments.mapping), **_pairs(arguments.map)},
        guess=not arguments.no_guess,
        app=arguments.app,
        environment=arguments.environment,
        zone=arguments.zone or local_zone(),
        encoding=arguments.encoding,
        alternatives=None if arguments.needs is None else arguments.needs == "any",
        trec_runs=tuple(arguments.trec_run),
        qrels=arguments.qrels,
        queries=arguments.queries,
        corpus=arguments.corpus,
    )


def _pairs(given: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in given:
        for pair in _BETWEEN_PAIRS.split(text):
            field, equals, column = pair.partition("=")
            if not (field.strip() and equals):
                raise UsageError(f"--map takes FIELD=COLUMN, as in --map question=query; {pair!r} was given.")
            found[field.strip()] = column
    return found


def _mapping_file(name: str | None) -> dict[str, Any]:
    """A mapping as TOML, or as JSON."""
    if name is None:
        return {}
    import json
    import tomllib

    from .arguments import read_file

    text = read_file(name)
    try:
        found = json.loads(text) if text.lstrip().startswith("{") else tomllib.loads(text)
    except (json.JSONDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{name} is no TOML and no JSON: {error}.") from error
    return dict(found)


def _stdin() -> BinaryIO:
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("- reads the file from stdin: pipe it in, or name a file.")
    return sys.stdin.buffer


IMPORT = Command(
    name="import",
    summary="read logs, OTLP files, exports of other tools and TREC runs",
    examples=(
        "goldrank import requests.jsonl --dry-run",
        "goldrank import logs/ --map question=query,bm25.hits=bm25_ids --app support-bot",
        "goldrank import --trec-run bm25.run --qrels qrels.txt --queries queries.tsv",
    ),
    add_arguments=add_arguments,
    run=run,
    description="Which column is taken for what is always shown. The same file again changes nothing.",
)
