"""`goldrank corpus`: what index versions hold."""

from __future__ import annotations

from argparse import ArgumentParser

from ..actions import AddCorpus, AskStatus, add_corpus, status
from .arguments import read_file
from .command import NOTHING, OK, Call, Command, Group
from .table import Column, many
from .times import local_time


def _add_add(parser: ArgumentParser) -> None:
    parser.add_argument(
        "file",
        metavar="FILE",
        help="JSON lines, a chunk each: id (or chunk_id), text, doc_id, metadata, section_path, parent_id, "
        "previous_id, next_id; - reads them from stdin",
    )
    parser.add_argument("--app", required=True, metavar="NAME", help="the app whose retrievers search it")
    parser.add_argument("--index", required=True, metavar="NAME", help="the name that the app gives the index")
    parser.add_argument("--version", required=True, metavar="TEXT", help="the build of the index")
    parser.add_argument(
        "--environment", default="", metavar="NAME", help="the deployment environment, where indexes differ by it"
    )
    parser.add_argument("--json", action="store_true", help="as JSON, for other programs")


def _add(call: Call) -> int:
    arguments = call.arguments
    ask = AddCorpus(
        text=read_file(arguments.file),
        source=arguments.file,
        app=arguments.app,
        environment=arguments.environment,
        index=arguments.index,
        version=arguments.version,
    )
    call.terminal.progress(f"{arguments.file}: loading")
    done = call.perform(add_corpus, ask, create=True)
    if arguments.json:
        call.terminal.json(done)
    else:
        held = f"{many(done.chunks, 'chunk')} of {many(done.documents, 'document')}"
        call.terminal.line(f"{held}: {done.index} {done.version} of {done.app}")
        if done.reexamined:
            call.terminal.line(f"Judged anew: {many(done.reexamined, 'labelled request')}.")
    return OK


def _add_list(parser: ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="as JSON, for other programs")


def _list(call: Call) -> int:
    state = call.perform(status, AskStatus())
    if call.arguments.json:
        call.terminal.raw("".join(f"{corpus.model_dump_json()}\n" for corpus in state.corpora))
    elif state.corpora:
        columns = (
            Column("app"),
            Column("index"),
            Column("version", shrinks=True),
            Column("chunks", right=True),
            Column("complete"),
            Column("loaded"),
        )
        rows = [
            (
                one.app,
                one.index,
                one.version,
                f"{one.chunks:,}",
                "yes" if one.complete else "no",
                local_time(one.loaded_ns),
            )
            for one in state.corpora
        ]
        call.terminal.table(columns, rows)
    else:
        call.terminal.note('No corpus is known, so "in the corpus?" cannot be answered: goldrank corpus add FILE')
    return OK if state.corpora else NOTHING


CORPUS = Group(
    name="corpus",
    summary="say what an index version holds",
    commands=(
        Command(
            "add",
            "load the chunks of an index version",
            ("goldrank corpus add chunks.jsonl --app support-bot --index docs --version 2026-11-30",),
            _add_add,
            _add,
            description='With it "in the corpus?" is yes or no, and search finds chunks that were never retrieved.',
        ),
        Command("list", "list the index versions that are known", ("goldrank corpus list",), _add_list, _list),
    ),
)
