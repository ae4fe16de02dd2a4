"""Paths into a record: `response.hits[].chunk_id`, `messages[0].content`, or a column's plain name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from ...model import UsageError
from ..dialects.json_text import load

EACH: Final = "[]"
_PART: Final = re.compile(r"(?P<name>[^.\[\]]+)|(?P<each>\[\])|\[(?P<place>\d+)\]|(?P<dot>\.)")
_ABSENT: Final = object()


class Path(NamedTuple):
    """A path as it was written, and its parts."""

    text: str
    parts: tuple[str | int, ...]
    """Names, 0-based places, and EACH for every element of a list."""

    def find(self, record: Mapping[str, Any]) -> Any:  # noqa: ANN401 - whatever stands there
        """The value there; None where nothing is. After EACH it is a list with one value an element."""
        if self.text in record:  # a column may have dots or brackets in its name
            return record[self.text]
        found = _find(record, self.parts)
        return None if found is _ABSENT else found

    @property
    def list_part(self) -> Path | None:
        """The path of the list whose elements it goes through; None where it goes through none."""
        if EACH not in self.parts:
            return None
        return Path(self.text.partition(EACH)[0], self.parts[: self.parts.index(EACH)])

    @property
    def inside(self) -> Path:
        """What is left after EACH: a path into each element; empty where the elements themselves are meant."""
        return Path(self.text.partition(EACH)[2].removeprefix("."), self.parts[self.parts.index(EACH) + 1 :])


def parse_path(text: str) -> Path:
    """UsageError where it is none."""
    parts: list[str | int] = []
    at = 0
    while at < len(text):
        match = _PART.match(text, at)
        if match is None:
            raise UsageError(f"{text!r} is no path: write response.hits[].chunk_id, or the name of a column.")
        if match["name"] is not None:
            parts.append(match["name"])
        elif match["place"] is not None:
            parts.append(int(match["place"]))
        elif match["each"] is not None:
            parts.append(EACH)
        at = match.end()
    if not parts or parts[0] == EACH:
        raise UsageError(f"{text!r} is no path: write response.hits[].chunk_id, or the name of a column.")
    return Path(text, tuple(parts))


def _find(value: Any, parts: tuple[str | int, ...]) -> Any:  # noqa: ANN401 - parsed JSON
    if not parts:
        return value
    if isinstance(value, str):
        value = load(value)
    first, rest = parts[0], parts[1:]
    if first == EACH:
        if not isinstance(value, list):
            return _ABSENT
        found = [_find(one, rest) for one in value]
        return [None if one is _ABSENT else one for one in found]
    if isinstance(first, int):
        return _find(value[first], rest) if isinstance(value, list) and first < len(value) else _ABSENT
    if not isinstance(value, Mapping):
        return _ABSENT
    if first in value:
        return _find(value[first], rest)
    return _find_dotted(value, parts)


def _find_dotted(value: Mapping[str, Any], parts: tuple[str | int, ...]) -> Any:  # noqa: ANN401 - as above
    """A key that has dots itself: the longest that is there."""
    names = next((n for n, part in enumerate(parts) if not isinstance(part, str) or part == EACH), len(parts))
    for count in range(names, 1, -1):
        key = ".".join(str(part) for part in parts[:count])
        if key in value:
            return _find(value[key], parts[count:])
    return _ABSENT
