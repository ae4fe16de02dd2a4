"""JSON of an app's values: never a repr, never endless, always valid text."""

from __future__ import annotations

import sys
from typing import Any, Final

import orjson

from .texts import valid_text
from .values import is_a

MAX_DEPTH: Final = 12

_OPTIONS: Final = orjson.OPT_SERIALIZE_NUMPY


def dump(value: Any) -> str:
    """`value` as JSON text. What JSON cannot hold becomes "<TypeName>"; NaN and infinities become null."""
    try:
        return orjson.dumps(value, default=_stand_in, option=_OPTIONS).decode()
    except (TypeError, ValueError, RecursionError):
        return _dump_tamed(value)[0].decode()


def dump_bytes(value: Any) -> tuple[bytes, bool]:
    """The same as UTF-8, and whether a text had to be repaired: a lone surrogate became U+FFFD."""
    try:
        return orjson.dumps(value, default=_stand_in, option=_OPTIONS), False
    except (TypeError, ValueError, RecursionError):
        return _dump_tamed(value)


def _dump_tamed(value: Any) -> tuple[bytes, bool]:
    tamer = _Tamer()
    return orjson.dumps(tamer.tame(value, 0), option=_OPTIONS), tamer.repaired


def _stand_in(value: Any) -> Any:
    """What orjson is given for a type that it does not know."""
    decimal = sys.modules.get("decimal")  # where nobody has loaded it, nothing is one
    if is_a(value, float) or (decimal is not None and is_a(value, decimal.Decimal)):
        return float(value)
    if is_a(value, set | frozenset):
        return sorted(value) if all(is_a(item, str) for item in value) else list(value)
    fields = getattr(value, "__dict__", None)
    if is_a(fields, dict) and hasattr(type(value), "model_fields"):
        return {name: item for name, item in fields.items() if item is not None}
    return f"<{type(value).__name__}>"


class _Tamer:
    """Copies a value into what orjson takes: text keys, valid texts, numbers in range, no cycles."""

    def __init__(self) -> None:
        self.repaired = False

    def tame(self, value: Any, depth: int) -> Any:
        """The copy; what is nested deeper than MAX_DEPTH becomes "<too deep>"."""
        if depth > MAX_DEPTH:
            return "<too deep>"
        if is_a(value, str):
            return self._text(value)
        if is_a(value, dict):
            return {self._key(key): self.tame(item, depth + 1) for key, item in value.items()}
        if is_a(value, list | tuple | set | frozenset):
            return [self.tame(item, depth + 1) for item in value]
        if is_a(value, int) and not is_a(value, bool):
            return int(value) if -(2**63) <= value < 2**64 else hex(value)
        try:
            return orjson.loads(orjson.dumps(value, option=_OPTIONS))
        except (TypeError, ValueError):
            inner = _stand_in(value)
            return inner if is_a(inner, str | float) else self.tame(inner, depth + 1)

    def _text(self, value: str) -> str:
        valid = valid_text(str.__str__(value))
        self.repaired = self.repaired or valid != value
        return valid

    def _key(self, key: Any) -> str:
        if is_a(key, str):
            return self._text(key)
        return str(key) if is_a(key, int | float) or key is None else f"<{type(key).__name__}>"
