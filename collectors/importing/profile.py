"""What the columns of a file hold, seen in its first records."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from ..dialects.documents import documents_in
from ..dialects.json_text import load
from ..dialects.messages import messages_in
from .hit_values import is_pairs

_DEPTH: Final = 4
_LIST_OPENERS: Final = ("[", "{")
_LONG_TEXT: Final = 40
_WORDS: Final = 3
_ADDRESS: Final = re.compile(r"[!-~]{1,1000}|\w+(?:[-/.:#?=&%+@]+\w+)+")
"""One word of ASCII, or words that are joined as in paths and addresses."""
_NO_NUMBERS: Final = ("NaN", "Infinity", "-Infinity")
"""What stands in JSON for a number that is none."""


class Column:
    """One path of the records, with the values that it was seen with."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.values: list[Any] = []
        """Those that are something, in order; JSON inside of texts is read."""
        self.texts: list[str] = []
        """Values that were plain texts."""
        self.all_written = True
        """Every value came as a text, whatever may be read out of it."""
        self.sorts: set[str] = set()
        """"text", "number", "flag", "time", "ids", "passages", "hits", "messages", "numbers", "empty list", "list",
        "object"."""

    @property
    def is_list(self) -> bool:
        """Whether it holds lists, apart from messages."""
        return bool(self.sorts & {"ids", "passages", "hits", "numbers", "empty list", "list"})

    @property
    def is_plain(self) -> bool:
        """Whether every value is one text, number, flag or time."""
        return self.sorts <= {"text", "number", "flag", "time"}

    def take(self, value: Any) -> None:  # noqa: ANN401 - any value of a record
        """One more value."""
        loaded = load(value) if isinstance(value, str) and value.lstrip()[:1] in _LIST_OPENERS else value
        self.all_written &= isinstance(value, str)
        if isinstance(value, str) and isinstance(loaded, str):
            self.texts.append(value)
        self.values.append(loaded)
        self.sorts.add(sort_of(loaded))


def sort_of(value: Any) -> str:  # noqa: ANN401 - as above
    """What a value is, in a word."""
    if isinstance(value, bool):
        return "flag"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "text"
    if isinstance(value, datetime):
        return "time"
    if isinstance(value, Mapping):
        return "object"
    return _sort_of_list(value) if isinstance(value, list) else "text"


def _sort_of_list(value: list[Any]) -> str:
    known = [one for one in value if one is not None and one not in _NO_NUMBERS]
    if not known:
        return "empty list"
    if is_pairs(known):
        return "hits"
    if all(isinstance(one, Mapping) for one in known):
        if messages_in(known) is not None:
            return "messages"
        return "hits" if documents_in(known) is not None else "list"
    if all(isinstance(one, str) for one in known):
        return "passages" if _are_passages(known) else "ids"
    if all(_is_whole(one) or isinstance(one, str) for one in known):
        return "ids"
    if all(isinstance(one, int | float) and not isinstance(one, bool) for one in known):
        return "numbers"
    return "hits" if documents_in(known) is not None else "list"


def _is_whole(value: Any) -> bool:  # noqa: ANN401 - as above
    """12, and 12.0 as tables with gaps write it."""
    return not isinstance(value, bool) and isinstance(value, int | float) and float(value).is_integer()


def _are_passages(texts: list[str]) -> bool:
    """With several words, or long in a script that needs no space between them: a path or an address is an id."""
    return sum(map(_is_passage, texts)) * 2 > len(texts)


def _is_passage(text: str) -> bool:
    return len(text.split()) >= _WORDS or (len(text) > _LONG_TEXT and not _ADDRESS.fullmatch(text))


def profile(records: Iterable[Mapping[str, Any]]) -> dict[str, Column]:
    """Path -> column, in order of appearance. Objects are columns and are looked into, lists are not."""
    columns: dict[str, Column] = {}
    for record in records:
        for path, value in _leaves(record, "", 0):
            if value is not None and value != "":
                columns.setdefault(path, Column(path)).take(value)
    return columns


def _leaves(value: Mapping[str, Any], before: str, depth: int) -> Iterator[tuple[str, Any]]:
    for key, item in value.items():
        path = f"{before}{key}"
        inner = load(item) if isinstance(item, str) and item.lstrip()[:1] == "{" else item
        if isinstance(inner, Mapping) and inner and depth < _DEPTH:
            yield path, item
            yield from _leaves(inner, f"{path}.", depth + 1)
        else:
            yield path, item
