"""OTLP log requests (protobuf) to spans: the log records that carry what a model call was asked and answered.

OpenTelemetry's GenAI conventions may send the messages of a model call as a log record beside its span. Such a record
is kept as a small span of its own inside the span that it names, so that it may come before or after it; its id is
made of its content, so that the same record twice is one. All other log records are none of our business.
"""

from __future__ import annotations

import hashlib
from typing import Any, Final

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord

from ..model import BadInput, Span
from .dialects.facts import LOG_BODY, LOG_EVENT
from .otlp import SPAN_ID_DIGITS, TRACE_ID_DIGITS
from .otlp_values import decode_attributes, decode_value, hex_id

PREFIX: Final = "gen_ai."
"""Events of these names are kept."""


def decode_logs(payload: bytes) -> tuple[Span, ...]:
    """The records of an ExportLogsServiceRequest that belong to a span. Raises BadInput where the bytes are none."""
    request = ExportLogsServiceRequest()
    try:
        request.ParseFromString(payload)
    except DecodeError:
        raise BadInput(
            f"{len(payload)} bytes were read as an OTLP log request and are none (protobuf cannot decode them)."
        ) from None
    spans = []
    for resource_logs in request.resource_logs:
        resource = decode_attributes(resource_logs.resource.attributes)
        for scope_logs in resource_logs.scope_logs:
            for record in scope_logs.log_records:
                span = _decode_record(record, resource, scope_logs.scope.name)
                if span is not None:
                    spans.append(span)
    return tuple(spans)


def is_kept(record: LogRecord) -> bool:
    """Whether the record is about a model call and says inside which span: all others are none of our business."""
    return _event_name(record) is not None


def _event_name(record: LogRecord) -> str | None:
    """The name of its event, where it is kept."""
    name = record.event_name
    if not name:
        named = next((pair.value for pair in reversed(record.attributes) if pair.key == "event.name"), None)
        name = "" if named is None else named.string_value
    inside = hex_id(record.trace_id, TRACE_ID_DIGITS) and hex_id(record.span_id, SPAN_ID_DIGITS)
    return name if inside and name.startswith(PREFIX) else None


def _decode_record(record: LogRecord, resource: dict[str, Any], scope: str) -> Span | None:
    name = _event_name(record)
    trace_id = hex_id(record.trace_id, TRACE_ID_DIGITS)
    if name is None or trace_id is None:
        return None
    attributes = decode_attributes(record.attributes)
    time_ns = record.time_unix_nano or record.observed_time_unix_nano
    content = record.SerializeToString(deterministic=True)
    body = decode_value(record.body)
    return Span(
        trace_id=trace_id,
        span_id=hashlib.blake2b(content, digest_size=SPAN_ID_DIGITS // 2).hexdigest(),
        parent_span_id=hex_id(record.span_id, SPAN_ID_DIGITS),
        name=name,
        kind=0,
        start_ns=time_ns,
        end_ns=time_ns,
        status=0,
        status_message="",
        attributes=attributes | {LOG_EVENT: name} | ({LOG_BODY: body} if body else {}),
        resource=resource,
        scope=scope,
    )
