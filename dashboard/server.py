"""Uvicorn servers as the hub needs them: sockets bound by us, a clean exit, a unix socket beside the TCP one."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import uvicorn
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.types import ASGIApp

from ..model import UsageError

GRACE_S: Final = 3
"""A client that never finishes its body is cut off this long after the signal to stop."""
_LONGEST_SOCKET_PATH: Final = 100
"""Bytes; Linux takes 107, macOS 103."""


class HubServer(uvicorn.Server):
    """Uvicorn's server that ends by returning: uvicorn raises the signal again, which would skip what comes after."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Takes SIGINT, SIGTERM and SIGHUP as the wish to stop, for as long as the server runs."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        names = ("SIGINT", "SIGTERM", "SIGHUP")
        signals = [getattr(signal, name) for name in names if hasattr(signal, name)]
        before = {number: signal.signal(number, self.handle_exit) for number in signals}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


class SideServer(uvicorn.Server):
    """A server that runs as a task beside another one, which alone answers to signals."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leaves the signals to the other server."""
        yield


def bind(host: str, port: int) -> socket.socket:
    """A listening socket; UsageError with a remedy where the address cannot be had."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        raise UsageError(f"{host!r} is no address of this machine ({error.strerror}). Try --host 127.0.0.1.") from None
    family, kind, protocol, _, address = found[0]
    bound = socket.socket(family, kind, protocol)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
        bound.listen(2048)
    except OSError as error:
        bound.close()
        raise UsageError(
            f"Port {port} of {host} cannot be used ({error.strerror}). Choose another one, or 0 for any free one: "
            f"goldrank up --port 0"
        ) from None
    bound.settimeout(0)
    return bound


def bind_unix(path: Path) -> socket.socket | None:
    """A listening unix socket that only its owner can open; None where the system or the path's length forbids one.

    The caller holds the folder's lock, so a socket that is there already belongs to a hub that is gone.
    """
    if not hasattr(socket, "AF_UNIX") or len(os.fsencode(path)) > _LONGEST_SOCKET_PATH:
        return None
    path.unlink(missing_ok=True)
    bound = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    mask = os.umask(0o177)
    try:
        bound.bind(str(path))
        bound.listen(64)
    except OSError:
        bound.close()
        with suppress(FileNotFoundError):
            path.unlink()
        return None
    finally:
        os.umask(mask)
    bound.settimeout(0)
    return bound


def tcp_server(app: ASGIApp, host: str, *, ws_max_size: int) -> HubServer:
    """The server of the pages and routes; serve it on a socket of `bind`."""
    return HubServer(
        uvicorn.Config(
            app,
            host=host,
            ws="websockets-sansio",
            ws_max_size=ws_max_size,
            access_log=False,
            log_level="warning",
            timeout_graceful_shutdown=GRACE_S,
            use_colors=False,
            workers=1,
        )
    )


def side_server(routes: list[Route]) -> SideServer:
    """A small server without lifespan, for the unix socket."""
    return SideServer(
        uvicorn.Config(
            Starlette(routes=routes),
            lifespan="off",
            access_log=False,
            log_level="warning",
            timeout_graceful_shutdown=GRACE_S,
            use_colors=False,
            workers=1,
        )
    )
