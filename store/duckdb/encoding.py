"""JSON as the store keeps it: exact for everything that a recorded value may hold, NaN and bytes included."""

from __future__ import annotations

import base64
import json
from typing import Any

import orjson

Json = Any
"""What JSON text holds: the reader knows what it wrote."""

_BYTES_KEY = "\x00bytes"
"""Marks bytes. No received key begins with NUL: the ingester replaces it by its visible mark."""


def dumps(value: object) -> str:
    """`value` as compact JSON text. NaN and infinities keep their names, bytes travel as base64."""
    try:
        text = orjson.dumps(value)
    except TypeError:  # bytes, whole numbers beyond 64 bits, lone surrogates
        return _exact(value)
    # orjson writes NaN as null.
    return _exact(value) if b"null" in text else text.decode()


def loads(text: str) -> Json:
    """The value that `dumps` was given; tuples come back as lists."""
    if "\\u0000bytes" in text:
        return json.loads(text, object_hook=_decode)
    return json.loads(text)


def dumps_optional(value: object) -> str | None:
    """As `dumps`, with None for None."""
    return None if value is None else dumps(value)


def loads_optional(text: str | None) -> Json:
    """As `loads`, with None for None."""
    return None if text is None else loads(text)


def dumps_filled(value: object) -> str | None:
    """As `dumps`, with None for everything empty: an empty column costs nothing."""
    return dumps(value) if value else None


def _encode(value: object) -> object:
    """What JSON has no form for: bytes exactly, sets as lists, anything else by its text."""
    if isinstance(value, bytes | bytearray):
        return {_BYTES_KEY: base64.b64encode(bytes(value)).decode("ascii")}
    if isinstance(value, set | frozenset):
        return sorted(value, key=str)
    return str(value)


_exact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=_encode).encode


def _decode(value: dict[str, Any]) -> object:
    if len(value) == 1 and _BYTES_KEY in value:
        return base64.b64decode(value[_BYTES_KEY])
    return value
