"""`goldrank steps`: a recorded request stage by stage."""

from __future__ import annotations

from argparse import ArgumentParser

from ..actions import ShowRequest
from ..actions.steps import steps
from ..model.step import Step
from .arguments import add_request, request_text
from .command import NOTHING, OK, Call, Command
from .table import Column

_COLUMNS = (
    Column("step", right=True),
    Column("stage"),
    Column("kind"),
    Column("gold"),
    Column("ms", right=True),
    Column("what it did", shrinks=True),
)


def add_arguments(parser: ArgumentParser) -> None:
    """Which request, with which golds."""
    add_request(parser)
    parser.add_argument(
        "--gold", action="append", default=[], metavar="CHUNK", help="look at this chunk as gold; may be repeated"
    )
    parser.add_argument("--json", action="store_true", help="as JSON, for other programs")


def run(call: Call) -> int:
    """Exit code 1 where no stage was recorded."""
    answer = call.perform(steps, ShowRequest(request=request_text(call), gold=tuple(call.arguments.gold)))
    if call.arguments.json:
        call.terminal.json(answer)
        return OK if answer.steps else NOTHING
    if not answer.steps:
        call.terminal.note("No stage of this request was recorded. Decorate its steps: docs/recording.md shows how.")
        return NOTHING
    call.terminal.table(_COLUMNS, [_cells(step) for step in answer.steps])
    call.terminal.line(answer.headline.sentence)
    return OK


def _cells(step: Step) -> tuple[str, ...]:
    return (
        str(step.number),
        step.name,
        step.kind.value,
        " ".join(gold.place for gold in step.golds),
        "" if not step.took_ms else f"{step.took_ms:,.0f}",
        step.error or step.sentence,
    )


STEPS = Command(
    name="steps",
    summary="one request stage by stage, from what was recorded",
    examples=("goldrank steps 7f3a9c12", "goldrank steps 7f3a9c12 --gold refunds#2"),
    add_arguments=add_arguments,
    run=run,
)
