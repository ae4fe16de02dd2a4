"""POST /v1/complaints: complaints as JSON into the spool, acknowledged with their ids once they are on the disk."""

from __future__ import annotations

import asyncio
import time
from typing import Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from ..collectors.posted_complaints import read_posted
from ..model import BadInput, Complaint, FrameKind
from ..tracing.spool import MAX_PAYLOAD, TOO_LARGE, encode
from .group_commit import GroupCommit
from .otlp_route import INFLATED_LIMIT, RETRY_AFTER_S, Answered, inflated, read_body

JSON: Final = "application/json"
BODY_LIMIT: Final = 4 * 1024 * 1024
"""Bytes of a body, as sent and after gzip is undone."""


async def take_complaints(request: Request, commit: GroupCommit) -> Response:
    """202 with the ids, in the order of the body; 400, 413, 415 or 503 with a sentence.

    They are in the spool then, and in the list as soon as the ingester has read them.
    """
    try:
        _check_headers(request)
        body = await read_body(request, BODY_LIMIT)
        gzipped = request.headers.get("content-encoding", "identity").strip().lower() == "gzip"
        complaints = await asyncio.to_thread(_read, body, gzipped=gzipped)
        await _write(commit, complaints)
    except Answered as answered:
        return answered.response
    return JSONResponse({"ids": [one.complaint_id for one in complaints]}, status_code=202)


def _check_headers(request: Request) -> None:
    """A web page can post text/plain to this machine without asking; JSON it cannot."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != JSON:
        raise Answered(415, f"Content-Type is {kind[:100] or 'missing'!r}; this route takes {JSON}.")
    coding = request.headers.get("content-encoding", "identity").strip().lower()
    if coding not in {"", "identity", "gzip"}:
        raise Answered(415, f"Content-Encoding is {coding[:100]!r}; this route takes gzip or none.")


def _read(body: bytes, *, gzipped: bool) -> tuple[Complaint, ...]:
    payload = inflated(body) if gzipped else body
    if len(payload) > min(BODY_LIMIT, INFLATED_LIMIT):
        raise Answered(413, f"The body inflates to more than {BODY_LIMIT:,} bytes. Send fewer complaints at once.")
    try:
        return read_posted(payload, now_ns=time.time_ns())
    except BadInput as error:
        raise Answered(400, str(error)) from None


async def _write(commit: GroupCommit, complaints: tuple[Complaint, ...]) -> None:
    """All of them or none: they go into the spool in one piece."""
    frames = [encode(FrameKind.COMPLAINT, one.model_dump_json(exclude_defaults=True).encode()) for one in complaints]
    refused = TOO_LARGE if sum(map(len, frames)) > MAX_PAYLOAD else await commit.append(b"".join(frames))
    if refused == TOO_LARGE:
        raise Answered(413, f"{len(complaints):,} complaints are more than the spool takes at once.")
    if refused:
        raise Answered(
            503,
            f"The spool cannot be written ({refused}); nothing was taken. Send it again later.",
            {"Retry-After": str(RETRY_AFTER_S)},
        )
