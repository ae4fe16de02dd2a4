"""Values of OTLP attributes as plain Python: from protobuf's messages, and from their bytes.

Values come back again and again (passages, their metadata, words of a vocabulary): those are known by their bytes and
decoded once, which also makes equal texts one object.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Any, Final, TypeAlias

from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue

from ..model import wire
from .repair import repair_json

AttributeValue: TypeAlias = Any
"""str, bool, int, float, bytes, list, dict or None."""

_JSON_KEYS: Final = (
    wire.HISTORY,
    wire.QUERIES,
    wire.FILTERS,
    wire.SETTINGS,
    wire.INPUTS,
    wire.HITS,
    wire.PROMPT,
    wire.CONTEXT,
)

_STRING, _DOUBLE = 0x0A, 0x21
"""First byte of a value that is a text, or a number with a fraction."""
_DOUBLE_SIZE: Final = 9
_MORE: Final = 0x80
"""Set in every byte of a length but the last."""
_unpack_double = struct.Struct("<d").unpack_from


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


def read_attributes(pairs: Iterable[KeyValue]) -> dict[str, AttributeValue]:
    """Attributes as a dict, as they were sent; of a key given twice the last counts."""
    return {pair.key: decode_value(pair.value) for pair in pairs}


def decode_attributes(pairs: Iterable[KeyValue]) -> dict[str, AttributeValue]:
    """Attributes as a dict, mended; of a key given twice the last counts."""
    attributes = read_attributes(pairs)
    mend_attributes(attributes)
    return attributes


def mend_attributes(attributes: dict[str, AttributeValue]) -> bool:
    """Repairs the JSON texts among the attributes in place; whether there was anything to do."""
    mended = False
    for key in _JSON_KEYS:
        value = attributes.get(key)
        if isinstance(value, str) and (repaired := repair_json(value)) != value:
            attributes[key] = repaired
            mended = True
    return mended


def hex_id(raw: bytes, digits: int) -> str | None:
    """An id as hex digits; None where there is none (empty or all zero, as OpenTelemetry says)."""
    if not raw.strip(b"\0"):
        return None
    text = raw.hex()
    return text if len(text) == digits else text.rjust(digits, "0")[-digits:]


def decode_bytes(raw: bytes) -> AttributeValue:
    """An AnyValue that is not parsed yet. DecodeError, or UnicodeDecodeError, where it is none."""
    size = len(raw)
    if size == _DOUBLE_SIZE and raw[0] == _DOUBLE:
        return _unpack_double(raw, 1)[0]
    if size > 1 and raw[0] == _STRING:
        length, shift, start = raw[1] & ~_MORE, 0, 2
        while raw[start - 1] & _MORE and start < size:
            shift += 7
            length |= (raw[start] & ~_MORE) << shift
            start += 1
        if start + length == size:
            return str(raw[start:], "utf-8")
    return decode_value(AnyValue.FromString(raw))


class KnownValues:
    """Values that were decoded, by their bytes: the recent ones and those before. Any thread may ask."""

    LONGEST: Final = 4096
    """Longest value, in bytes, that is kept."""

    def __init__(self, room: int = 8_000_000) -> None:
        """`room`: bytes of values after which the recent ones become those before; twice as much is kept."""
        self._room = room
        self._recent: dict[bytes, Any] = {}
        self._before: dict[bytes, Any] = {}
        self._left = room

    def __len__(self) -> int:
        """How many are kept."""
        return len(self._recent) + len(self._before)

    def read(self, raw: list[bytes]) -> list[AttributeValue]:
        """The values of these AnyValues. Raises as `decode_bytes` does."""
        values = list(map(self._recent.get, raw))
        for place, value in enumerate(values):
            if value is None:
                one = raw[place]
                is_double = len(one) == _DOUBLE_SIZE and one[0] == _DOUBLE  # scores: too many, and each another
                values[place] = _unpack_double(one, 1)[0] if is_double else self._read(one)
        return values

    def _read(self, raw: bytes) -> AttributeValue:
        value = self._before.get(raw)
        if value is None:
            value = decode_bytes(raw)
        if isinstance(value, str | int) and len(raw) <= self.LONGEST:
            self._recent[raw] = value
            self._left -= len(raw) + 100
            if self._left < 0:
                self._recent, self._before, self._left = {}, self._recent, self._room
        return value
