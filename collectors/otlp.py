"""OTLP trace requests (protobuf) to spans.

Attribute values are decoded in full: arrays become lists, key-value lists dicts, bytes stay bytes. Odd
content never stops a batch: a span id of the wrong length is brought to length, a span without a trace id
gets one made from its content (so the same span gets the same again), a text that is not UTF-8 is repaired.
"""

from __future__ import annotations

import hashlib
from typing import Any, Final

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span as WireSpan

from ..model import BadInput, Span, SpanEvent, wire
from .lenient import repair_payload
from .otlp_columns import messages, same_names
from .otlp_values import KnownValues, decode_attributes, hex_id, mend_attributes, read_attributes

TRACE_ID_DIGITS: Final = 32
SPAN_ID_DIGITS: Final = 16

_KNOWN: Final = KnownValues()


def decode_traces(payload: bytes) -> tuple[Span, ...]:
    """The spans of an ExportTraceServiceRequest, in its order. Raises BadInput where the bytes are none."""
    try:
        found = _decode_by_column(payload)
    except (DecodeError, UnicodeDecodeError):
        found = None  # the other way says what is wrong, or repairs it
    return found or _decode_by_span(payload)


def _decode_by_column(payload: bytes) -> tuple[Span, ...] | None:
    """The spans of a request in which nothing is odd; None, or an error, for any other."""
    by_column, counted = messages()
    request: Any = by_column.FromString(payload)
    numbers: Any = counted.FromString(payload)
    spans: list[Span] = []
    for resource_spans, counts_of_resource in zip(request.resource_spans, numbers.resource_spans, strict=True):
        resource = decode_attributes(resource_spans.resource.attributes)
        for scope_spans, counts in zip(resource_spans.scope_spans, counts_of_resource.scope_spans, strict=True):
            scope = scope_spans.scope.name
            for span, count in zip(scope_spans.spans, counts.spans, strict=True):
                attributes = _read_columns(span.attributes, len(count.attributes))
                if attributes is None or not (span.trace_id.strip(b"\0") and span.span_id.strip(b"\0")):
                    return None
                spans.append(_make_span(span, attributes, resource, scope))
    return tuple(spans)


def _read_columns(pairs: Any, count: int) -> dict[str, Any] | None:  # noqa: ANN401 - its class is made at run time
    """The attributes of a span; None where a name or a value is missing, or a name came twice."""
    keys, raw = pairs.key[:], pairs.value[:]
    if not len(keys) == len(raw) == count:
        return None
    attributes = dict(zip(same_names(keys), _KNOWN.read(raw), strict=True))
    return attributes if len(attributes) == count else None


def _decode_by_span(payload: bytes) -> tuple[Span, ...]:
    """The spans of any request; what is wrong with it is repaired."""
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
        resource = decode_attributes(resource_spans.resource.attributes)
        for scope_spans in resource_spans.scope_spans:
            scope = scope_spans.scope.name
            for span in scope_spans.spans:
                attributes = read_attributes(span.attributes)
                spans.append(_make_span(span, attributes, resource, scope, repaired=len(spans) in touched))
    return tuple(spans)


def _make_span(
    span: WireSpan, attributes: dict[str, Any], resource: dict[str, Any], scope: str, *, repaired: bool = False
) -> Span:
    """A span; its attributes are mended in place."""
    mended = mend_attributes(attributes)
    status, events, links = span.status, span.events, span.links
    return Span(
        trace_id=hex_id(span.trace_id, TRACE_ID_DIGITS) or _made_id(span, TRACE_ID_DIGITS),
        span_id=hex_id(span.span_id, SPAN_ID_DIGITS) or _made_id(span, SPAN_ID_DIGITS),
        parent_span_id=hex_id(span.parent_span_id, SPAN_ID_DIGITS),
        name=span.name,
        kind=span.kind,
        start_ns=span.start_time_unix_nano,
        end_ns=span.end_time_unix_nano,
        status=status.code,
        status_message=status.message,
        attributes=attributes,
        resource=resource,
        scope=scope,
        events=tuple(
            SpanEvent(event.name, event.time_unix_nano, decode_attributes(event.attributes)) for event in events
        )
        if events
        else (),
        links=tuple(
            (hex_id(link.trace_id, TRACE_ID_DIGITS) or "", hex_id(link.span_id, SPAN_ID_DIGITS) or "") for link in links
        )
        if links
        else (),
        dropped_attributes=span.dropped_attributes_count,
        dropped_events=span.dropped_events_count,
        repaired=repaired or mended or attributes.get(wire.REPAIRED) is True,
    )


def _made_id(span: WireSpan, digits: int) -> str:
    content = span.SerializeToString(deterministic=True)
    return hashlib.blake2b(content, digest_size=digits // 2).hexdigest()
