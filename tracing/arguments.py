"""A call's arguments by name, without `inspect` at call time."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

_POSITIONAL: Final = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


class Place(NamedTuple):
    """Where a parameter's value is: in a call's args at `position`, else in its kwargs by `name`, else the default."""

    name: str
    position: int
    """0-based; beyond any call for one that is given by name only."""
    default: Any


class Arguments:
    """The parameters of one function, looked at once, when it is decorated."""

    __slots__ = ("_by_place_alone", "_defaults", "_positional", "_rest", "names", "open")

    def __init__(self, function: Callable[..., Any]) -> None:
        try:
            parameters = list(inspect.signature(function).parameters.values())
        except (TypeError, ValueError):
            parameters = []  # some built-ins have no signature: they are recorded without their arguments
        self._positional = tuple(p.name for p in parameters if p.kind in _POSITIONAL)
        self._by_place_alone = {p.name for p in parameters if p.kind is inspect.Parameter.POSITIONAL_ONLY}
        self._rest = next((p.name for p in parameters if p.kind is inspect.Parameter.VAR_POSITIONAL), None)
        self._defaults = {p.name: p.default for p in parameters if p.default is not inspect.Parameter.empty}
        self.open = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters)
        """Whether it takes any keyword (`**kwargs`)."""
        self.names = tuple(p.name for p in parameters if p.kind is not inspect.Parameter.VAR_KEYWORD)
        """Names of the parameters in their order, without `**kwargs`."""

    @property
    def defaults(self) -> Mapping[str, Any]:
        """Parameter -> default value."""
        return self._defaults

    def place(self, name: str) -> Place:
        """Where the value of a parameter is; of any name, where `**kwargs` takes it. Not for `*args`."""
        position = self._positional.index(name) if name in self._positional else sys.maxsize
        return Place(name, position, self._defaults.get(name))

    def is_rest(self, name: str) -> bool:
        """Whether it is the parameter that takes what is left (`*args`)."""
        return name == self._rest

    def bind(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """Parameter -> value, defaults included; what `**kwargs` took is under its own name.

        A call that the function will refuse gives what can be told, never an error.
        """
        bound = {**self._defaults, **dict(zip(self._positional, args, strict=False)), **kwargs}
        if self._rest is not None:
            bound[self._rest] = args[len(self._positional) :]
        return bound

    def with_value(
        self, args: tuple[Any, ...], kwargs: Mapping[str, Any], name: str, value: Any
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The same call with another value of the parameter `name`."""
        position = self._positional.index(name) if name in self._positional else sys.maxsize
        if position < len(args):
            return (*args[:position], value, *args[position + 1 :]), dict(kwargs)
        if name == self._rest:
            return (*args[: len(self._positional)], *value), dict(kwargs)
        if name in self._by_place_alone and all(
            before in self._defaults for before in self._positional[len(args) : position]
        ):
            before = (self._defaults[skipped] for skipped in self._positional[len(args) : position])
            return (*args, *before, value), dict(kwargs)
        return args, {**kwargs, name: value}
