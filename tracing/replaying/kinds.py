"""The classes that shape tags name, found again, and objects of them made without running their code."""

from __future__ import annotations

import dataclasses
import importlib
import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, Final, NamedTuple

from .refusals import NotRebuildable

KNOWN_LIBRARIES: Final = frozenset(
    {"chromadb", "haystack", "langchain", "langchain_core", "llama_index", "numpy", "qdrant_client"}
)
"""Libraries of hits, which may be imported by name. Of others only what the app itself has loaded is looked into: a
recorded name must not be able to import just anything."""

MISSING: Final[Any] = object()
"""No value: the field keeps the default of its class."""


class Made(NamedTuple):
    """A class whose objects can be made: its fields, and how."""

    fields: tuple[str, ...]
    defaults: Mapping[str, Callable[[], Any]]
    """Field -> its default. A field without one must be given."""
    make: Callable[[dict[str, Any]], Any]


def find_class(name: str, script: ModuleType | None = None) -> type:
    """The class that `module.Qualified.Name` names. `script` stands in for `__main__` of the recorded process.

    NotRebuildable where it is a local class, or nothing that is loaded here has it.
    """
    if "<locals>" in name:
        raise NotRebuildable(f"{name} is a local class")
    parts = name.split(".")
    for end in range(len(parts) - 1, 0, -1):
        module = _module(".".join(parts[:end]), script)
        found: Any = module
        for part in parts[end:]:
            found = getattr(found, part, None)
        if module is not None and isinstance(found, type):
            return found
    raise NotRebuildable(f"no class {name} is known in the process that runs the replay")


def _module(name: str, script: ModuleType | None) -> ModuleType | None:
    if name == "__main__" and script is not None:
        return script
    loaded = sys.modules.get(name)
    if loaded is not None:
        return loaded
    top = name.partition(".")[0]
    if top not in KNOWN_LIBRARIES and top not in sys.modules:
        return None
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def made_of(kind: type) -> Made:
    """How objects of a class are made; NotRebuildable with its name where they cannot."""
    fields = getattr(kind, "_fields", None)
    if issubclass(kind, tuple) and fields is not None:
        defaults = getattr(kind, "_field_defaults", {})
        return Made(tuple(fields), {name: _giving(value) for name, value in defaults.items()}, lambda v: kind(**v))
    if dataclasses.is_dataclass(kind):
        return _of_dataclass(kind)
    if hasattr(kind, "model_construct") and hasattr(kind, "model_fields"):
        return _of_model(kind)
    name = f"{kind.__module__}.{kind.__qualname__}"
    raise NotRebuildable(f"{name} is neither a dataclass, a named tuple nor a pydantic model")


def _giving(value: Any) -> Callable[[], Any]:
    return lambda: value


def _of_dataclass(kind: type) -> Made:
    fields = dataclasses.fields(kind)
    defaults: dict[str, Callable[[], Any]] = {}
    for field in fields:
        if field.default is not dataclasses.MISSING:
            defaults[field.name] = _giving(field.default)
        elif field.default_factory is not dataclasses.MISSING:
            defaults[field.name] = field.default_factory

    def make(values: dict[str, Any]) -> Any:
        made: Any = object.__new__(kind)
        for name, value in values.items():
            object.__setattr__(made, name, value)
        return made

    return Made(tuple(field.name for field in fields), defaults, make)


def _of_model(kind: Any) -> Made:
    fields = kind.model_fields
    defaults = {
        name: (lambda field=field: field.get_default(call_default_factory=True))
        for name, field in fields.items()
        if not field.is_required()
    }

    def make(values: dict[str, Any]) -> Any:
        made: Any = kind.model_construct(**values)
        made.__dict__.update(values)  # fields with an alias are not taken by name
        return made

    return Made(tuple(fields), defaults, make)
