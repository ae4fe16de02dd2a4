"""Requests that uvicorn gives up: their end is no error of the app, and no traceback."""

from __future__ import annotations

import asyncio
from typing import Final

from h11 import LocalProtocolError
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_ENDING: Final = b"The server is ending, and this did not come in time. Send it again."
_RETRY_S: Final = b"5"


class GoneClients:
    """Middleware around the whole app.

    What has not come to its end when the server's time is over is cancelled: who still sends is answered 503.

    Where the body turns out to be no HTTP (a chunk of a wrong length), uvicorn answers 400 itself and closes. An answer
    of the app that comes in the same moment is an error of the protocol to it, logged with a traceback. Nobody is
    there to read the answer, so it is dropped.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the call on; returns once uvicorn knows that the connection is gone, if it is."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        gone = started = False

        async def send_if_there(message: Message) -> None:
            nonlocal gone, started
            started = True
            try:
                if not gone:
                    await send(message)
            except LocalProtocolError:
                gone = True

        try:
            await self.app(scope, receive, send_if_there)
        except asyncio.CancelledError:
            if started:
                raise
            headers = [(b"content-type", b"text/plain"), (b"retry-after", _RETRY_S), (b"connection", b"close")]
            await send_if_there({"type": "http.response.start", "status": 503, "headers": headers})
            await send_if_there({"type": "http.response.body", "body": _ENDING})
            return
        while gone and (await receive())["type"] != "http.disconnect":
            continue
