"""The HITS attribute of `model.wire` as written: by row or by column, whole or damaged; always read by column."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from ...model import Completeness, wire
from .values import Json, as_count, parse_json

_NO_COLUMNS: Final[dict[str, list[Any]]] = {}


class HitForm(NamedTuple):
    """A parsed HITS attribute."""

    head: dict[str, Any]
    """Everything beside the list; empty where the attribute is no such object."""
    columns: dict[str, list[Any]]
    """Key of a hit -> its values, one a hit, None where a hit has none. Keys that no hit has are absent."""
    total: int
    """How many hits the list holds, unreadable ones included."""
    has_list: bool = True
    unreadable: frozenset[int] = frozenset()
    """0-based places at which something stands that is no hit."""

    @property
    def scope(self) -> str:
        """Numbers of texts are unique inside it."""
        return str(self.head.get(wire.HITS_SCOPE, ""))

    @property
    def missing_top(self) -> int:
        """How many of the best ranks it lacks."""
        length = as_count(self.head.get(wire.HITS_LENGTH))
        if self.head.get(wire.HITS_STATE) != Completeness.TOP_MISSING or length is None:
            return 0
        return max(0, length - self.total)


NOT_A_LIST: Final = HitForm({}, _NO_COLUMNS, 0, has_list=False)
"""Of an attribute that is no object at all."""


def parse_hits(value: object) -> HitForm:
    """The attribute's form. What cannot be read gives NOT_A_LIST, or a form without a list."""
    parsed = parse_json(value, not_a_number=str)  # a score keeps a mark of them
    if not isinstance(parsed, dict):
        return NOT_A_LIST
    if wire.HITS_COLUMNS in parsed:
        return _by_column(parsed, parsed[wire.HITS_COLUMNS])
    items = parsed.get(wire.HITS_LIST)
    if not isinstance(items, list):
        return HitForm(parsed, _NO_COLUMNS, 0, has_list=False)
    unreadable = frozenset(place for place, item in enumerate(items) if type(item) is not dict)
    if unreadable:
        items = [item if type(item) is dict else {} for item in items]
    keys = set[str]().union(*items)
    return HitForm(parsed, {key: [item.get(key) for item in items] for key in keys}, len(items), unreadable=unreadable)


def _by_column(head: dict[str, Any], columns: Json) -> HitForm:
    """Columns as written. A short one makes the list unreadable: nobody knows whose entry it lost."""
    if not isinstance(columns, dict) or not isinstance(columns.get(wire.HIT_ID), list):
        return HitForm(head, _NO_COLUMNS, 0, has_list=False)
    count = len(columns[wire.HIT_ID])
    kind = columns.pop(wire.HIT_SCORE_KIND, None)
    if not all(isinstance(values, list) and len(values) == count for values in columns.values()):
        return HitForm(head, _NO_COLUMNS, 0, has_list=False)
    if kind is not None:
        columns[wire.HIT_SCORE_KIND] = [kind] * count
    return HitForm(head, columns, count)
