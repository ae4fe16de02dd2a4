"""OTLP trace requests (protobuf) to spans.

Attribute values are decoded in full: arrays become lists, key-value lists dicts, bytes stay bytes. Odd
content never stops a batch: a span id of the wrong length is brought to length, a span without a trace id
gets one made from its content (so the same span gets the same again), a text that is not UTF-8 is repaired.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any, Final, TypeAlias

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span as WireSpan

from ..model import BadInput, Span, SpanEvent, wire
from .lenient import repair_payload
from .repair import repair_json

AttributeValue: TypeAlias = Any
"""str, bool, int, float, bytes, list, dict or None."""

TRACE_ID_DIGITS: Final = 32
SPAN_ID_DIGITS: Final = 16

_JSON_KEYS: Final = frozenset(
    (
        wire.HISTORY,
        wire.QUERIES,
        wire.FILTERS,
        wire.SETTINGS,
        wire.INPUTS,
        wire.HITS,
        wire.PROMPT,
        wire.CONTEXT,
    )
)


def decode_traces(payload: bytes) -> tuple[Span, ...]:
    """The spans of an ExportTraceServiceRequest, in its order. Raises BadInput where the bytes are none."""
    request = ExportTraceServiceRequest()
    touched: frozenset[int] = frozenset()
    try:
        request.ParseFromString(payload)
    except DecodeError:
        repaired = repair_payload(payload)
        touched = repaired.spans
        request.ParseFromString(repaired.payload)
    if payload and not request.resource_spans:
        raise BadInput(f"{len(payload)} bytes were read as an OTLP trace request and hold no spans of one.")
    spans: list[Span] = []
    for resource_spans in request.resource_spans:
        resource = _decode_attributes(resource_spans.resource.attributes)[0]
        for scope_spans in resource_spans.scope_spans:
            scope = scope_spans.scope.name
            for span in scope_spans.spans:
                spans.append(_decode_span(span, resource, scope, repaired=len(spans) in touched))
    return tuple(spans)


def _decode_span(span: WireSpan, resource: dict[str, Any], scope: str, *, repaired: bool) -> Span:
    attributes, mended = _decode_attributes(span.attributes)
    trace_id = hex_id(span.trace_id, TRACE_ID_DIGITS) or _made_id(span, TRACE_ID_DIGITS)
    return Span(
        trace_id=trace_id,
        span_id=hex_id(span.span_id, SPAN_ID_DIGITS) or _made_id(span, SPAN_ID_DIGITS),
        parent_span_id=hex_id(span.parent_span_id, SPAN_ID_DIGITS),
        name=span.name,
        kind=span.kind,
        start_ns=span.start_time_unix_nano,
        end_ns=span.end_time_unix_nano,
        status=span.status.code,
        status_message=span.status.message,
        attributes=attributes,
        resource=resource,
        scope=scope,
        events=tuple(
            SpanEvent(event.name, event.time_unix_nano, _decode_attributes(event.attributes)[0])
            for event in span.events
        ),
        links=tuple(
            (hex_id(link.trace_id, TRACE_ID_DIGITS) or "", hex_id(link.span_id, SPAN_ID_DIGITS) or "")
            for link in span.links
        ),
        dropped_attributes=span.dropped_attributes_count,
        dropped_events=span.dropped_events_count,
        repaired=repaired or mended or attributes.get(wire.REPAIRED) is True,
    )


def _decode_attributes(pairs: Iterable[KeyValue]) -> tuple[dict[str, Any], bool]:
    """Attributes as a dict (of a key given twice the last counts), and whether a JSON text had to be mended."""
    attributes: dict[str, Any] = {}
    mended = False
    for pair in pairs:
        key, value = pair.key, decode_value(pair.value)
        if key in _JSON_KEYS and isinstance(value, str):
            repaired = repair_json(value)
            mended |= repaired is not value and repaired != value
            value = repaired
        attributes[key] = value
    return attributes, mended


def decode_attributes(pairs: Iterable[KeyValue]) -> dict[str, Any]:
    """Attributes as a dict; of a key given twice the last counts."""
    return _decode_attributes(pairs)[0]


def decode_value(value: AnyValue) -> AttributeValue:
    """An AnyValue as a plain Python value; None for an empty one."""
    match value.WhichOneof("value"):
        case "string_value":
            return value.string_value
        case "bool_value":
            return value.bool_value
        case "int_value":
            return value.int_value
        case "double_value":
            return value.double_value
        case "array_value":
            return [decode_value(item) for item in value.array_value.values]
        case "kvlist_value":
            return {item.key: decode_value(item.value) for item in value.kvlist_value.values}
        case "bytes_value":
            return value.bytes_value
        case _:
            return None


def hex_id(raw: bytes, digits: int) -> str | None:
    """An id as hex digits; None where there is none (empty or all zero, as OpenTelemetry says)."""
    if not raw.strip(b"\0"):
        return None
    return raw.hex().rjust(digits, "0")[-digits:]


def _made_id(span: WireSpan, digits: int) -> str:
    content = span.SerializeToString(deterministic=True)
    return hashlib.blake2b(content, digest_size=digits // 2).hexdigest()
