"""`goldrank compare`: two requests side by side."""

from __future__ import annotations

from argparse import ArgumentParser

from ..actions.compare import CompareRequests, compare
from ..actions.neighbour import FindNeighbour, find_neighbour
from .command import NOTHING, OK, Call, Command
from .replay_text import compared_lines


def add_arguments(parser: ArgumentParser) -> None:
    """Which two."""
    parser.add_argument("then", metavar="REQUEST", help="request id, or its first 8 digits")
    parser.add_argument(
        "now", nargs="?", metavar="OTHER", help="the second one; by default the nearest request that passes"
    )
    parser.add_argument("--json", action="store_true", help="as JSON, for other programs")


def run(call: Call) -> int:
    """Exit code 1 where no other request passes."""
    arguments = call.arguments
    other = arguments.now
    if other is None:
        found = call.perform(find_neighbour, FindNeighbour(request=arguments.then))
        if found.request_id is None:
            call.terminal.note(found.reason)
            return NOTHING
        call.terminal.note(f"compared with the nearest that passes: {found.reason}")
        other = found.request_id
    answer = call.perform(compare, CompareRequests(then=arguments.then, now=other))
    if arguments.json:
        call.terminal.json(answer)
    else:
        call.terminal.text("\n".join(compared_lines(answer)))
    return OK


COMPARE = Command(
    name="compare",
    summary="two requests side by side: what differs, stage by stage",
    description="Any two: a replay, the same question at another time, or a failure and the nearest that passes.",
    examples=("goldrank compare 7f3a9c12 1b2c3d4e", "goldrank compare 7f3a9c12"),
    add_arguments=add_arguments,
    run=run,
)
