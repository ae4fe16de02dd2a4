"""A small ASGI app through which a running app replays requests: POST a ReplayPlan, get a ReplayOutcome.

It runs the app's function in the server's own process, so it needs the token, and it should be reachable for the hub
alone. What it cannot do (end a call that hangs) a worker process can.
"""

from __future__ import annotations

import asyncio
import hmac
import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final

from pydantic import ValidationError

from ...model.errors import UsageError
from ...model.replay import ReplayPlan
from .running import run_replay_here, sendable

MAX_BODY: Final = 32 * 1024 * 1024
"""Bytes: the texts of a thousand pinned hits and more."""
MAX_AT_ONCE: Final = 4
"""Replays that run beside each other; others are told to come back."""

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


class _Answered(Exception):
    """The request cannot be taken."""

    def __init__(self, status: int, said: str) -> None:
        super().__init__(said)
        self.status = status
        self.said = said


class ReplayDoor:
    """The ASGI app. Whatever its path, it takes a POST with a bearer token."""

    def __init__(self, *, token: str, app: Callable[..., Any]) -> None:
        if not isinstance(token, str) or not token.strip():
            raise UsageError("replay_app needs a token: whoever has it can run the app with any question.")
        if not callable(app):
            raise UsageError(f"replay_app needs app=, the function that answers; it was given a {type(app).__name__}.")
        self._token = token.strip().encode()
        self._app = app
        self._busy = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _live(receive, send)
            return
        if scope["type"] != "http":
            return
        try:
            status, said = 200, await self._answer(scope, receive)
        except _Answered as refusal:
            status, said = refusal.status, json.dumps({"error": refusal.said}).encode()
        await _send(send, status, said)

    async def _answer(self, scope: Scope, receive: Receive) -> bytes:
        headers = {name.lower(): value for name, value in scope["headers"]}
        if not hmac.compare_digest(headers.get(b"authorization", b""), b"Bearer " + self._token):
            raise _Answered(401, "the token is missing or wrong (Authorization: Bearer …)")
        if scope["method"] != "POST":
            raise _Answered(405, "POST a replay plan")
        plan = _plan(await _body(headers, receive))
        if self._busy >= MAX_AT_ONCE:
            raise _Answered(503, f"{MAX_AT_ONCE} replays are running; try again")
        self._busy += 1
        try:
            outcome = await run_replay_here(self._app, plan)
        finally:
            self._busy -= 1
        return await asyncio.to_thread(sendable, outcome)


async def _body(headers: dict[bytes, bytes], receive: Receive) -> bytes:
    too_large = _Answered(413, f"the plan is larger than {MAX_BODY:,} bytes")
    length = headers.get(b"content-length", b"0")
    if not length.isdigit() or int(length) > MAX_BODY:
        raise too_large
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise _Answered(400, "the sender went away")
        body += message.get("body", b"")
        if len(body) > MAX_BODY:
            raise too_large
        if not message.get("more_body", False):
            return bytes(body)


def _plan(body: bytes) -> ReplayPlan:
    try:
        return ReplayPlan.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise _Answered(422, f"this is no replay plan: {where}: {first['msg']}") from None


async def _send(send: Send, status: int, body: bytes) -> None:
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _live(receive: Receive, send: Send) -> None:
    """Start and end of a server that serves this app alone."""
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
