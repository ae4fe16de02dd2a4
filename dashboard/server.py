"""Uvicorn servers as the hub needs them: one for pages and routes, a unix socket beside it."""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from pathlib import Path
from typing import Final

import uvicorn
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.types import ASGIApp

from ..collectors.receiving.serving import GRACE_S, CleanServer, SideServer
from ..collectors.receiving.tls import Keys

_LONGEST_SOCKET_PATH: Final = 100
"""Bytes; Linux takes 107, macOS 103."""


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


def tcp_server(app: ASGIApp, host: str, *, ws_max_size: int, keys: Keys | None) -> CleanServer:
    """The server of the pages and routes, with TLS where there are keys; serve it on a socket of `bind`."""
    return CleanServer(
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
            ssl_certfile=keys.certificate if keys else None,
            ssl_keyfile=keys.key if keys else None,
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
