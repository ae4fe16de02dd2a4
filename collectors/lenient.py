"""OTLP requests whose strings are not UTF-8, as some exporters write half an emoji.

Protobuf refuses a whole message for one such string. Here the same messages are declared once more with
`bytes` in place of `string`; what such a parse gives is repaired and handed back to the strict parser, with
the places of the spans that were touched.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from google.protobuf import descriptor_pb2
from google.protobuf.message import DecodeError, Message

from ..model import BadInput
from .otlp_redeclared import FILES, trace_request
from .repair import repair_utf8

_Field = descriptor_pb2.FieldDescriptorProto


class Repaired(NamedTuple):
    """A payload that the strict parser reads."""

    payload: bytes
    spans: frozenset[int]
    """0-based places, in the order of the message, of the spans in whose own texts something was replaced."""


@cache
def lenient_message() -> type[Message]:
    """`ExportTraceServiceRequest` with `bytes` for every `string`; the wire format is the same."""
    return trace_request(_strings_to_bytes)


def repair_payload(payload: bytes) -> Repaired:
    """The payload with every string made valid. Raises BadInput where it is no trace request at all."""
    message: Any = lenient_message()()
    try:
        message.ParseFromString(payload)
    except DecodeError:
        raise BadInput(
            f"{len(payload)} bytes were read as an OTLP trace request and are none (protobuf cannot decode them)."
        ) from None
    touched = set()
    place = 0
    for resource_spans in message.resource_spans:
        _repair(resource_spans.resource)
        for scope_spans in resource_spans.scope_spans:
            _repair(scope_spans.scope)
            for span in scope_spans.spans:
                if _repair(span):
                    touched.add(place)
                place += 1
    _repair(message)
    return Repaired(message.SerializeToString(), frozenset(touched))


def _strings_to_bytes(message: descriptor_pb2.DescriptorProto) -> None:
    for field in message.field:
        if field.type == _Field.TYPE_STRING:
            field.type = _Field.TYPE_BYTES
            field.ClearField("default_value")
    for nested in message.nested_type:
        _strings_to_bytes(nested)


def _repair(message: Message) -> bool:
    """Repairs all strings below `message` in place; whether there was anything to do."""
    touched = False
    strict = message_strings(message.DESCRIPTOR.full_name)
    for field, value in message.ListFields():
        if field.type == field.TYPE_MESSAGE:
            for item in value if field.is_repeated else (value,):
                touched |= _repair(item)
        elif field.name in strict and not field.is_repeated:
            fixed = repair_utf8(value).encode()
            if fixed != value:
                setattr(message, field.name, fixed)
                touched = True
    return touched


@cache
def message_strings(full_name: str) -> frozenset[str]:
    """Names of the fields of a message that are strings in OTLP (the others are bytes there, too)."""
    for module in FILES:
        for message in module.DESCRIPTOR.message_types_by_name.values():
            for found in (message, *message.nested_types):
                if found.full_name == full_name:
                    return frozenset(field.name for field in found.fields if field.type == field.TYPE_STRING)
    return frozenset()
