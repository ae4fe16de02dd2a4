"""`goldrank.replay_app`: recorded requests run again inside a running app. What it needs is loaded when asked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

ASGIApp = Callable[
    [
        MutableMapping[str, Any],
        Callable[[], Awaitable[MutableMapping[str, Any]]],
        Callable[[MutableMapping[str, Any]], Awaitable[None]],
    ],
    Awaitable[None],
]


def replay_app(*, token: str, app: Callable[..., Any]) -> ASGIApp:
    """An ASGI app that runs `app` again for recorded requests: mount it in the server where your app lives.

    `goldrank replay ID --app http://host:port/path` and the hub send it what was recorded, with `token` as the bearer
    token. `app` is the function that answers, usually the one that `goldrank.request` decorates. A replay runs in the
    context of one HTTP request: other requests of the server do not notice it. UsageError without a token.
    """
    from .replaying.door import ReplayDoor

    return ReplayDoor(token=token, app=app)
