"""The HTTP routes of a receiver: OTLP traces and logs, feedback, complaints, corpora and counts of losses."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final, NamedTuple

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ...model import FrameKind
from ...tracing.spool import MAX_PAYLOAD
from .body import read_body
from .inflating import check_coding
from .limits import MIB, Room
from .posted_complaints import read_posted
from .posted_corpus import read_corpus
from .posted_drops import read_drops
from .posted_feedback import read_feedback
from .receiver import Coded, Posted, Receiver
from .refusal import NotTaken, Reason
from .responses import export_answer, health, http_answer, http_refusal
from .signals import SIGNALS, Form, Signal

LOG: Final = logging.getLogger("goldrank.receiving")

Work = Callable[[Room], Awaitable[Response]]


class _Reader(NamedTuple):
    """Of a route that takes JSON of a declared model."""

    what: str
    """What is posted there, for people."""
    read: Callable[[bytes], Posted]
    limit: int = 4 * MIB
    """Bytes of a body, as sent and after compression is undone."""


def receiving_routes(receiver: Receiver) -> list[Route]:
    """POST /v1/traces, /v1/logs, /v1/feedback, /v1/complaints, /v1/corpus, /v1/drops."""
    routes = [
        Route(signal.path, partial(_take_export, receiver, signal), methods=["POST"], name=signal.path)
        for signal in SIGNALS
    ]
    for path, reader in _READERS.items():
        routes.append(Route(path, partial(_take_json, receiver, reader), methods=["POST"], name=path))
    return routes


def health_route(receiver: Receiver) -> Route:
    """GET /healthz: no token is needed, and nothing is said that a stranger may not know."""

    async def answer(_request: Request) -> Response:
        trouble = receiver.commit.trouble
        state = "stopping" if receiver.stopping else trouble or "ok"
        said = {
            "state": state,
            "since_ns": receiver.since_ns,
            "received": dict(receiver.tally.received),
            "refused": dict(receiver.tally.refused),
            "waiting": {"requests": receiver.waiting.requests, "bytes": receiver.waiting.held},
        }
        return health(said, taking=state == "ok")

    return Route("/healthz", answer, methods=["GET"])


async def _take_export(receiver: Receiver, signal: Signal, request: Request) -> Response:
    form = _form(request)

    async def work(room: Room) -> Response:
        if form is None:
            raise NotTaken(
                Reason.CONTENT_TYPE,
                f"Content-Type is {_kind(request)[:100] or 'missing'!r}; this route takes OTLP as "
                f"{Form.PROTOBUF.value} or {Form.JSON.value}.",
            )
        coded = await _read(receiver, request, room, receiver.limits.body_bytes)
        return http_answer(export_answer(signal, await receiver.take_export(signal, coded, form, room)), form)

    return await _answer(receiver, request, work, form or Form.JSON)


async def _take_json(receiver: Receiver, reader: _Reader, request: Request) -> Response:
    async def work(room: Room) -> Response:
        if _form(request) is not Form.JSON:  # a web page can post text/plain without asking; JSON it cannot
            kind = _kind(request)[:100] or "missing"
            raise NotTaken(Reason.CONTENT_TYPE, f"Content-Type is {kind!r}; this route takes {Form.JSON.value}.")
        coded = await _read(receiver, request, room, min(reader.limit, receiver.limits.body_bytes))
        posted = await receiver.take_json(coded, reader.read, reader.what, reader.limit)
        body = {"ids": list(posted.ids)} if posted.ids else {reader.what.replace(" ", "_"): posted.items}
        return JSONResponse(body, status_code=202)

    return await _answer(receiver, request, work, None)


async def _answer(receiver: Receiver, request: Request, work: Work, form: Form | None) -> Response:
    try:
        with receiver.admitted(request.headers.get("authorization")) as room:
            return await work(room)
    except NotTaken as refusal:
        return http_refusal(refusal, form)
    except Exception as error:  # noqa: BLE001 - a defect of ours is an answer too, and the sender may come again
        LOG.error("goldrank: %s could not be taken: %s: %s", request.url.path, type(error).__name__, error)
        receiver.tally.refuse(Reason.FAILED)
        return http_refusal(NotTaken(Reason.FAILED, "A defect of goldrank; its log names it."), form)


async def _read(receiver: Receiver, request: Request, room: Room, limit: int) -> Coded:
    coding = check_coding(request.headers.get("content-encoding", ""))
    return Coded(await read_body(request, limit, room=room, limits=receiver.limits), coding)


def _kind(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def _form(request: Request) -> Form | None:
    kind = _kind(request)
    return next((form for form in Form if form.value == kind), None)


def _feedback(body: bytes) -> Posted:
    found = read_feedback(body, now_ns=time.time_ns())
    return Posted(FrameKind.FEEDBACK, found, tuple(one.feedback_id for one in found), len(found))


def _complaints(body: bytes) -> Posted:
    found = read_posted(body, now_ns=time.time_ns())
    return Posted(FrameKind.COMPLAINT, found, tuple(one.complaint_id for one in found), len(found))


def _corpus(body: bytes) -> Posted:
    manifest = read_corpus(body)
    return Posted(FrameKind.CORPUS, (manifest,), (), len(manifest.chunks))


def _drops(body: bytes) -> Posted:
    found = read_drops(body)
    return Posted(FrameKind.DROPS, (found,), (), 1)


_READERS: Final = {
    "/v1/feedback": _Reader("feedback", _feedback),
    "/v1/complaints": _Reader("complaints", _complaints),
    "/v1/corpus": _Reader("chunks", _corpus, MAX_PAYLOAD),
    "/v1/drops": _Reader("counts of losses", _drops),
}
"""Path -> what is posted there."""
