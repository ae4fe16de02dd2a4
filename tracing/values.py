"""Small readings of an app's values: an id as text, a score as a number, an object as its fields."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from operator import index
from typing import Any, Final, TypeGuard, TypeVar, overload
from uuid import UUID

T = TypeVar("T")

_PLAIN: Final = (str, int, float)
_COLLECTIONS: Final = (list, tuple, set, frozenset)
_ID_TYPES_BY_NAME: Final = frozenset({"ObjectId", "ULID", "Decimal"})


@overload
def is_a(value: Any, kinds: type[T]) -> TypeGuard[T]: ...
@overload
def is_a(value: Any, kinds: Any) -> bool: ...
def is_a(value: Any, kinds: Any) -> bool:
    """`isinstance` that asks the type alone: a lazy proxy would load what it stands for to answer `__class__`."""
    return issubclass(type(value), kinds)


def id_text(value: Any) -> str | None:
    """An id as text: 42 -> "42", 42.0 -> "42.0", b"doc:1" -> "doc:1", a UUID in its usual form, a member by its value.

    None for what names nothing.
    """
    kind = type(value)
    if kind is str:
        return str(value) or None
    if kind is bool or value is None:
        return None
    if issubclass(kind, str):
        return str.__str__(value) or None
    if issubclass(kind, int):
        return str(int(value))
    if issubclass(kind, float):
        return str(float(value))
    if issubclass(kind, UUID) or kind.__name__ in _ID_TYPES_BY_NAME:
        return str(value)
    if issubclass(kind, bytes | bytearray):  # as clients of key-value stores give their keys
        return _text_of_bytes(value) or None
    if issubclass(kind, Enum):
        return id_text(value.value)
    if kind.__module__ == "numpy":
        number = whole_number(value)
        return None if number is None else str(number)
    return None


def _text_of_bytes(value: bytes | bytearray) -> str:
    """Their UTF-8 text, or their hex digits where they are none."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.hex()


def whole_number(value: Any) -> int | None:
    """A whole number of any make (numpy's too) as a plain one; None for a bool, a fraction, an array of several."""
    kind = type(value)
    if kind is bool or not hasattr(kind, "__index__"):
        return None
    try:
        return int(index(value))
    except TypeError:
        return None  # arrays have the method, whatever they hold


def is_number(value: Any) -> bool:
    """Whether `value` is a number of any kind (numpy's and 0-dimensional arrays included), and no bool."""
    kind = type(value)
    if kind is float:
        return True
    if kind is bool or kind is str or value is None:
        return False
    if issubclass(kind, (int, float)):
        return True
    return hasattr(kind, "__float__") and not getattr(value, "shape", ())


def score_of(value: Any) -> float | None:
    """A score as a float; None for what is no number, for NaN and for infinities. Redis gives its scores as texts."""
    if type(value) is not float:
        if not is_number(value) and not _is_number_text(value):
            return None
        try:
            value = float(value)
        except (TypeError, ValueError, OverflowError, RuntimeError):
            return None  # a tensor with several values, an int beyond 1e308
    return value if value - value == 0 else None  # NaN - NaN and inf - inf are NaN


_NUMBER_TEXT: Final = re.compile(r"\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)


def _is_number_text(value: Any) -> bool:
    """Whether a text is one number; "1_000", "nan" and "0.5 s" are none."""
    return type(value) is str and len(value) < 40 and _NUMBER_TEXT.fullmatch(value) is not None


def fields_of(value: Any) -> Mapping[str, Any] | None:
    """The fields of a dict, dataclass, pydantic or plain object, without calling any code of the app.

    Properties are not read: they may load, lock or raise. None for what has no fields (numbers, functions, …).
    """
    kind = type(value)
    if issubclass(kind, dict):
        return value  # type: ignore[no-any-return] # it is one
    if hasattr(kind, "_fields") and issubclass(kind, tuple):
        return dict(zip(getattr(kind, "_fields"), value, strict=False))  # noqa: B009 - mypy sees a plain tuple
    if issubclass(kind, type) or callable(value):
        return None
    fields = getattr(value, "__dict__", None)
    if fields:
        return fields if isinstance(fields, dict) else None
    slots = [name for base in kind.__mro__ for name in _slots(base)]
    found = {name: getattr(value, name) for name in slots if hasattr(value, name)}
    return found or None


def _slots(kind: type) -> tuple[str, ...]:
    slots = kind.__dict__.get("__slots__", ())
    return (slots,) if isinstance(slots, str) else tuple(slots)


_MAX_LIST: Final = 50


def is_metadata(value: Any) -> bool:
    """Whether a field beside the metadata is worth keeping: plain values and short lists of them, no vectors."""
    kind = type(value)
    if value is None or issubclass(kind, _PLAIN):
        return value is not None
    if issubclass(kind, _COLLECTIONS):
        return 0 < len(value) <= _MAX_LIST and all(isinstance(item, str | int) for item in value)
    return hasattr(type(value), "isoformat")
