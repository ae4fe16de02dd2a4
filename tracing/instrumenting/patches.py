"""Replaced attributes of a framework's classes and modules, and putting them back."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any


class Patches:
    """What was replaced, the last one first when it is put back. False while nothing is."""

    def __init__(self) -> None:
        self._undo: list[Callable[[], None]] = []

    def __bool__(self) -> bool:
        return bool(self._undo)

    def replace(self, owner: Any, name: str, wrap: Callable[[Any], Any]) -> None:
        """`owner.name` becomes what `wrap` makes of it, with its name and its documentation."""
        original = vars(owner)[name]
        setattr(owner, name, functools.wraps(original)(wrap(original)))
        self._undo.append(functools.partial(setattr, owner, name, original))

    def undo(self) -> None:
        """Puts everything back."""
        while self._undo:
            self._undo.pop()()


def bound(original: Any, self: Any) -> Callable[..., Any]:
    """A method as it stands in its class, which may be another library's wrapper, of one object."""
    method: Callable[..., Any] = original.__get__(self, type(self))
    return method
