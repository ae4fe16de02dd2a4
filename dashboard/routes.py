"""The hub's own HTTP routes: telemetry in, actions for the command line, the state of things."""

from __future__ import annotations

import asyncio
import logging
from typing import Final, NamedTuple

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from ..actions import run_action
from ..actions.status import AskStatus
from ..actions.workspace import Workspace
from ..collectors.receiving.body import read_body
from ..collectors.receiving.elsewhere import METHODS, elsewhere_route, other_method
from ..collectors.receiving.guard import Tokens, is_loopback
from ..collectors.receiving.http_routes import receiving_routes
from ..collectors.receiving.receiver import Receiver
from ..collectors.receiving.refusal import NotTaken

LOG: Final = logging.getLogger("goldrank.hub")
ACTION_LIMIT: Final = 64 * 1024 * 1024
"""Bytes of a question to an action: an import of cases is the largest."""


class Surroundings(NamedTuple):
    """What the routes work with."""

    workspace: Workspace
    receiver: Receiver
    token: str
    bound_to: str


def tcp_routes(surroundings: Surroundings) -> list[Route]:
    """Routes of the TCP server. Without a token, and only when bound to loopback: telemetry and status."""
    actions = Tokens(surroundings.token)
    state = Tokens() if is_loopback(surroundings.bound_to) else actions

    async def action(request: Request) -> Response:
        if not actions.allow(request.headers.get("authorization")):
            return _token_needed()
        return await _answer(request, surroundings.workspace)

    async def status(request: Request) -> Response:
        if not state.allow(request.headers.get("authorization")):
            return _token_needed()
        return await _run(surroundings.workspace, "status", AskStatus().model_dump_json().encode())

    routes = [
        *receiving_routes(surroundings.receiver),
        Route("/actions/{name}", action, methods=["POST"]),
        Route("/api/status", status, methods=["GET"]),
    ]
    routes.append(Route("/requests", _to_the_list, methods=["GET"]))
    below = elsewhere_route(surroundings.receiver, "/v1/{rest:path}", routes)
    above = elsewhere_route(surroundings.receiver, "/", routes, methods=["POST"])
    return [*routes, *map(_other_methods, routes), below, above]


async def _to_the_list(request: Request) -> Response:
    """The list is the first page, whose address is the bare one: who writes its name gets there, with the filter."""
    return RedirectResponse(f"./{'?' if request.url.query else ''}{request.url.query}")


def _other_methods(route: Route) -> Route:
    """Refuses them: the pages, which answer whatever no route takes, would show one of theirs."""
    allowed = sorted(route.methods or ())

    async def refuse(_: Request) -> Response:
        return other_method(route.path, allowed)

    return Route(route.path, refuse, methods=sorted(set(METHODS) - set(allowed)))


def socket_routes(workspace: Workspace) -> list[Route]:
    """Routes of the unix socket: its file mode is its guard, so no token is asked for."""

    async def action(request: Request) -> Response:
        return await _answer(request, workspace)

    return [Route("/actions/{name}", action, methods=["POST"])]


async def _answer(request: Request, workspace: Workspace) -> Response:
    try:
        body = await read_body(request, ACTION_LIMIT)
    except NotTaken as refusal:
        return PlainTextResponse(f"{refusal.text}\n", status_code=refusal.codes.http)
    return await _run(workspace, request.path_params["name"], body)


async def _run(workspace: Workspace, name: str, body: bytes) -> Response:
    """Runs an action in a thread: the event loop goes on taking telemetry."""
    try:
        answer = await asyncio.to_thread(run_action, workspace, name, body)
    except Exception:
        LOG.exception("goldrank: the action %s failed", name)
        return PlainTextResponse(f"The action {name} failed; the hub's log says why.\n", status_code=500)
    failed = answer.startswith(b'{"error"')
    return Response(answer, status_code=400 if failed else 200, media_type="application/json")


def _token_needed() -> Response:
    return PlainTextResponse(
        "This route needs the hub's token: Authorization: Bearer <token of hub.json>.\n",
        status_code=401,
        headers={"WWW-Authenticate": "Bearer"},
    )
