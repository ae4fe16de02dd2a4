"""Who may send and ask: a check of the Host header on loopback, a token where one is asked for."""

from __future__ import annotations

import ipaddress
import secrets
from typing import Final

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

LOOPBACK_NAMES: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_REFUSED: Final = 1008
"""WebSocket close code for a violated policy."""


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server bound to `host`."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def host_name(header: str) -> str:
    """The name in a Host header, without port and brackets, in lower case."""
    name = header.strip().lower()
    if name.startswith("["):
        return name[1:].partition("]")[0]
    return name.rpartition(":")[0] if name.count(":") == 1 else name


class HostCheck:
    """Middleware around the whole app. Bound to loopback, it answers to loopback names only.

    Without it a web page whose name is made to point to 127.0.0.1 could read and send everything here: our routes
    get none of Streamlit's origin checks.
    """

    def __init__(self, app: ASGIApp, *, bound_to: str) -> None:
        self.app = app
        self._only_loopback = is_loopback(bound_to)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the call on, or refuses it with a sentence."""
        if scope["type"] not in {"http", "websocket"} or not self._only_loopback:
            await self.app(scope, receive, send)
            return
        header = next((value for name, value in scope["headers"] if name == b"host"), b"").decode("latin-1")
        if host_name(header) in LOOPBACK_NAMES:
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": _REFUSED})
        else:
            text = f"This server answers to localhost and 127.0.0.1 only; the request named {header[:200]!r}."
            await PlainTextResponse(text, status_code=403)(scope, receive, send)


def why_no_token(authorization: str | None) -> str:
    """What is wrong with the header of a sender who may not send, and how it should be."""
    header = "Authorization: Bearer <token>"
    if not (authorization or "").strip():
        return f"A token is needed here and was not sent: {header}."
    if not (authorization or "").strip().lower().startswith("bearer "):
        return f"A token is needed here; what was sent does not begin with Bearer: {header}."
    return f"A token is needed here, and the one that was sent is another one: {header}."


class Tokens:
    """The tokens of which a sender must carry one. None at all: everybody may."""

    def __init__(self, *tokens: str) -> None:
        self._tokens = tuple(token.encode() for token in tokens)

    def allow(self, authorization: str | None) -> bool:
        """Whether the header is `Bearer ...` with one of them. Compared in constant time."""
        if not self._tokens:
            return True
        scheme, _, given = (authorization or "").partition(" ")
        if scheme.lower() != "bearer":
            return False
        said = given.strip().encode("utf-8", "replace")
        return any(secrets.compare_digest(said, token) for token in self._tokens)
