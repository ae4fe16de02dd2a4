"""Answers to connections that uvicorn has already given up: dropped without a word."""

from __future__ import annotations

from h11 import LocalProtocolError
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class GoneClients:
    """Middleware around the whole app.

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
        gone = False

        async def send_if_there(message: Message) -> None:
            nonlocal gone
            try:
                if not gone:
                    await send(message)
            except LocalProtocolError:
                gone = True

        await self.app(scope, receive, send_if_there)
        while gone and (await receive())["type"] != "http.disconnect":
            continue
