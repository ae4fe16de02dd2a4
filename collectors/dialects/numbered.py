"""Attributes that are flattened over numbers: `retrieval.documents.0.document.id`, `llm.input_messages.1.message.role`.

Spans of a kind come with the same names again and again, so what the names say is worked out once for all of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple

_NUMBERED: Final = re.compile(r"(\d{1,9})\.(.+)", re.DOTALL)
_MANY_NAMES: Final = 512
"""Spans with more attributes are no kind of span that comes again: nothing is kept of their names."""


class Columns(NamedTuple):
    """Where the fields of numbered things stand."""

    ranks: tuple[int, ...]
    """1-based, ascending: the numbers are 0-based."""
    names: tuple[tuple[str | None, ...], ...]
    """For each field that was asked for the attribute of each number; None where it has none."""


def numbered(attributes: Mapping[str, Any], prefix: str) -> dict[int, dict[str, Any]]:
    """Attributes `<prefix>.<number>.<rest>` as number -> rest -> value, by number as a number (10 after 9)."""
    names = tuple(attributes)
    rows = (_rows if len(names) <= _MANY_NAMES else _find_rows)(names, prefix)
    return {number: {rest: attributes[name] for rest, name in row.items()} for number, row in rows.items()}


def numbered_columns(attributes: Mapping[str, Any], prefix: str, fields: tuple[str, ...]) -> Columns:
    """The same by column: where `<prefix>.<number>.<field>` stands."""
    names = tuple(attributes)
    return (_columns if len(names) <= _MANY_NAMES else _find_columns)(names, prefix, fields)


def _find_rows(names: tuple[str, ...], prefix: str) -> dict[int, dict[str, str]]:
    """Number -> rest -> name; of a rest that is written twice (1 and 01) the last one."""
    start = prefix + "."
    found: dict[int, dict[str, str]] = {}
    for name in names:
        if name.startswith(start) and (match := _NUMBERED.match(name, len(start))) is not None:
            found.setdefault(int(match[1]), {})[match[2]] = name
    return dict(sorted(found.items()))


def _find_columns(names: tuple[str, ...], prefix: str, fields: tuple[str, ...]) -> Columns:
    rows = _find_rows(names, prefix)
    columns = tuple(tuple(row.get(field) for row in rows.values()) for field in fields)
    return Columns(tuple(number + 1 for number in rows), columns)


_rows = lru_cache(maxsize=256)(_find_rows)
_columns = lru_cache(maxsize=256)(_find_columns)
"""The same, kept. What they give is shared, and nobody changes it."""
