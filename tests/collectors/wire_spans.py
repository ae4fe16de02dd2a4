"""Spans as goldrank's shim writes them, made by hand: as `model.Span`, and as OTLP bytes.

Texts may hold what no exporter should send (lone surrogates): the bytes then hold them as some exporters
really write them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from goldrank.collectors.lenient import lenient_message
from goldrank.model import Span, wire

T0_NS = 1_793_275_200_000_000_000
"""2026-10-29 12:00:00 UTC."""
TRACE = "0" * 30 + "11"
RESOURCE = {wire.APP: "bot", wire.ENVIRONMENT: "test", wire.APP_VERSION: "1.2"}


def span_id(number: int) -> str:
    """16 hex digits."""
    return f"{number:016x}"


def make_span(
    number: int,
    parent: int | None = None,
    *,
    trace: str = TRACE,
    name: str = "",
    start_ms: float = 0,
    end_ms: float | None = None,
    attributes: dict[str, Any] | None = None,
    **fields: Any,
) -> Span:
    """A foreign span; times in milliseconds from T0_NS, `end_ms` ten later by default."""
    start_ns = T0_NS + int(start_ms * 1e6)
    end_ns = start_ns + 10_000_000 if end_ms is None else T0_NS + int(end_ms * 1e6)
    values: dict[str, Any] = {
        "trace_id": trace,
        "span_id": span_id(number),
        "parent_span_id": None if parent is None else span_id(parent),
        "name": name or f"span {number}",
        "kind": 1,
        "start_ns": start_ns,
        "end_ns": end_ns,
        "status": 0,
        "status_message": "",
        "attributes": attributes or {},
        "resource": RESOURCE,
        "scope": "test",
    }
    return Span(**(values | fields))


def make_request(number: int, parent: int | None = None, *, question: str = "how?", **fields: Any) -> Span:
    """A request span of the shim."""
    attributes = {wire.VERSION: 1, wire.KIND: "request", wire.QUESTION: question}
    attributes |= fields.pop("attributes", {})
    return make_span(number, parent, attributes=attributes, **fields)


def make_stage(
    number: int,
    parent: int | None = None,
    kind: str = "retrieve",
    hits: list[dict[str, Any]] | None = None,
    **fields: Any,
) -> Span:
    """A stage span of the shim; `hits` are items of the HITS attribute."""
    attributes: dict[str, Any] = {wire.VERSION: 1, wire.KIND: kind}
    if hits is not None:
        attributes[wire.HITS] = json.dumps({"n": len(hits), "shape": "list[dict]", "scope": "s", "hits": hits})
    attributes |= fields.pop("attributes", {})
    return make_span(number, parent, attributes=attributes, **fields)


def encode(spans: Iterable[Span]) -> bytes:
    """One ExportTraceServiceRequest; resource by resource, in order."""
    message: Any = lenient_message()()
    last: Any = None
    for span in spans:
        key = (span.resource, span.scope)
        if last is None or last[0] != key:
            resource_spans = message.resource_spans.add()
            _set_attributes(resource_spans.resource.attributes, span.resource)
            scope_spans = resource_spans.scope_spans.add()
            scope_spans.scope.name = _raw(span.scope)
            last = (key, scope_spans)
        _encode_span(last[1].spans.add(), span)
    data: bytes = message.SerializeToString()
    return data


def _encode_span(target: Any, span: Span) -> None:
    target.trace_id = bytes.fromhex(span.trace_id)
    target.span_id = bytes.fromhex(span.span_id)
    target.parent_span_id = bytes.fromhex(span.parent_span_id or "")
    target.name = _raw(span.name)
    target.kind = span.kind
    target.start_time_unix_nano = span.start_ns
    target.end_time_unix_nano = span.end_ns
    target.status.code = span.status
    target.status.message = _raw(span.status_message)
    _set_attributes(target.attributes, span.attributes)
    for event in span.events:
        added = target.events.add(name=_raw(event.name), time_unix_nano=event.time_ns)
        _set_attributes(added.attributes, event.attributes)
    for trace_id, linked in span.links:
        target.links.add(trace_id=bytes.fromhex(trace_id), span_id=bytes.fromhex(linked))


def _set_attributes(target: Any, attributes: dict[str, Any]) -> None:
    for key, value in attributes.items():
        _set_value(target.add(key=_raw(key)).value, value)


def _set_value(target: Any, value: Any) -> None:
    match value:
        case bool():
            target.bool_value = value
        case str():
            target.string_value = _raw(value)
        case int():
            target.int_value = value
        case float():
            target.double_value = value
        case bytes():
            target.bytes_value = value
        case list():
            target.array_value.SetInParent()
            for item in value:
                _set_value(target.array_value.values.add(), item)
        case dict():
            target.kvlist_value.SetInParent()
            _set_attributes(target.kvlist_value.values, value)
        case None:
            pass


def _raw(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
