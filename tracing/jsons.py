"""JSON of an app's values: never a repr, never endless, always valid text."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final

import orjson

from .texts import valid_text

MAX_DEPTH: Final = 12

_OPTIONS: Final = orjson.OPT_SERIALIZE_NUMPY


def dump(value: Any) -> str:
    """`value` as JSON text. What JSON cannot hold becomes "<TypeName>"; NaN and infinities become null."""
    try:
        return orjson.dumps(value, default=_stand_in, option=_OPTIONS).decode()
    except (TypeError, ValueError, RecursionError):
        return orjson.dumps(_tame(value, 0), option=_OPTIONS).decode()


def _stand_in(value: Any) -> Any:
    """What orjson is given for a type that it does not know."""
    if isinstance(value, float | Decimal):
        return float(value)
    if isinstance(value, set | frozenset):
        return sorted(value) if all(isinstance(item, str) for item in value) else list(value)
    fields = getattr(value, "__dict__", None)
    if isinstance(fields, dict) and hasattr(type(value), "model_fields"):
        return {name: item for name, item in fields.items() if item is not None}
    return f"<{type(value).__name__}>"


def _tame(value: Any, depth: int) -> Any:
    """A copy that orjson takes: text keys, valid texts, numbers in range, a bounded depth (so no cycles)."""
    if depth > MAX_DEPTH:
        return "<too deep>"
    if isinstance(value, str):
        return valid_text(str.__str__(value))
    if isinstance(value, dict):
        return {_key(key): _tame(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_tame(item, depth + 1) for item in value]
    if isinstance(value, int) and not isinstance(value, bool):
        return int(value) if -(2**63) <= value < 2**64 else str(int(value))
    try:
        return orjson.loads(orjson.dumps(value, option=_OPTIONS))
    except (TypeError, ValueError):
        inner = _stand_in(value)
        return inner if isinstance(inner, str | float) else _tame(inner, depth + 1)


def _key(key: Any) -> str:
    if isinstance(key, str):
        return valid_text(str.__str__(key))
    return str(key) if isinstance(key, int | float | bool) or key is None else f"<{type(key).__name__}>"
