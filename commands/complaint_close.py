"""`goldrank complaints close`: with a passing case, a replay, or a reason."""

from __future__ import annotations

from argparse import ArgumentParser

from ..actions import CloseComplaint, close_complaint
from ..model.complaint import ComplaintState
from .arguments import add_who
from .command import Call, Command
from .complaint_text import add_complaint_id, add_json, changed

_STATES = {
    "fixed": ComplaintState.FIXED,
    "not-reproducible": ComplaintState.NOT_REPRODUCIBLE,
    "not-answerable": ComplaintState.NOT_ANSWERABLE,
}


def _add_arguments(parser: ArgumentParser) -> None:
    add_complaint_id(parser)
    parser.add_argument("--as", dest="state", choices=list(_STATES), default="fixed", help="by default fixed")
    parser.add_argument("--case", default="", metavar="CASE", help="the case that passes now")
    parser.add_argument("--replay", default="", metavar="REQUEST", help="the replay that shows it")
    parser.add_argument("--reason", default="", help="why, in words")
    add_who(parser)
    add_json(parser)


def _run(call: Call) -> int:
    arguments = call.arguments
    ask = CloseComplaint(
        complaint_id=arguments.ticket,
        state=_STATES[arguments.state],
        case=arguments.case,
        replay=arguments.replay,
        reason=arguments.reason,
    )
    return changed(call, call.perform(close_complaint, ask), "closed")


CLOSE = Command(
    "close",
    "close a complaint",
    (
        "goldrank complaints close T-1042 --case 4be1",
        'goldrank complaints close T-1042 --as not-answerable --reason "no page says it"',
    ),
    _add_arguments,
    _run,
    "It needs a case that passes, a replay that shows it, or a reason.",
)
