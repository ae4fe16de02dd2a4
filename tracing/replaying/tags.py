"""Shape tags (`tracing.shapes`) read back: "list[tuple[str, float]]" as a tree."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final, NamedTuple

from ..shapes import CUT
from .refusals import NotRebuildable

_STOPS: Final = frozenset("[]{},:")
_MAX_DEPTH: Final = 12


class Tag(NamedTuple):
    """One type of a shape tag."""

    name: str
    """As `shapes` names it: "list", "numpy.float32"; empty where a tag only says what a dict's values are."""
    items: tuple[Tag, ...] | None = None
    """Types of its elements: of a list one, of a short tuple each; None: not said."""
    fields: Mapping[str, Tag | None] | None = None
    """Field -> its type, where that is not the usual one; None: not said."""

    def mark(self, field: str) -> Tag | None:
        """The type of a field, where the tag says one."""
        return None if self.fields is None else self.fields.get(field)

    @property
    def is_empty(self) -> bool:
        """Whether it is a container that was empty."""
        return self.name.endswith("()")


def parse(said: str) -> Tag:
    """The tree of a shape tag. NotRebuildable where it was too long to be recorded, or is none."""
    if said.endswith(CUT):
        raise NotRebuildable("the description of its type was too long to be recorded")
    reader = _Reader(said)
    tag = reader.tag(0)
    if reader.at != len(said):
        raise reader.trouble()
    return tag


class _Reader:
    def __init__(self, said: str) -> None:
        self.said = said
        self.at = 0

    def trouble(self) -> NotRebuildable:
        return NotRebuildable(f"the recorded description of its type is not readable ({self.said[:80]})")

    def _next(self) -> str:
        return self.said[self.at : self.at + 1]

    def _take(self, what: str) -> bool:
        if not self.said.startswith(what, self.at):
            return False
        self.at += len(what)
        return True

    def tag(self, depth: int) -> Tag:
        if depth > _MAX_DEPTH:
            raise self.trouble()
        begin = self.at
        while self._next() and self._next() not in _STOPS:
            self.at += 1
        name = self.said[begin : self.at]
        items = self._items(depth) if self._take("[") else None
        fields = self._fields(depth) if self._take("{") else None
        if not name and fields is None:
            raise self.trouble()
        return Tag(name, items, fields)

    def _items(self, depth: int) -> tuple[Tag, ...]:
        found = [self.tag(depth + 1)]
        while self._take(", "):
            found.append(self.tag(depth + 1))
        if not self._take("]"):
            raise self.trouble()
        return tuple(found)

    def _fields(self, depth: int) -> Mapping[str, Tag | None]:
        found: dict[str, Tag | None] = {}
        while True:
            key = self._key()
            found[key] = self.tag(depth + 1) if self._take(": ") else None
            if not self._take(", "):
                break
        if not self._take("}"):
            raise self.trouble()
        return found

    def _key(self) -> str:
        if self._next() != '"':
            begin = self.at
            while self._next() and self._next() not in _STOPS:
                self.at += 1
            return self.said[begin : self.at]
        try:
            key, end = json.JSONDecoder().raw_decode(self.said, self.at)
        except ValueError:
            raise self.trouble() from None
        self.at = end
        if not isinstance(key, str):
            raise self.trouble()
        return key
