"""An ASGI app: the path is the question."""

from __future__ import annotations

from bot import answer


async def app(scope, receive, send):
    """Answers one request; has nothing to do at start and end."""
    if scope["type"] == "lifespan":
        while True:
            message = await receive()
            await send({"type": f"{message['type']}.complete"})
            if message["type"] == "lifespan.shutdown":
                return
    body = answer(scope["path"].strip("/")).encode()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(body))]})
    await send({"type": "http.response.body", "body": body})
