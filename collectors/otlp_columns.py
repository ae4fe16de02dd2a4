"""OTLP trace requests read by column: the names of a span's attributes in one list, their values in another.

A request of flattened documents has some hundred attributes a span, and asking protobuf for each of them, its value and
the kind of that costs more than everything else that decoding does. A message field that stands several times on the
wire may be declared as a single one: its parts are merged, and then all names are one list and all values, undecoded,
another. So the same messages are declared once more, with that one field changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Final, NamedTuple

from google.protobuf import descriptor_pb2
from google.protobuf.message import Message
from opentelemetry.proto.trace.v1 import trace_pb2

from .otlp_redeclared import trace_request

_Field = descriptor_pb2.FieldDescriptorProto
_ATTRIBUTES: Final = "attributes"
_PAIRS: Final = "Pairs"
_MANY_NAMES: Final = 512
"""Spans with more attributes keep their own names: they are no kind of span that comes again."""


class Messages(NamedTuple):
    """The two ways in which a request is parsed."""

    by_column: type[Message]
    """`ExportTraceServiceRequest` whose spans have `attributes.key` and `attributes.value`, each a list."""
    counted: type[Message]
    """The same with nothing but the attributes of its spans, each as bytes."""


@cache
def messages() -> Messages:
    """Both, declared when first asked for."""
    return Messages(trace_request(_merge), trace_request(_keep_attributes))


def _merge(message: descriptor_pb2.DescriptorProto) -> None:
    """Makes the attributes of a span one message, into which protobuf merges all of them."""
    if message.name != trace_pb2.Span.DESCRIPTOR.name:
        return
    pairs = message.nested_type.add(name=_PAIRS)
    pairs.field.add(name="key", number=1, label=_Field.LABEL_REPEATED, type=_Field.TYPE_STRING)
    pairs.field.add(name="value", number=2, label=_Field.LABEL_REPEATED, type=_Field.TYPE_BYTES)
    field = next(field for field in message.field if field.name == _ATTRIBUTES)
    field.label = _Field.LABEL_OPTIONAL
    field.type_name = f".{trace_pb2.Span.DESCRIPTOR.full_name}.{_PAIRS}"


def _keep_attributes(message: descriptor_pb2.DescriptorProto) -> None:
    """Leaves a span nothing but its attributes, each as the bytes that it is."""
    if message.name != trace_pb2.Span.DESCRIPTOR.name:
        return
    field = next(field for field in message.field if field.name == _ATTRIBUTES)
    del message.field[:]
    message.field.add(name=_ATTRIBUTES, number=field.number, label=_Field.LABEL_REPEATED, type=_Field.TYPE_BYTES)


@lru_cache(maxsize=256)
def _known_names(names: tuple[str, ...]) -> tuple[str, ...]:
    return names


def same_names(names: Sequence[str]) -> tuple[str, ...]:
    """The names of a span's attributes; those of an earlier span of its kind where they are the same.

    What is worked out from names alone is then found again at once.
    """
    return _known_names(tuple(names)) if len(names) <= _MANY_NAMES else tuple(names)
