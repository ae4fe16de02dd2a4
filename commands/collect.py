"""`goldrank collect`: receives telemetry over the network into the spool."""

from __future__ import annotations

import os
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..model import BadInput, UsageError
from .arguments import add_tls, port
from .command import Call, Command

if TYPE_CHECKING:
    from ..collectors.receiving.collector import Collect

TOKEN_VARIABLE: Final = "GOLDRANK_TOKEN"  # noqa: S105 - the name of a variable
MIB: Final = 1024 * 1024
_MOST_MIB: Final = 64
"""What one frame of the spool holds."""


def add_arguments(parser: ArgumentParser) -> None:
    """Where it listens, who may send, and how much is taken."""
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default 127.0.0.1: this machine)")
    parser.add_argument("--http-port", type=port, default=4318, metavar="PORT", help="default 4318; 0 takes a free one")
    parser.add_argument("--grpc-port", type=port, default=4317, metavar="PORT", help="default 4317; 0 takes a free one")
    parser.add_argument("--no-grpc", action="store_true", help="serve HTTP alone")
    parser.add_argument("--token", metavar="TOKEN", help=f"senders need it; {TOKEN_VARIABLE} and --token-file hide it")
    parser.add_argument("--token-file", metavar="FILE", help="the token is the first line of this file")
    parser.add_argument("--insecure-no-token", action="store_true", help="beyond this machine, take what anybody sends")
    add_tls(parser)
    _add_limits(parser)


def _add_limits(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--max-body", type=_mib, default=32, metavar="MIB", help="of one body as sent (default 32, at most 64)"
    )
    parser.add_argument(
        "--max-inflated", type=_mib, default=64, metavar="MIB", help="of one body inflated (default and most: 64)"
    )
    parser.add_argument("--max-waiting", type=_amount, default=256, metavar="MIB", help="of all bodies (default 256)")
    parser.add_argument("--max-spool", type=_amount, default=2048, metavar="MIB", help="of the spool (default 2048)")
    parser.add_argument("--rate", type=_amount, metavar="MB", help="megabytes a second, inflated (default: no limit)")
    parser.add_argument("--rate-spans", type=_amount, metavar="N", help="spans a second (default: no limit)")
    parser.add_argument(
        "--body-timeout", type=_amount, default=30, metavar="S", help="that a body may stand still (30)"
    )


def _amount(text: str) -> float:
    """A number above 0."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < 1e12:
        raise ArgumentTypeError(f"{text!r} is no number above 0")
    return number


def _mib(text: str) -> float:
    number = _amount(text)
    if number > _MOST_MIB:
        raise ArgumentTypeError(f"{text} is more than {_MOST_MIB}, which a frame of the spool holds")
    return number


def run(call: Call) -> int:
    """Runs until it is stopped; the collector's own exit code."""
    try:
        from ..collectors.receiving.collector import collect
    except ModuleNotFoundError as error:
        raise UsageError(f"This needs {error.name}: pip install 'goldrank[collector]'") from error
    return collect(_wanted(call))


def _wanted(call: Call) -> Collect:
    from ..collectors.receiving.collector import Collect
    from ..collectors.receiving.limits import Limits
    from ..collectors.receiving.tls import check_keys
    from ..tracing.spool import SpoolLimits

    said = call.arguments
    limits = Limits(
        body_bytes=int(said.max_body * MIB),
        inflated_bytes=int(said.max_inflated * MIB),
        waiting_bytes=int(said.max_waiting * MIB),
        bytes_per_s=said.rate * 1e6 if said.rate else None,
        spans_per_s=said.rate_spans,
        idle_s=said.body_timeout,
    )
    return Collect(
        spool=call.directory / "spool",
        host=said.host,
        http_port=said.http_port,
        grpc_port=None if said.no_grpc else said.grpc_port,
        token=_token(said),
        no_token=said.insecure_no_token,
        keys=check_keys(said.tls_cert, said.tls_key),
        limits=limits,
        spool_limits=SpoolLimits(spool_bytes=int(said.max_spool * MIB)),
    )


def _token(said: Namespace) -> str:
    """Of the option, the file or the environment, the first that is given."""
    if said.token is not None and said.token_file is not None:
        raise UsageError("--token and --token-file were both given; one of them is expected.")
    if said.token is not None:
        return _not_empty(said.token, "--token")
    if said.token_file is not None:
        try:
            lines = Path(said.token_file).read_text("utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise BadInput(f"{said.token_file} cannot be read: {getattr(error, 'strerror', None) or error}.") from error
        return _not_empty(lines[0].strip() if lines else "", said.token_file)
    return os.environ.get(TOKEN_VARIABLE, "").strip()


def _not_empty(token: str, where: str) -> str:
    if not token:
        raise UsageError(f"{where} holds no token.")
    return token


COLLECT = Command(
    name="collect",
    summary="receive OTLP, feedback and complaints over the network, into the spool alone",
    description=(
        "Acknowledges what lies on the disk, and never opens the store: a hub or goldrank ingest on the same data "
        "folder reads it. Several can run on one folder."
    ),
    examples=(
        "goldrank collect",
        "goldrank collect --directory /var/lib/bot/.goldrank --host 0.0.0.0 --token-file /run/secrets/goldrank",
        "goldrank collect --tls-cert cert.pem --tls-key key.pem --rate 50",
    ),
    add_arguments=add_arguments,
    run=run,
)
