"""OTLP/JSON: the readable form of a trace, with ids in hexadecimal as the specification says."""

from __future__ import annotations

import base64
import copy
from collections.abc import Callable, Iterator
from typing import Any, Final

from google.protobuf.json_format import MessageToDict, ParseDict
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

_IDS: Final = ("traceId", "spanId", "parentSpanId")


def by_trace(payload: bytes) -> Iterator[tuple[str, dict[str, Any]]]:
    """(trace id, a resourceSpans entry with only that trace's spans) for each trace of an OTLP request."""
    message = MessageToDict(ExportTraceServiceRequest.FromString(payload), use_integers_for_enums=True)
    _rewrite_ids(message, lambda text: base64.b64decode(text).hex())
    for resource in message.get("resourceSpans", []):
        for scope in resource["scopeSpans"]:
            for trace_id in dict.fromkeys(span["traceId"] for span in scope["spans"]):
                spans = [span for span in scope["spans"] if span["traceId"] == trace_id]
                yield trace_id, {**resource, "scopeSpans": [{**scope, "spans": spans}]}


def to_protobuf(trace: dict[str, Any]) -> bytes:
    """The same trace as the bytes that an exporter sends: an ExportTraceServiceRequest."""
    message = copy.deepcopy(trace)
    _rewrite_ids(message, lambda text: base64.b64encode(bytes.fromhex(text)).decode())
    return ParseDict(message, ExportTraceServiceRequest()).SerializeToString()


def spans_of(trace: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every span of a trace, as it is written in JSON."""
    for resource in trace.get("resourceSpans", []):
        for scope in resource["scopeSpans"]:
            yield from scope["spans"]


def _rewrite_ids(trace: dict[str, Any], rewrite: Callable[[str], str]) -> None:
    """Protobuf's own JSON writes bytes as base64, OTLP/JSON writes ids in hexadecimal."""
    for span in spans_of(trace):
        for holder in (span, *span.get("links", [])):
            holder.update({key: rewrite(holder[key]) for key in _IDS if holder.get(key)})
