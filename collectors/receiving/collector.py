"""`goldrank collect`: receives by HTTP and gRPC, and only writes the spool. It never opens the store.

Several may run on one data folder, beside a hub or without one: each writes segments of its own, and whoever reads
the spool takes in what all of them wrote.
"""

from __future__ import annotations

import asyncio
import socket
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Final, NamedTuple

import uvicorn
from starlette.applications import Starlette
from starlette.types import ASGIApp

from ...model import GoldrankError, UsageError
from ...tracing.spool import SpoolLimits
from .at_work import at_work, make_receiver
from .elsewhere import elsewhere_route
from .gone_clients import GoneClients
from .guard import HostCheck, Tokens, is_loopback
from .http_routes import health_route, receiving_routes
from .limits import Limits
from .patience import PatientProtocol
from .receiver import Receiver
from .serving import GRACE_S, CleanServer, bind

if TYPE_CHECKING:
    from .grpc_service import GrpcStart
    from .tls import Keys

CANNOT_START: Final = 3
"""Exit code when a port is taken or the folder cannot be written."""
SWITCH_INTERVAL_S: Final = 0.0005
"""A large body that is parsed in a thread must not hold up the small ones: with Python's own 5 ms it does."""
_FILES: Final = 65_536
"""Connections are files; the usual soft limit of 1,024 is used up by a few hundred apps."""


class Collect(NamedTuple):
    """What a collector is started with."""

    spool: Path
    host: str = "127.0.0.1"
    http_port: int = 4318
    grpc_port: int | None = 4317
    """None: no gRPC."""
    token: str = ""
    """"" for none, which is refused beyond loopback unless `no_token`."""
    no_token: bool = False
    keys: Keys | None = None
    """None: no TLS."""
    limits: Limits = Limits()
    spool_limits: SpoolLimits = SpoolLimits()


def collect(wanted: Collect) -> int:
    """Receives until SIGINT or SIGTERM; the exit code.

    UsageError where it is told something that cannot be; what else keeps it from starting is said in one sentence on
    stderr, with code 3.
    """
    _check(wanted)
    try:
        with bind(wanted.host, wanted.http_port, otherwise="goldrank collect --http-port 0") as bound:
            wanted.spool.mkdir(mode=0o700, parents=True, exist_ok=True)
            _allow_many_files()
            sys.setswitchinterval(SWITCH_INTERVAL_S)
            asyncio.run(_run(wanted, bound))
    except GoldrankError as error:
        print(f"goldrank: {error}", file=sys.stderr)  # noqa: T201 - the command's own words
        return CANNOT_START
    except OSError as error:
        print(f"goldrank: {wanted.spool} cannot be used: {error.strerror or error}", file=sys.stderr)  # noqa: T201
        return CANNOT_START
    return 0


def _check(wanted: Collect) -> None:
    if not wanted.token and not wanted.no_token and not is_loopback(wanted.host):
        raise UsageError(
            f"--host {wanted.host} can be reached from other machines, so a token is needed: set GOLDRANK_TOKEN, or "
            "--token-file FILE. --insecure-no-token takes what anybody sends."
        )
    if wanted.token and not (wanted.token.isascii() and wanted.token.isprintable() and " " not in wanted.token):
        raise UsageError("The token holds characters that no HTTP header carries; letters, digits and -_.~+/= do.")


async def _run(wanted: Collect, bound: socket.socket) -> None:
    port = bound.getsockname()[1]
    receiver = make_receiver(
        wanted.spool,
        what="collector",
        port=port,
        tokens=Tokens(wanted.token) if wanted.token else Tokens(),
        limits=wanted.limits,
        spool_limits=wanted.spool_limits,
    )
    server = _Server(_config(wanted, _app(receiver, wanted.host)), receiver)
    with server.capture_signals():
        async with at_work(receiver, _grpc_start(wanted)) as grpc_port:
            _announce(wanted, port, grpc_port)
            await server.serve(sockets=[bound])


class _Server(CleanServer):
    """Tells the receiver that the end has come."""

    def __init__(self, config: uvicorn.Config, receiver: Receiver) -> None:
        super().__init__(config)
        self._receiver = receiver

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._receiver.stopping = True
        super().handle_exit(sig, frame)


def _app(receiver: Receiver, host: str) -> ASGIApp:
    routes = [*receiving_routes(receiver), health_route(receiver)]
    routes.append(elsewhere_route(receiver, "/{rest:path}", routes))
    return GoneClients(HostCheck(Starlette(routes=routes), bound_to=host))


def _grpc_start(wanted: Collect) -> GrpcStart | None:
    """None where gRPC is not wanted or its package is not installed."""
    if wanted.grpc_port is None or not has_grpc():
        return None
    from .grpc_service import GrpcStart

    return GrpcStart(wanted.host, wanted.grpc_port, wanted.keys)


def has_grpc() -> bool:
    """Whether gRPC's package is installed."""
    return find_spec("grpc") is not None


def _config(wanted: Collect, app: ASGIApp) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        host=wanted.host,
        http=PatientProtocol,
        lifespan="off",
        ws="none",
        access_log=False,
        log_level="error",
        timeout_graceful_shutdown=GRACE_S,
        use_colors=False,
        server_header=False,
        proxy_headers=False,
        workers=1,
        ssl_certfile=wanted.keys.certificate if wanted.keys else None,
        ssl_keyfile=wanted.keys.key if wanted.keys else None,
    )


def _announce(wanted: Collect, port: int, grpc_port: int | None) -> None:
    scheme = "http" if wanted.keys is None else "https"
    name = f"[{wanted.host}]" if ":" in wanted.host else wanted.host
    lines = [f"HTTP:  {scheme}://{name}:{port}/v1/traces"]
    if grpc_port is not None:
        lines.append(f"gRPC:  {scheme}://{name}:{grpc_port}")
    elif wanted.grpc_port is not None:
        lines.append("gRPC:  not served; pip install 'goldrank[collector]' brings it")
    if wanted.token:
        senders = "whoever has the token"
    elif is_loopback(wanted.host):
        senders = "this machine, without a token"
    else:
        senders = f"WITHOUT A TOKEN everybody who reaches {wanted.host}"
    lines += [f"spool: {wanted.spool}", f"from:  {senders}", "stop:  Ctrl-C"]
    print("\n".join(lines), flush=True)  # noqa: T201 - the command's own words


def _allow_many_files() -> None:
    with suppress(ImportError, OSError, ValueError):
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = _FILES if hard == resource.RLIM_INFINITY else min(_FILES, hard)
        if soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
