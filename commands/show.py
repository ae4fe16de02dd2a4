"""`goldrank show`: what became of the gold in one request."""

from __future__ import annotations

from argparse import ArgumentParser

from .arguments import add_request, request_text
from .command import OK, Call, Command

_EXAMPLES = (
    "goldrank show 7f3a9c12",
    "goldrank show 7f3a9c12 --gold refunds#2",
    'goldrank show 7f3a9c12 --gold doc:refunds --expect "30 days" --markdown',
    "goldrank show - < ticket.txt",
)


def add_arguments(parser: ArgumentParser) -> None:
    """Which request, with which golds, in which form."""
    add_request(parser)
    parser.add_argument(
        "--gold",
        action="append",
        default=[],
        metavar="CHUNK",
        help="look at this chunk (or doc:ID, a document) as gold, without saving a label; may be repeated",
    )
    parser.add_argument(
        "--expect", action="append", default=[], metavar="PHRASE", help="a right answer contains this; may be repeated"
    )
    parser.add_argument("--full", action="store_true", help="long texts in full")
    parser.add_argument("--markdown", action="store_true", help="as Markdown, for a ticket")
    parser.add_argument("--json", action="store_true", help="as JSON, for other programs")


def run(call: Call) -> int:
    """Prints the report in the form that was asked for."""
    from ..actions import ShowRequest, show

    arguments = call.arguments
    ask = ShowRequest(request=request_text(call), gold=tuple(arguments.gold), expect=tuple(arguments.expect))
    view = call.perform(show, ask)
    if arguments.json:
        call.terminal.json(view)
    elif arguments.markdown:
        from .show_markdown import show_markdown

        call.terminal.raw(show_markdown(view))
    else:
        from .show_text import show_text

        call.terminal.raw(show_text(view, width=call.terminal.width, full=arguments.full))
    return OK


SHOW = Command(
    name="show",
    summary="what became of the right passage in one request",
    description=(
        "The sentence, the gold's rank after every stage, and what cannot be told. Labels are the ones given with "
        "--gold, else the request's own, else those of a case with the same question."
    ),
    examples=_EXAMPLES,
    add_arguments=add_arguments,
    run=run,
)
