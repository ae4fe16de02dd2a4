"""`goldrank up`: the dashboard, with the ingester beside it."""

from __future__ import annotations

from argparse import ArgumentParser

from .arguments import add_tls, add_who, port
from .command import Call, Command

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8501


def add_arguments(parser: ArgumentParser) -> None:
    """Where it listens."""
    parser.add_argument(
        "--port",
        type=port,
        default=DEFAULT_PORT,
        help=f"0 takes a free one (default {DEFAULT_PORT})",
    )
    parser.add_argument(
        "--host",
        default=DEFAULT_HOST,
        help=f"address to listen on (default {DEFAULT_HOST}: this machine only; elsewhere everybody can read)",
    )
    parser.add_argument(
        "--app",
        default="",
        metavar="APP",
        help="run requests again with this app: module:function, imported from here, or an address of replay_app",
    )
    parser.add_argument(
        "--grpc-port", type=port, metavar="PORT", help="receive OTLP by gRPC too (the usual port is 4317)"
    )
    add_tls(parser)
    add_who(parser)
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser")


def run(call: Call) -> int:
    """Runs until it is stopped; the hub's own exit code."""
    from ..collectors.receiving.tls import check_keys
    from ..dashboard.hub import serve

    arguments = call.arguments
    return serve(
        call.directory,
        host=arguments.host,
        port=arguments.port,
        open_browser=not arguments.no_browser,
        who=arguments.who,
        app=arguments.app,
        grpc_port=arguments.grpc_port,
        keys=check_keys(arguments.tls_cert, arguments.tls_key),
    )


UP = Command(
    name="up",
    summary="open the dashboard, and read what apps record while it runs",
    description="Listens on this machine only. Stop it with Ctrl-C; every other command works while it runs.",
    examples=(
        "goldrank up",
        "goldrank up --app bot.main:answer",
        "goldrank up --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem",
        "goldrank up --directory /var/lib/bot/.goldrank --port 8600 --no-browser",
    ),
    add_arguments=add_arguments,
    run=run,
)
