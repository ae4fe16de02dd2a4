"""`goldrank cases`: list, show, export, import and archive eval cases."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

from ..actions import (
    ArchiveCase,
    CaseState,
    ExportCases,
    ImportCases,
    ListCases,
    OpenCase,
    archive_case,
    export_cases,
    import_cases,
    list_cases,
    open_case,
)
from ..actions.case_merge import gold_names
from ..evals import write_case
from ..model import Refused, UsageError
from ..store import CaseFilter
from .arguments import add_page, add_who, read_file
from .command import NOTHING, OK, Call, Command, Group
from .table import Column, many
from .times import local_time

_COLUMNS = (
    Column("case"),
    Column("set", shrinks=True),
    Column("question", shrinks=True),
    Column("gold", shrinks=True),
    Column("lost at", shrinks=True),
    Column("stale", shrinks=True),
    Column("by", shrinks=True),
    Column("created"),
)


def _add_filter(parser: ArgumentParser) -> None:
    parser.add_argument("words", nargs="*", metavar="WORD", help="every word must be in the case")
    parser.add_argument("--set", default="", metavar="NAME", help="only this eval set")
    parser.add_argument("--app", default="", metavar="NAME", help="only this app's cases")
    archived = parser.add_mutually_exclusive_group()
    archived.add_argument("--archived", action="store_const", const=True, default=False, help="only archived ones")
    archived.add_argument("--all", action="store_const", const=None, dest="archived", help="archived ones too")


def _filter(call: Call) -> CaseFilter:
    arguments = call.arguments
    return CaseFilter(
        eval_set=arguments.set, app=arguments.app, words=" ".join(arguments.words), archived=arguments.archived
    )


def _add_list(parser: ArgumentParser) -> None:
    _add_filter(parser)
    add_page(parser, limit=50)
    parser.add_argument("--json", action="store_true", help="as JSON, for other programs")


def _list(call: Call) -> int:
    ask = ListCases(which=_filter(call), limit=call.arguments.limit, offset=call.arguments.offset)
    page = call.perform(list_cases, ask)
    if call.arguments.json:
        call.terminal.json(page)
        return OK if page.rows else NOTHING
    if not page.rows:
        call.terminal.note(
            "No case fits." if page.sets else "There is no case yet: goldrank promote REQUEST makes one."
        )
        return NOTHING
    call.terminal.table(_COLUMNS, [_cells(state) for state in page.rows])
    sets = ", ".join(f"{name} {count:,}" for name, count in page.sets.items())
    call.terminal.line(f"{len(page.rows):,} of {page.matching:,} cases · sets: {sets}")
    return OK


def _cells(state: CaseState) -> tuple[str, ...]:
    case = state.case
    marks = [*state.stale, *state.relinked, *(["archived"] if case.archived else [])]
    return (
        case.case_id,
        case.eval_set,
        case.question,
        ", ".join(gold_names(case.labels)),
        case.failing_stage or "",
        ", ".join(marks),
        case.author,
        local_time(case.created_ns),
    )


def _add_show(parser: ArgumentParser) -> None:
    parser.add_argument("case", metavar="CASE", help="its id, or the first digits of it")
    parser.add_argument("--json", action="store_true", help="as the JSON line of an export")


def _show(call: Call) -> int:
    state = call.perform(open_case, OpenCase(case_id=call.arguments.case))
    case = state.case
    if call.arguments.json:
        call.terminal.raw(write_case(case) + "\n")
        return OK
    facts = {
        "case": f"{case.case_id}, revision {case.revision}{', archived' if case.archived else ''}",
        "set": case.eval_set,
        "question": case.question,
        "standalone": case.standalone,
        "history": f"{len(case.history)} messages" if case.history else None,
        "gold": ", ".join(gold_names(case.labels)),
        "expected": ", ".join(case.expected_answer_contains),
        "origin": f"{case.origin.value}{f', ticket {case.ticket}' if case.ticket else ''}",
        "requests": ", ".join(case.source_requests),
        "lost": ", ".join(one for one in (case.verdict, case.failing_stage) if one),
        "stale": ", ".join((*state.stale, *state.relinked)),
        "note": case.note,
        "by": f"{case.author}, {local_time(case.created_ns)}",
    }
    for name, value in facts.items():
        if value:
            call.terminal.line(f"{name:<10} {value}")
    return OK


def _add_export(parser: ArgumentParser) -> None:
    parser.add_argument("words", nargs="*", metavar="WORD", help="every word must be in the case")
    parser.add_argument("--to", metavar="FILE", help="write into this file; by default stdout")
    parser.add_argument("--set", default="", metavar="NAME", help="only this eval set")
    parser.add_argument("--app", default="", metavar="NAME", help="only this app's cases")
    parser.add_argument(
        "--all", action="store_const", const=None, default=False, dest="archived", help="archived ones too"
    )


def _export(call: Call) -> int:
    exported = call.perform(export_cases, ExportCases(which=_filter(call)))
    target = call.arguments.to
    if target is None:
        call.terminal.raw(exported.text)
    else:
        _write(Path(target), exported.text)
        call.terminal.note(f"{many(exported.cases, 'case')} written to {target}")
    if not exported.cases:
        call.terminal.note("No case fits, so nothing was exported.")
        return NOTHING
    return OK


def _write(path: Path, text: str) -> None:
    """All of it or nothing: the old file stays until the new one is complete."""
    draft = path.with_name(f".{path.name}.part")
    try:
        draft.write_text(text, encoding="utf-8", newline="\n")
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise Refused(f"{path} cannot be written: {error.strerror}.") from error


def _add_import(parser: ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="JSON lines; - reads them from stdin")
    parser.add_argument("--set", default="", metavar="NAME", help="for lines that name no set; by default their app")
    parser.add_argument("--app", default="", metavar="NAME", help="for lines that name no app")
    add_who(parser)
    parser.add_argument("--json", action="store_true", help="as JSON, for other programs")


def _import(call: Call) -> int:
    arguments = call.arguments
    ask = ImportCases(text=read_file(arguments.file), source=arguments.file, eval_set=arguments.set, app=arguments.app)
    done = call.perform(import_cases, ask, create=True)
    if arguments.json:
        call.terminal.json(done)
    else:
        call.terminal.line(f"{done.created:,} created, {done.updated:,} updated, {done.unchanged:,} unchanged")
    for one in done.bad:
        call.terminal.note(f"{arguments.file} line {one.line}: {one.reason}")
    if not done.bad and not (done.created or done.updated or done.unchanged):
        raise UsageError(f"{arguments.file} holds no case; one JSON object a line was expected.")
    return NOTHING if done.bad else OK


def _add_archive(parser: ArgumentParser) -> None:
    parser.add_argument("case", metavar="CASE", help="its id, or the first digits of it")
    parser.add_argument("--restore", action="store_true", help="back into its set")
    add_who(parser)
    parser.add_argument("--json", action="store_true", help="as JSON, for other programs")


def _archive(call: Call) -> int:
    ask = ArchiveCase(case_id=call.arguments.case, archived=not call.arguments.restore)
    state = call.perform(archive_case, ask)
    if call.arguments.json:
        call.terminal.json(state)
    else:
        where = "out of" if state.case.archived else "in"
        call.terminal.line(f"Case {state.case.case_id} is {where} the set {state.case.eval_set}: {state.case.question}")
    return OK


CASES = Group(
    name="cases",
    summary="list, show, export, import and archive eval cases",
    commands=(
        Command(
            "list",
            "list cases",
            ("goldrank cases list", "goldrank cases list refund --set support-bot"),
            _add_list,
            _list,
        ),
        Command(
            "show", "show one case", ("goldrank cases show 4be1", "goldrank cases show 4be1 --json"), _add_show, _show
        ),
        Command(
            "export",
            "write cases as canonical JSON lines",
            ("goldrank cases export > golden.jsonl", "goldrank cases export --set support-bot --to golden.jsonl"),
            _add_export,
            _export,
        ),
        Command(
            "import",
            "read cases: an export, or another golden set with the same field names",
            ("goldrank cases import golden.jsonl", "goldrank cases import seeds.jsonl --set support-bot --app bot"),
            _add_import,
            _import,
        ),
        Command(
            "archive",
            "take a case out of its set; it is kept",
            ("goldrank cases archive 4be1", "goldrank cases archive 4be1 --restore"),
            _add_archive,
            _archive,
        ),
    ),
)
