"""Spans as OTLP bytes (protobuf ExportTraceServiceRequest), written without the protobuf library.

The official encoder builds a tree of message objects: four times the CPU, beside a running app; it needs
protobuf in the app's process, and it drops a whole attribute, with a traceback in the app's log, for one
lone surrogate. Tests hold this file to the official one, span for span.

Text that is no Unicode (lone surrogates) becomes U+FFFD and numbers beyond 64 bits become text; such a
span says so by the attribute goldrank.repaired.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import Link, SpanContext, SpanKind

from ...model import wire
from ..own_spans import OwnSpan, OwnTracer
from .frames import MAX_PAYLOAD

_SOFT_LIMIT: Final = 4 * 1024 * 1024
"""Bytes. Spans beyond it go into the next message, so that a reader need not hold much at once."""
_ENVELOPE: Final = 64
"""Bytes that tags and lengths around one span, its resource and scope take at most."""
_SURROGATES: Final = re.compile("[\ud800-\udfff]")
_TIMES: Final = struct.Struct("<BQBQ")
_FLAG_HAS_REMOTE: Final = 0x100
_FLAG_REMOTE: Final = 0x200
_INT64: Final = 1 << 63
_HEADS_KEPT: Final = 4_096


class Encoded(NamedTuple):
    """Spans as messages."""

    messages: list[bytes]
    counts: list[int]
    """How many spans each message holds."""
    too_large: int
    """Spans left out because one alone is longer than a frame may be."""
    not_encodable: int
    """Spans left out because they are no proper spans."""


class _Scope(NamedTuple):
    """Spans of one instrumentation scope, encoded."""

    head: bytes
    url: bytes
    spans: list[bytes]
    """The tag and length of each span, and the span itself, in turn."""
    room: int
    """Bytes that its head and that of its resource take beside a span."""


class _Resource(NamedTuple):
    """Scopes below one resource; the key is the identity of the scope object."""

    head: bytes
    url: bytes
    scopes: dict[int, _Scope]


def encode_spans(spans: Sequence[ReadableSpan]) -> Encoded:
    """`spans` in order, grouped by resource and scope, in as few messages as the limits allow."""
    result = Encoded([], [], 0, 0)
    resources: dict[int, _Resource] = {}
    size, too_large, not_encodable = 0, 0, 0
    tracer: OwnTracer | None = None
    scope = _Scope(b"", b"", [], 0)
    for span in spans:
        try:
            encoded = _span(span)
            if type(span) is not OwnSpan or span.tracer is not tracer:  # those of one tracer come in a row
                scope = _scope_of(span, resources)
                tracer = span.tracer if type(span) is OwnSpan else None
        except Exception:  # noqa: BLE001 - one span of an odd make must not take its neighbours along
            not_encodable += 1
            continue
        length = len(encoded)
        if length + scope.room > MAX_PAYLOAD:
            too_large += 1
            continue
        if size and size + length > _SOFT_LIMIT:
            _finish(resources, result)
            size = 0
        scope.spans.extend((b"\x12" + _varint(length), encoded))
        size += length
    if size:
        _finish(resources, result)
    return result._replace(too_large=too_large, not_encodable=not_encodable)


def _scope_of(span: ReadableSpan, resources: dict[int, _Resource]) -> _Scope:
    resource = _resource_of(span, resources)
    scope = span.instrumentation_scope
    found = resource.scopes.get(id(scope))
    if found is None:
        head = _bytes(b"\x0a", _scope(scope) if scope else b"")
        url = _text(b"\x1a", scope.schema_url if scope else None)
        room = len(resource.head) + len(head) + _ENVELOPE
        found = resource.scopes[id(scope)] = _Scope(head, url, [], room)
    return found


def _resource_of(span: ReadableSpan, resources: dict[int, _Resource]) -> _Resource:
    found = resources.get(id(span.resource))
    if found is None:
        head = _bytes(b"\x0a", _attributes(b"\x0a", span.resource.attributes, _Repairs()))
        found = resources[id(span.resource)] = _Resource(head, _text(b"\x1a", span.resource.schema_url), {})
    return found


def _scope(scope: InstrumentationScope) -> bytes:
    attributes = _attributes(b"\x1a", scope.attributes, _Repairs())
    return _text(b"\x0a", scope.name) + _text(b"\x12", scope.version) + attributes


def _finish(resources: dict[int, _Resource], result: Encoded) -> None:
    """Appends one message with the spans of all scopes, and empties them. What is long is copied once."""
    parts: list[bytes] = []
    count = 0
    for resource in resources.values():
        inner = [resource.head]
        filled = [scope for scope in resource.scopes.values() if scope.spans]
        for scope in filled:
            spans = (scope.head, *scope.spans, scope.url)
            inner += (b"\x12" + _varint(_length(spans)), *spans)
            count += len(scope.spans) // 2
            scope.spans.clear()
        if filled:
            inner.append(resource.url)
            parts += (b"\x0a" + _varint(_length(inner)), *inner)
    result.messages.append(b"".join(parts))
    result.counts.append(count)


def _length(parts: Iterable[bytes]) -> int:
    return sum(map(len, parts))


class _Repairs:
    """Whether anything of one span had to be changed."""

    def __init__(self) -> None:
        self.made = False


def _span(span: ReadableSpan) -> bytes:
    if type(span) is OwnSpan and span.is_plain():
        return _own_span(span)
    context = span.context
    if context is None or span.start_time is None or span.end_time is None:
        message = "a span without context or times"
        raise ValueError(message)
    repairs = _Repairs()
    parent = span.parent
    parts = [
        b"\x0a\x10",
        context.trace_id.to_bytes(16, "big"),
        b"\x12\x08",
        context.span_id.to_bytes(8, "big"),
        _trace_state(context),
        b"\x22\x08" + parent.span_id.to_bytes(8, "big") if parent else b"",
        _text(b"\x2a", span.name, repairs),
        b"\x30" + _varint(span.kind.value + 1),
        _TIMES.pack(0x39, span.start_time, 0x41, span.end_time),
        _attributes(b"\x4a", span.attributes, repairs),
        _count(b"\x50", span.dropped_attributes),
        *[_bytes(b"\x5a", _event(event, repairs)) for event in span.events],
        _count(b"\x60", span.dropped_events),
        *[_bytes(b"\x6a", _link(link, repairs)) for link in span.links],
        _count(b"\x70", span.dropped_links),
        _status(span, repairs),
        b"\x85\x01" + _flags(parent),
    ]
    if repairs.made and wire.REPAIRED not in (span.attributes or ()):
        parts.append(_REPAIRED)
    return b"".join(parts)


def _own_span(span: OwnSpan) -> bytes:
    """The same of a plain span of ours, without the objects that would be made to answer for it."""
    if span.end_time is None:
        message = "a span that has not ended"
        raise ValueError(message)
    repairs = _Repairs()
    attributes, hits = span.parts()
    parts = [b"\x0a\x10", span.trace_id.to_bytes(16, "big"), b"\x12\x08", span.span_id.to_bytes(8, "big")]
    if span.parent_id:
        parts += (b"\x22\x08", span.parent_id.to_bytes(8, "big"))
    parts += (
        _text(b"\x2a", span.name, repairs),
        _INTERNAL,
        _TIMES.pack(0x39, span.start_time, 0x41, span.end_time),
        *_attribute_parts(b"\x4a", attributes, repairs),
    )
    if hits is not None:
        said, repaired = hits
        parts += (_text_head(b"\x4a", wire.HITS, len(said)), said)
        repairs.made = repairs.made or repaired
    parts.append(_UNSET_AND_LOCAL)
    if repairs.made and wire.REPAIRED not in attributes:
        parts.append(_REPAIRED)
    return b"".join(parts)


def _event(event: Event, repairs: _Repairs) -> bytes:
    return b"".join(
        (
            b"\x09" + struct.pack("<Q", event.timestamp),
            _text(b"\x12", event.name, repairs),
            _attributes(b"\x1a", event.attributes, repairs),
            _count(b"\x20", event.dropped_attributes),
        )
    )


def _link(link: Link, repairs: _Repairs) -> bytes:
    return b"".join(
        (
            b"\x0a\x10" + link.context.trace_id.to_bytes(16, "big"),
            b"\x12\x08" + link.context.span_id.to_bytes(8, "big"),
            _attributes(b"\x22", link.attributes, repairs),
            _count(b"\x28", link.dropped_attributes),
            b"\x35" + _flags(link.context),
        )
    )


def _status(span: ReadableSpan, repairs: _Repairs) -> bytes:
    code = span.status.status_code.value
    return _bytes(b"\x7a", _text(b"\x12", span.status.description, repairs) + _count(b"\x18", code))


def _flags(context: SpanContext | None) -> bytes:
    """Where the parent (or linked span) lives, as OTLP's fixed32 flags."""
    remote = context is not None and context.is_remote
    return struct.pack("<I", _FLAG_HAS_REMOTE | _FLAG_REMOTE if remote else _FLAG_HAS_REMOTE)


def _trace_state(context: SpanContext) -> bytes:
    state = context.trace_state
    return _text(b"\x1a", ",".join(f"{key}={value}" for key, value in state.items())) if state else b""


def _attributes(tag: bytes, attributes: Mapping[str, Any] | None, repairs: _Repairs) -> bytes:
    if not attributes:
        return b""
    # The SDK's own mapping is slow to iterate, and hands out its dict by copy().
    copy: Mapping[str, Any] = attributes.copy() if hasattr(attributes, "copy") else attributes
    return b"".join(_attribute_parts(tag, copy, repairs))


def _attribute_parts(tag: bytes, attributes: Mapping[str, Any], repairs: _Repairs) -> list[bytes]:
    parts: list[bytes] = []
    for key, value in attributes.items():
        kind = type(value)
        try:
            if kind is str:  # nearly all are
                content = value.encode()
                parts += (_text_head(tag, key, len(content)), content)
                continue
            if kind is int and 0 <= value < 128:
                parts.append(_small_number(tag, key, value))
                continue
        except UnicodeEncodeError:  # in the key or in the value: that is seen to below
            pass
        parts.append(_bytes(tag, _key(key, repairs) + _bytes(b"\x12", _value(value, repairs))))
    return parts


@lru_cache(maxsize=_HEADS_KEPT)
def _text_head(tag: bytes, key: str, length: int) -> bytes:
    """What stands before a text of so many bytes under this key. UnicodeEncodeError for a key that is no Unicode.

    Keys come again with every span, and most lengths do. So a long text is copied once.
    """
    name = key.encode()
    head = b"\x0a" + _varint(len(name)) + name
    inner = b"\x0a" + _varint(length)
    outer = b"\x12" + _varint(len(inner) + length)
    return b"".join((tag, _varint(len(head) + len(outer) + len(inner) + length), head, outer, inner))


@lru_cache(maxsize=_HEADS_KEPT)
def _small_number(tag: bytes, key: str, value: int) -> bytes:
    """An attribute whose value is one of 0 to 127. UnicodeEncodeError as above."""
    name = key.encode()
    return _bytes(tag, b"\x0a" + _varint(len(name)) + name + b"\x12\x02\x18" + _SMALL[value])


def _key(key: str, repairs: _Repairs) -> bytes:
    return _bytes(b"\x0a", _utf8(key, repairs))


def _value(value: Any, repairs: _Repairs) -> bytes:  # noqa: ANN401 - what an attribute may hold is open
    """One AnyValue. None is an AnyValue without a value, as the specification says."""
    if isinstance(value, str):
        return _bytes(b"\x0a", _utf8(value, repairs))
    if isinstance(value, bool):
        return b"\x10\x01" if value else b"\x10\x00"
    if isinstance(value, int):
        return _integer(value, repairs)
    if isinstance(value, float):
        return struct.pack("<Bd", 0x21, value)
    if value is None:
        return b""
    if isinstance(value, bytes):
        return _bytes(b"\x3a", value)
    return _container(value, repairs)


def _container(value: Any, repairs: _Repairs) -> bytes:  # noqa: ANN401 - as above
    if isinstance(value, Mapping):
        pairs = [(_key(str(key), repairs), _value(item, repairs)) for key, item in value.items()]
        return _bytes(b"\x32", b"".join([_bytes(b"\x0a", key + _bytes(b"\x12", item)) for key, item in pairs]))
    if isinstance(value, Sequence):
        return _bytes(b"\x2a", b"".join([_bytes(b"\x0a", _value(item, repairs)) for item in value]))
    repairs.made = True
    return _bytes(b"\x0a", f"<{type(value).__name__}>".encode("utf-8", "replace"))


def _integer(value: int, repairs: _Repairs) -> bytes:
    if -_INT64 <= value < _INT64:
        return b"\x18" + _varint(value & 0xFFFFFFFFFFFFFFFF)
    repairs.made = True
    return _bytes(b"\x0a", f"{value:#x}".encode())  # decimal digits are limited to 4,300 by Python itself


def _text(tag: bytes, text: str | None, repairs: _Repairs | None = None) -> bytes:
    return _bytes(tag, _utf8(text, repairs or _Repairs())) if text else b""


def _utf8(text: str, repairs: _Repairs) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        repairs.made = True
        return _SURROGATES.sub("\ufffd", text).encode()


def _count(tag: bytes, number: int) -> bytes:
    return tag + _varint(number) if number else b""


def _bytes(tag: bytes, content: bytes) -> bytes:
    return tag + _varint(len(content)) + content


def _varint(number: int) -> bytes:
    if number < 128:
        return _SMALL[number]
    if number < 16384:
        return _LOW[number & 0x7F] + _SMALL[number >> 7]
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


_SMALL: Final = tuple(bytes((number,)) for number in range(128))
_LOW: Final = tuple(bytes((number | 0x80,)) for number in range(128))

_INTERNAL: Final = b"\x30" + _varint(SpanKind.INTERNAL.value + 1)
_UNSET_AND_LOCAL: Final = b"\x7a\x00\x85\x01" + _flags(None)
"""The status of a span without one, and the flags of one whose parent is of this process."""
_REPAIRED: Final = _bytes(b"\x4a", _key(wire.REPAIRED, _Repairs()) + _bytes(b"\x12", b"\x10\x01"))
