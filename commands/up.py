"""`goldrank up`: the dashboard, with the ingester beside it."""

from __future__ import annotations

from argparse import ArgumentParser

from .command import OK, Call, Command

DEFAULT_PORT = 8501


def add_arguments(parser: ArgumentParser) -> None:
    """Where it listens."""
    parser.add_argument(
        "--port",
        type=int,
        default=DEFAULT_PORT,
        help=f"on this machine only; 0 takes a free one (default {DEFAULT_PORT})",
    )
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser")


def run(call: Call) -> int:
    """Runs until it is stopped."""
    from ..dashboard.hub import serve

    serve(call.directory, port=call.arguments.port, open_browser=not call.arguments.no_browser)
    return OK


UP = Command(
    name="up",
    summary="open the dashboard, and read what apps record while it runs",
    description="Listens on this machine only. Stop it with Ctrl-C; every other command works while it runs.",
    examples=("goldrank up", "goldrank up --directory /var/lib/bot/.goldrank --port 8600 --no-browser"),
    add_arguments=add_arguments,
    run=run,
)
