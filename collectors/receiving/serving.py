"""Uvicorn servers as we need them: sockets bound by us, and a clean exit."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import uvicorn

from ...model import UsageError

GRACE_S: Final = 3
"""A client that never finishes its body is cut off this long after the signal to stop."""


class CleanServer(uvicorn.Server):
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


def bind(host: str, port: int, *, otherwise: str) -> socket.socket:
    """A listening socket; UsageError with a remedy where the address cannot be had.

    `otherwise` is the command line that takes any free port: "goldrank up --port 0".
    """
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
            f"{otherwise}"
        ) from None
    bound.settimeout(0)
    return bound
