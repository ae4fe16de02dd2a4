"""POST /v1/traces: OTLP/HTTP protobuf into the spool, acknowledged once it is on the disk."""

from __future__ import annotations

import asyncio
import zlib
from typing import Final

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response

from ..collectors import decode_traces
from ..model import BadInput, FrameKind
from ..tracing.spool import MAX_PAYLOAD, TOO_LARGE, encode
from .group_commit import GroupCommit

PROTOBUF: Final = "application/x-protobuf"
BODY_LIMIT: Final = 16 * 1024 * 1024
"""Bytes of a body as sent."""
INFLATED_LIMIT: Final = min(48 * 1024 * 1024, MAX_PAYLOAD)
"""Bytes of a body after gzip is undone: three megabytes of zeros arrive as three kilobytes."""
RETRY_AFTER_S: Final = 30
_INLINE: Final = 256 * 1024
"""Up to this size a body is checked in the event loop: parsing 30 kB takes about 40 microseconds."""


class Answered(Exception):
    """Ends the handling of a request with an answer that is no success."""

    def __init__(self, status: int, text: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(text)
        self.response = PlainTextResponse(text + "\n", status_code=status, headers=headers)


async def take_traces(request: Request, commit: GroupCommit) -> Response:
    """200 once the spans are on the disk; 400, 413, 415 or 503 with a sentence."""
    try:
        _check_headers(request)
        body = await read_body(request, BODY_LIMIT)
        gzipped = request.headers.get("content-encoding", "identity").strip().lower() == "gzip"
        payload = await _checked(body, gzipped=gzipped)
        if payload:
            await _write(commit, payload)
    except Answered as answered:
        return answered.response
    return Response(ExportTraceServiceResponse().SerializeToString(), media_type=PROTOBUF)


def _check_headers(request: Request) -> None:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != PROTOBUF:
        raise Answered(
            415,
            f"Content-Type is {kind[:100] or 'missing'!r}; this route takes OTLP as {PROTOBUF}. "
            "Set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf.",
        )
    coding = request.headers.get("content-encoding", "identity").strip().lower()
    if coding not in {"", "identity", "gzip"}:
        raise Answered(415, f"Content-Encoding is {coding[:100]!r}; this route takes gzip or none.")


async def read_body(request: Request, limit: int) -> bytes:
    """The body, refused with 413 as soon as it is known to be larger than `limit` bytes."""
    announced = request.headers.get("content-length", "")
    if announced.isdigit() and int(announced) > limit:
        raise Answered(
            413, f"The body has {int(announced):,} bytes; at most {limit:,} are taken. Send smaller batches."
        )
    chunks: list[bytes] = []
    size = 0
    try:
        async for chunk in request.stream():
            size += len(chunk)
            if size > limit:
                raise Answered(413, f"The body has more than {limit:,} bytes. Send smaller batches.")
            chunks.append(chunk)
    except ClientDisconnect:
        raise Answered(400, "The client went away before its body was complete.") from None
    return b"".join(chunks)


async def _checked(body: bytes, *, gzipped: bool) -> bytes:
    if gzipped or len(body) > _INLINE:
        return await asyncio.to_thread(check_payload, body, gzipped=gzipped)
    return check_payload(body, gzipped=gzipped)


def check_payload(body: bytes, *, gzipped: bool) -> bytes:
    """The OTLP bytes, known to be readable: what is acknowledged must never stop the ingester."""
    payload = inflated(body) if gzipped else body
    request = ExportTraceServiceRequest()
    try:
        request.ParseFromString(payload)
        if payload and not request.resource_spans:
            raise BadInput("no spans")
    except (DecodeError, BadInput):
        _check_repairable(payload)
    return payload


def _check_repairable(payload: bytes) -> None:
    """What strict parsing refuses may still be read leniently: texts that are not UTF-8 are repaired later."""
    try:
        decode_traces(payload)
    except (DecodeError, BadInput, ValueError):
        raise Answered(400, f"The body ({len(payload):,} bytes) is no OTLP ExportTraceServiceRequest.") from None


def inflated(body: bytes) -> bytes:
    """The bytes of a gzip body, up to INFLATED_LIMIT."""
    inflater = zlib.decompressobj(wbits=31)
    try:
        payload = inflater.decompress(body, INFLATED_LIMIT + 1)
    except zlib.error:
        raise Answered(400, "Content-Encoding says gzip, and the body is none.") from None
    if len(payload) > INFLATED_LIMIT:
        raise Answered(413, f"The body inflates to more than {INFLATED_LIMIT:,} bytes. Send smaller batches.")
    if not inflater.eof:
        raise Answered(400, "The gzip body ends in the middle.")
    return payload


async def _write(commit: GroupCommit, payload: bytes) -> None:
    refused = await commit.append(encode(FrameKind.TRACES, payload))
    if refused == TOO_LARGE:
        raise Answered(413, f"The body has {len(payload):,} bytes, more than the spool takes at once.")
    if refused:
        raise Answered(
            503,
            f"The spool cannot be written ({refused}); the spans were not taken. Send them again later.",
            {"Retry-After": str(RETRY_AFTER_S)},
        )
