"""OTLP files: JSON lines as the Collector's file exporter writes them, and protobuf, alone or one after the other."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from google.protobuf.message import DecodeError, Message
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from ...model import BadInput, FrameKind
from ..otlp_json import logs_from_json, traces_from_json
from .sources import DAMAGED, LONGEST_LINE, Source, damage

_LENGTH: Final = struct.Struct(">I")
"""Before each message in the Collector's file: its length, big-endian."""
_FIRST_FIELD: Final = 0x0A
"""How an export request begins: field 1, with a length."""


class ExportRequest(NamedTuple):
    """One export request for the spool, or why there is none."""

    place: int
    """1-based: its line, or its place among the messages of the file."""
    kind: FrameKind = FrameKind.TRACES
    payload: bytes = b""
    reason: str = ""
    spans: int = 0
    """Spans, or log records."""


def looks_like_message(head: bytes, *, whole: bool) -> bool:
    """Whether a file is one export request; of a long one only its beginning is seen."""
    if len(head) < 4 or head[0] != _FIRST_FIELD:
        return False
    return _parsed(head) is not None if whole else _length_fits(head)


def looks_like_frames(head: bytes) -> bool:
    """Whether a file is a length and a message, again and again."""
    if len(head) < 8:
        return False
    (length,) = _LENGTH.unpack_from(head)
    if not 2 <= length <= LONGEST_LINE or head[4] != _FIRST_FIELD:
        return False
    return len(head) < 4 + length or _parsed(head[4 : 4 + length]) is not None


def _length_fits(head: bytes) -> bool:
    """The first field is as long as a large file of spans; a text that begins with a line end is no such thing."""
    length, shift = 0, 0
    for byte in head[1:6]:
        length |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return length > 0 and head[1 + shift // 7] in (0x0A, 0x12)
    return False


def _parsed(data: bytes) -> tuple[FrameKind, int] | None:
    """What a message is and how many spans or records it holds; None where it is neither traces nor logs.

    Both have the same outer shape, so the one that leaves nothing unknown is meant.
    """
    best: tuple[FrameKind, int] | None = None
    for kind, message in (
        (FrameKind.TRACES, ExportTraceServiceRequest()),
        (FrameKind.LOGS, ExportLogsServiceRequest()),
    ):
        try:
            message.ParseFromString(data)
        except DecodeError:
            continue
        count = _count(message)
        if count and _is_theirs(message):
            return kind, count
    return best


def _count(message: Any) -> int:  # noqa: ANN401 - one of two messages
    if isinstance(message, ExportTraceServiceRequest):
        return sum(len(scope.spans) for one in message.resource_spans for scope in one.scope_spans)
    return sum(len(scope.log_records) for one in message.resource_logs for scope in one.scope_logs)


def _is_theirs(message: Any) -> bool:  # noqa: ANN401 - one of two messages
    """A log record read as a span has no proper id, and a span read as a record no proper time."""
    if isinstance(message, ExportTraceServiceRequest):
        spans = [span for one in message.resource_spans for scope in one.scope_spans for span in scope.spans]
        return all(len(span.trace_id) == 16 and len(span.span_id) == 8 for span in spans[:20])
    return True


def protobuf_message(source: Source) -> Iterator[ExportRequest]:
    """A file that is one export request."""
    with source.open() as stream:
        data = stream.read()
    yield _message(1, data)


def protobuf_frames(source: Source) -> Iterator[ExportRequest]:
    """A file of messages, each after its length."""
    place = 0
    try:
        with source.open() as stream:
            while head := stream.read(_LENGTH.size):
                place += 1
                length = _LENGTH.unpack(head)[0] if len(head) == _LENGTH.size else 0
                if not 1 <= length <= LONGEST_LINE:
                    yield ExportRequest(
                        place, reason=f"a message of {length:,} bytes is announced; the rest was not read."
                    )
                    return
                data = stream.read(length)
                if len(data) < length:
                    yield ExportRequest(place, reason=f"it ends inside a message: {len(data):,} of {length:,} bytes.")
                    return
                yield _message(place, data)
    except (OSError, *DAMAGED) as error:
        yield ExportRequest(place + 1, reason=f"the file is damaged here ({damage(error)}); what follows was not read.")


def _message(place: int, data: bytes) -> ExportRequest:
    found = _parsed(data)
    if found is None:
        return ExportRequest(place, reason=f"{len(data):,} bytes that are no OTLP traces or logs.")
    return ExportRequest(place, found[0], data, spans=found[1])


def json_lines(source: Source, encoding: str = "") -> Iterator[ExportRequest]:
    """A file with an export request in JSON a line. Metrics are passed over: they say nothing of requests."""
    for line in source.lines(encoding):
        if line.reason:
            yield ExportRequest(line.number, reason=line.reason)
        elif line.data.strip():
            yield from json_message(line.number, line.data)


def json_message(place: int, data: bytes) -> Iterator[ExportRequest]:
    """One document; it may hold traces and logs."""
    beginning = data[:4096]
    if b"esourceMetrics" in beginning or b"esource_metrics" in beginning:
        return
    is_logs = b"esourceLogs" in beginning or b"esource_logs" in beginning
    try:
        payload = logs_from_json(data) if is_logs else traces_from_json(data)
    except BadInput as error:
        yield ExportRequest(place, reason=f"{error}.")
        return
    message: Message = ExportLogsServiceRequest() if is_logs else ExportTraceServiceRequest()
    message.ParseFromString(payload)
    count = _count(message)
    if not count:
        yield ExportRequest(place, reason="it holds no spans and no log records.")
    else:
        yield ExportRequest(place, FrameKind.LOGS if is_logs else FrameKind.TRACES, payload, spans=count)
