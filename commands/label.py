"""`goldrank label`: say which passage should have answered; find it, mark it, take it back."""

from __future__ import annotations

from argparse import Action, ArgumentParser, Namespace
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..actions import (
    LabelsSaved,
    NewLabel,
    RemoveLabel,
    SaveLabels,
    SearchChunks,
    ShowRequest,
    UndoLabel,
    remove_label,
    save_labels,
    search_chunks,
    show,
    target_name,
    undo_label,
)
from ..actions.passages import named_target
from ..model import Judgement, Label, NotFound, UsageError
from ..store import ChunkQuery
from .arguments import add_request, add_who, positive, request_text
from .command import NOTHING, OK, Call, Command
from .show_text import label_line
from .table import Column


class Mark(NamedTuple):
    """One passage as it was named on the command line."""

    option: str
    """--gold, --or, --not-relevant or --forbidden."""
    name: str


class _AddMark(Action):
    """Keeps the order of the marks: --or belongs to the --gold before it."""

    def __call__(
        self,
        parser: ArgumentParser,
        namespace: Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        marks = [*getattr(namespace, "marks", ()), Mark(option_string or "", str(values))]
        if option_string == "--or" and all(mark.option != "--gold" for mark in marks):
            parser.error("--or names an alternative to the --gold before it")
        namespace.marks = marks


def add_arguments(parser: ArgumentParser) -> None:
    """What is said about which passages."""
    add_request(parser)
    marks = parser.add_argument_group("marks", "CHUNK is a chunk id, or doc:ID for a whole document")
    helps = {
        "--gold": "it should have answered; several are all needed",
        "--or": "another passage that would have done as well as the --gold before it",
        "--not-relevant": "it does not answer",
        "--forbidden": "this user must not see it",
    }
    for option, text in helps.items():
        marks.add_argument(option, action=_AddMark, dest="marks", default=[], metavar="CHUNK", help=text)
    marks.add_argument("--grade", type=int, choices=(1, 2, 3, 4), default=1, help="how good the golds are (default 1)")
    marks.add_argument("--quote", metavar="SENTENCE", help="the sentence of the gold that answers")
    others = parser.add_argument_group("instead of a mark")
    others.add_argument("--find", metavar="WORDS", help="look for the passage, and see where it stood")
    others.add_argument("--remove", metavar="CHUNK", help="take the label of this passage back")
    others.add_argument("--undo", action="store_true", help="take the newest change back")
    others.add_argument("--limit", type=positive, default=10, metavar="N", help="with --find: at most so many")
    add_who(parser)
    parser.add_argument("--json", action="store_true", help="as JSON, for other programs")


def run(call: Call) -> int:
    """Does the one thing that was asked for; without any, lists the labels."""
    arguments = call.arguments
    chosen = [bool(arguments.marks), arguments.find is not None, arguments.remove is not None, arguments.undo]
    if sum(chosen) > 1:
        raise UsageError("One thing at a time: marks, --find, --remove or --undo.")
    request_id = request_text(call)
    if arguments.find is not None:
        return _find(call, request_id)
    if arguments.marks:
        return _saved(call, call.perform(save_labels, SaveLabels(request_id=request_id, labels=_new_labels(arguments))))
    if arguments.undo:
        return _saved(call, call.perform(undo_label, UndoLabel(request_id=request_id)))
    labels = call.perform(show, ShowRequest(request=request_id))
    own = tuple(label for label in labels.labels if not label.inherited)
    if arguments.remove is not None:
        label_id = _label_id(own, arguments.remove)
        return _saved(call, call.perform(remove_label, RemoveLabel(request_id=request_id, label_id=label_id)))
    if len(arguments.request) > 1:
        words = " ".join(arguments.request)
        call.terminal.note(f"Nothing was marked: {words!r} names the request. --gold CHUNK marks a passage.")
    headline = labels.diagnosis.headline
    return _saved(call, LabelsSaved(labels=own, verdict=headline.verdict.value, sentence=headline.sentence))


def _new_labels(arguments: Namespace) -> tuple[NewLabel, ...]:
    """Golds are numbered here only where --or makes alternatives; else each gets a number of its own."""
    numbered = any(mark.option == "--or" for mark in arguments.marks)
    labels, number = [], 0
    for mark in arguments.marks:
        number += mark.option == "--gold"
        gold = mark.option in {"--gold", "--or"}
        target = named_target(mark.name)
        if gold and arguments.quote:
            target = target.model_copy(update={"quote": arguments.quote})
        labels.append(
            NewLabel(
                judgement=Judgement.GOLD if gold else Judgement(mark.option.removeprefix("--").replace("-", "_")),
                target=target,
                grade=arguments.grade,
                evidence=number if gold and numbered else None,
            )
        )
    return tuple(labels)


def _label_id(labels: tuple[Label, ...], name: str) -> str:
    found = next((label.label_id for label in labels if target_name(label.target) == name), None)
    if found is None:
        there = ", ".join(target_name(label.target) for label in labels) or "none"
        raise NotFound(f"This request has no label of its own for {name}; it has: {there}.")
    return found


def _saved(call: Call, saved: LabelsSaved) -> int:
    if call.arguments.json:
        call.terminal.json(saved)
        return OK
    call.terminal.line(saved.sentence)
    for label in saved.labels:
        call.terminal.line(f"  {label_line(label)}")
    if not saved.labels:
        call.terminal.line("  no label of its own")
    for warning in saved.warnings:
        call.terminal.note(warning)
    return OK


def _find(call: Call, request_id: str) -> int:
    query = ChunkQuery(text=call.arguments.find, limit=call.arguments.limit)
    found = call.perform(search_chunks, SearchChunks(request_id=request_id, query=query))
    if call.arguments.json:
        call.terminal.json(found)
        return OK if found.rows else NOTHING
    if not found.rows:
        call.terminal.note(f"Nothing of {found.searched:,} chunks fits. Fewer words find more.")
        return NOTHING
    columns = (Column("chunk"), Column("stood", shrinks=True), Column("label"), Column("text", shrinks=True))
    rows = [
        (
            row.chunk.chunk_id,
            row.stood,
            "" if row.label is None else row.label.judgement.value.replace("_", " "),
            " ".join((row.chunk.text or "").split())[:200],
        )
        for row in found.rows
    ]
    call.terminal.table(columns, rows)
    call.terminal.line(f"{len(rows):,} of {found.matching:,} found in {found.searched:,} chunks")
    return OK


LABEL = Command(
    name="label",
    summary="say which passage should have answered a request",
    description="Marks passages, or finds them. Without marks it lists the request's labels.",
    examples=(
        'goldrank label 7f3a9c12 --find "two weeks to return"',
        "goldrank label 7f3a9c12 --gold refunds#2",
        "goldrank label 7f3a9c12 --gold move#1 --gold move#2 --or faq#9 --forbidden doc:internal",
        "goldrank label 7f3a9c12 --undo",
    ),
    add_arguments=add_arguments,
    run=run,
)
