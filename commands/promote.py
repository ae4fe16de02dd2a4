"""`goldrank promote`: a request becomes a case of an eval set."""

from __future__ import annotations

from argparse import ArgumentParser

from ..actions import Difference, OnConflict, Promote, Promoted, PromoteOutcome, promote
from .arguments import add_request, add_who, request_text
from .command import NOTHING, OK, Call, Command
from .table import many
from .times import local_time

_CHOICES = {
    "ask": OnConflict.ASK,
    "replace": OnConflict.REPLACE,
    "either": OnConflict.EITHER_COUNTS,
    "keep": OnConflict.KEEP_FIRST,
}


def add_arguments(parser: ArgumentParser) -> None:
    """What the case says beside what was recorded."""
    add_request(parser)
    parser.add_argument("--set", default="", metavar="NAME", help="eval set; by default the app's name")
    parser.add_argument("--kind", metavar="WORD", help="what kind of question it is, in your words")
    parser.add_argument("--question", metavar="TEXT", help="instead of the recorded question")
    parser.add_argument("--standalone", metavar="TEXT", help="the question as a text that needs no history")
    parser.add_argument(
        "--expect", action="append", default=[], metavar="PHRASE", help="a right answer contains this; may be repeated"
    )
    parser.add_argument("--ticket", metavar="ID", help="the ticket it came from; by default the linked complaint")
    parser.add_argument("--note", metavar="TEXT", help="a remark, kept with the case")
    parser.add_argument(
        "--on-conflict",
        choices=list(_CHOICES),
        default="ask",
        help="what to do when the set holds the question with other labels: tell and store nothing (ask, the "
        "default), replace them, let either count, or keep the first",
    )
    add_who(parser)
    parser.add_argument("--json", action="store_true", help="as JSON, for other programs")


def run(call: Call) -> int:
    """Exit code 1 where a person has to decide first."""
    arguments = call.arguments
    done = call.perform(
        promote,
        Promote(
            request_id=request_text(call),
            eval_set=arguments.set,
            kind=arguments.kind,
            question=arguments.question,
            standalone=arguments.standalone,
            expected_answer_contains=tuple(arguments.expect),
            ticket=arguments.ticket,
            note=arguments.note,
            on_conflict=_CHOICES[arguments.on_conflict],
        ),
    )
    if arguments.json:
        call.terminal.json(done)
    else:
        _tell(call, done)
    return NOTHING if done.outcome is PromoteOutcome.CONFLICT else OK


def _tell(call: Call, done: Promoted) -> None:
    terminal, case = call.terminal, done.case
    if done.conflict is not None:
        held, offered = done.conflict
        terminal.line(f"Nothing was stored: the set {case.eval_set} holds this question with other labels.")
        terminal.line(f"  in the set (case {case.case_id}): {_side(held)}")
        terminal.line(f"  in this request:{' ' * (len(case.case_id) + 1)}     {_side(offered)}")
        terminal.line("Decide with --on-conflict replace, either or keep.")
    else:
        terminal.line(f"{done.outcome.value.capitalize()}: case {case.case_id} in the set {case.eval_set}.")
        terminal.line(f"  {case.question}")
        terminal.line(f"  from {many(len(case.source_requests), 'request')}, {many(len(case.labels), 'label')}")
    for warning in done.warnings:
        terminal.note(warning)


def _side(side: Difference) -> str:
    parts = [f"gold {', '.join(side.gold) or 'none'}"]
    if side.forbidden:
        parts.append(f"forbidden {', '.join(side.forbidden)}")
    if side.not_relevant:
        parts.append(f"not relevant {', '.join(side.not_relevant)}")
    return f"{'; '.join(parts)} ({side.who}, {local_time(side.at_ns)})"


PROMOTE = Command(
    name="promote",
    summary="put a labelled request into an eval set",
    description="The same question again is the same case: promoting twice changes nothing.",
    examples=(
        "goldrank promote 7f3a9c12",
        'goldrank promote 7f3a9c12 --set refunds --expect "30 days" --ticket T-2210',
        "goldrank promote 7f3a9c12 --on-conflict either",
    ),
    add_arguments=add_arguments,
    run=run,
)
