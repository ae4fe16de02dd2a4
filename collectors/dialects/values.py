"""Reading single values from attributes, whatever was put there."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Callable
from typing import Any, Final, TypeAlias

import orjson

Json: TypeAlias = Any
"""A value parsed from JSON; what it is, its reader must test."""

UNREADABLE: Final = object()
"""What `parse_json` gives for a text that is no JSON. None is a value."""


def _nothing(_name: str) -> None:
    """What NaN and infinities are, where nobody asks for them."""


def parse_json(value: object, *, not_a_number: Callable[[str], Json] = _nothing) -> Json:
    """A JSON attribute's value; UNREADABLE where it is none. NaN and infinities become what `not_a_number` makes of
    their names."""
    if not isinstance(value, str):
        return value
    try:
        return orjson.loads(value)
    except orjson.JSONDecodeError:
        pass  # Python's own reader takes more: NaN, infinities, lone surrogates
    try:
        return json.loads(value, parse_constant=not_a_number)
    except (ValueError, RecursionError):
        return UNREADABLE


def as_text(value: object) -> str | None:
    """A text; numbers as written, None for what is none or empty of meaning."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool | int | float):
        return str(value)
    return None


def as_id(value: object) -> str | None:
    """An id as text: 42 and "42" are the same id. None where there is none; the empty text is none."""
    if value is None:
        return None
    if isinstance(value, str):
        return value or None
    if isinstance(value, bool):
        return None
    return as_text(value) or None


def as_count(value: object) -> int | None:
    """A whole number from 0 on, else None."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = int(value)
    except (ValueError, OverflowError):
        return None
    return number if number >= 0 else None


def as_score(value: object) -> float | None:
    """A finite number, else None."""
    if type(value) is float:
        return value if math.isfinite(value) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def as_texts(value: object) -> tuple[str, ...] | None:
    """A tuple of texts from a list (as JSON or as an array); None where it is no list."""
    parsed = parse_json(value)
    if not isinstance(parsed, list):
        return None
    return tuple(text for text in (as_text(item) for item in parsed) if text is not None)


def as_json_value(value: object) -> Json:
    """A value that JSON can hold: bytes as base64, numbers that JSON has not as None."""
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list):
        return [as_json_value(item) for item in value]
    if isinstance(value, dict):
        return {str(key): as_json_value(item) for key, item in value.items()}
    return value
