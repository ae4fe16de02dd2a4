"""Names of a package that are loaded when they are first asked for, each with its module.

A package that passes on many names would otherwise load all its modules for the one name that is needed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any


def late_names(
    package: str, homes: Mapping[str, tuple[str, ...]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The package's `__getattr__` and `__dir__`.

    `homes` is module (below the package) -> the names that are taken from it. Type checkers see the same names under
    `if TYPE_CHECKING`; a test compares the two. A name that is also a module's stays the name, although Python binds a
    module in its package when it is loaded: for `actions.show` what the module holds under its own name is bound, for
    `tracing.settings`, which another module holds, nothing is.
    """
    home_of = {name: module for module, names in homes.items() for name in names}
    own = sys.modules[package]

    class LateModule(ModuleType):
        """The package."""

        def __setattr__(self, name: str, value: object) -> None:
            if not isinstance(value, ModuleType) or name not in home_of:
                super().__setattr__(name, value)
            elif home_of[name] == name:
                super().__setattr__(name, getattr(value, name))

    def load(name: str) -> Any:  # noqa: ANN401 - whatever has that name
        home = home_of.get(name)
        if home is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f".{home}", package), name)
        setattr(own, name, value)
        return value

    own.__class__ = LateModule
    return load, lambda: sorted(own.__all__)
