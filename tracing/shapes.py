"""Shape tags: what a stage returned, in a few words, so that a replay can rebuild it.

list[langchain_core.documents.base.Document]   list[tuple[str, numpy.float32]]   dict[ids, distances]
"""

from __future__ import annotations

from typing import Any, Final

from .values import is_a

MAX_CHARS: Final = 200
_MAX_DEPTH: Final = 3
_MAX_KEYS: Final = 8

_names: dict[type, str] = {}


def shape_of(value: Any) -> str:
    """The shape tag of `value`; a list is described by its first element, an empty one as "list"."""
    if type(value) is list and value:
        kind = type(value[0])
        if kind is dict or not is_a(value[0], list | tuple | dict):
            return f"list[{_names.get(kind) or _name(kind)}]"  # by far the most usual, and what `_shape` would say
    return _shape(value, 0)[:MAX_CHARS]


def _shape(value: Any, depth: int) -> str:
    kind = type(value)
    name = _name(kind)
    if depth >= _MAX_DEPTH or not is_a(value, list | tuple | dict):
        return name
    first = next(iter(value), None)
    if not value or hasattr(kind, "_fields"):
        return name
    if is_a(value, dict):
        return _dict_shape(name, value) if depth == 0 and is_a(first, str) else name
    if is_a(value, tuple) and len(value) <= 3:
        return f"{name}[{', '.join(_shape(item, depth + 1) for item in value)}]"
    return f"{name}[{_shape(first, depth + 1)}]"


def _dict_shape(name: str, value: dict[Any, Any]) -> str:
    held = next(iter(value.values()))
    if is_a(held, int | float):
        return f"{name}[str, {_name(type(held))}]"
    return f"{name}[{', '.join(str(key) for key in list(value)[:_MAX_KEYS])}]"


def _name(kind: type) -> str:
    known = _names.get(kind)
    if known is None:
        module = kind.__module__
        known = kind.__qualname__ if module == "builtins" else f"{module}.{kind.__qualname__}"
        if len(_names) < 10_000:
            _names[kind] = known
    return known
