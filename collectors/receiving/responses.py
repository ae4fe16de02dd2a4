"""Answers as OTLP/HTTP says: in the encoding of the request, a google.rpc.Status where it failed."""

from __future__ import annotations

import json
from typing import Any, Final

from google.protobuf import any_pb2, duration_pb2, json_format
from google.protobuf.message import Message
from starlette.responses import JSONResponse, Response

from .exports import Export
from .inflating import TAKEN
from .refusal import NotTaken, Reason
from .signals import Form, Signal

RETRY_INFO: Final = "type.googleapis.com/google.rpc.RetryInfo"


def export_answer(signal: Signal, export: Export) -> Message:
    """The answer to an export that was taken, wholly or in part."""
    answer = signal.response()
    if export.rejected:
        partial: Any = answer
        setattr(partial.partial_success, signal.rejected, export.rejected)
        partial.partial_success.error_message = export.why
    return answer


def http_answer(answer: Message, form: Form) -> Response:
    """200 with the answer."""
    if form is Form.JSON:
        return Response(json_format.MessageToJson(answer, indent=None), media_type=Form.JSON.value)
    return Response(answer.SerializeToString(), media_type=Form.PROTOBUF.value)


def http_refusal(refusal: NotTaken, form: Form | None) -> Response:
    """The status, Retry-After where it is worth sending again, and a body that says why.

    `form` is that of the request: a Status message for OTLP; None for JSON that is not OTLP.
    """
    headers: dict[str, str] = {}
    if refusal.retry_s is not None:
        headers["Retry-After"] = str(refusal.retry_s)
    if refusal.reason is Reason.NO_TOKEN:
        headers["WWW-Authenticate"] = "Bearer"
    if refusal.reason is Reason.CODING:
        headers["Accept-Encoding"] = ", ".join(TAKEN)
    status = refusal.codes.http
    if form is Form.PROTOBUF:
        return Response(rpc_status(refusal), status, headers, media_type=Form.PROTOBUF.value)
    body: dict[str, Any] = {"error": refusal.text}
    if form is Form.JSON:
        body = {"code": refusal.codes.rpc, "message": refusal.text}
    return JSONResponse(body, status, headers)


def rpc_status(refusal: NotTaken) -> bytes:
    """A google.rpc.Status {code = 1, message = 2, details = 3}, with a RetryInfo where it is worth sending again.

    Written by hand, because the package that declares it would be needed for these bytes alone.
    """
    status = bytes([0x08, refusal.codes.rpc]) + _field(2, refusal.text.encode("utf-8", "replace"))
    if refusal.retry_s is not None:
        delay = duration_pb2.Duration(seconds=refusal.retry_s).SerializeToString()
        info = any_pb2.Any(type_url=RETRY_INFO, value=_field(1, delay))
        status += _field(3, info.SerializeToString())
    return status


def _field(number: int, value: bytes) -> bytes:
    """A length-delimited field of protobuf."""
    length, size = bytearray(), len(value)
    while size > 0x7F:
        length.append(size & 0x7F | 0x80)
        size >>= 7
    length.append(size)
    return bytes([number << 3 | 2]) + bytes(length) + value


def health(state: dict[str, Any], *, taking: bool) -> Response:
    """200 while everything is taken, else 503."""
    return Response(json.dumps(state) + "\n", 200 if taking else 503, media_type="application/json")
