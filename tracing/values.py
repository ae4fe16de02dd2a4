"""Small readings of an app's values: an id as text, a score as a number, an object as its fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

_ID_TYPES_BY_NAME: Final = frozenset({"ObjectId", "ULID"})


def id_text(value: Any) -> str | None:
    """An id as text: 42 -> "42", 42.0 -> "42.0", a UUID in its usual form. None for what names nothing."""
    kind = type(value)
    if kind is str:
        return str(value) or None
    if kind is bool or value is None:
        return None
    if isinstance(value, str):
        return str.__str__(value) or None
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, float):
        return str(float(value))
    if isinstance(value, UUID) or kind.__name__ in _ID_TYPES_BY_NAME:
        return str(value)
    if hasattr(kind, "__index__") and kind.__module__ == "numpy":
        return str(int(value))
    return None


def is_number(value: Any) -> bool:
    """Whether `value` is a number of any kind (numpy's and 0-dimensional arrays included), and no bool."""
    kind = type(value)
    if kind is float:
        return True
    if kind is bool or kind is str or value is None:
        return False
    if isinstance(value, int | float):
        return True
    return hasattr(kind, "__float__") and not getattr(value, "shape", ())


def score_of(value: Any) -> float | None:
    """A score as a float; None for what is no number, for NaN and for infinities."""
    if type(value) is not float:
        if not is_number(value):
            return None
        try:
            value = float(value)
        except (TypeError, ValueError, OverflowError, RuntimeError):
            return None  # a tensor with several values, an int beyond 1e308
    return value if value - value == 0 else None  # NaN - NaN and inf - inf are NaN


def fields_of(value: Any) -> Mapping[str, Any] | None:
    """The fields of a dict, dataclass, pydantic or plain object, without calling any code of the app.

    Properties are not read: they may load, lock or raise. None for what has no fields (numbers, functions, …).
    """
    if isinstance(value, dict):
        return value
    kind = type(value)
    if hasattr(kind, "_fields") and isinstance(value, tuple):
        return dict(zip(kind._fields, value, strict=False))
    if isinstance(value, type) or callable(value):
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
    if value is None or isinstance(value, str | int | float):
        return value is not None
    if isinstance(value, list | tuple | set | frozenset):
        return 0 < len(value) <= _MAX_LIST and all(isinstance(item, str | int) for item in value)
    return hasattr(type(value), "isoformat")
