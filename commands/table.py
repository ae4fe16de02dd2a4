"""Tables for people at a terminal."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Final, NamedTuple

from .visible import visible_line

GAP: Final = "  "
_ELLIPSIS: Final = "…"


class Column(NamedTuple):
    """One column of a table."""

    title: str
    right: bool = False
    """Numbers stand at the right."""
    shrinks: bool = False
    """Is cut where the table is wider than the terminal; several share what is missing."""


def format_table(columns: Sequence[Column], rows: Sequence[Sequence[str]], *, width: int | None) -> list[str]:
    """The lines of the table, the titles first. `width` None: nothing is cut. A cell is always one line."""
    cells = [[visible_line(cell) for cell in row] for row in rows]
    titles = [visible_line(column.title) for column in columns]
    widths = [max(display_width(row[place]) for row in [titles, *cells]) for place in range(len(columns))]
    if width is not None:
        widths = _shrink(widths, columns, width)
    return [_line(row, columns, widths) for row in [titles, *cells]]


def display_width(text: str) -> int:
    """How many places a terminal gives the text: 2 for wide characters, 0 for combining ones."""
    return sum(_character_width(character) for character in text)


def many(count: int, noun: str) -> str:
    """ "1 label", "2 labels", "1,200 labels"."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def counted(count: int, things: str) -> str:
    """The same of a plural: "1 label", "2 labels", "1 batch"."""
    one = things.removesuffix("es") if things.endswith("ches") else things.removesuffix("s")
    return f"{count:,} {one if count == 1 else things}"


def cut(text: str, width: int) -> str:
    """The text in at most `width` places, with an ellipsis where it was longer."""
    if display_width(text) <= width:
        return text
    kept, used = [], 0
    for character in text:
        used += _character_width(character)
        if used > width - 1:
            break
        kept.append(character)
    return "".join(kept) + _ELLIPSIS


def _character_width(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1


def _shrink(widths: list[int], columns: Sequence[Column], width: int) -> list[int]:
    """Takes from the widest shrinking column, again and again, until the table fits or none can give more."""
    widths = list(widths)
    room = width - len(GAP) * (len(columns) - 1)
    while sum(widths) > room:
        giving = [place for place, column in enumerate(columns) if column.shrinks and widths[place] > _least(column)]
        if not giving:
            break
        widths[max(giving, key=lambda place: widths[place])] -= 1
    return widths


def _least(column: Column) -> int:
    return max(8, display_width(column.title))


def _line(row: Sequence[str], columns: Sequence[Column], widths: Sequence[int]) -> str:
    parts = []
    for cell, column, width in zip(row, columns, widths, strict=True):
        text = cut(cell, width)
        space = " " * (width - display_width(text))
        parts.append(space + text if column.right else text + space)
    return GAP.join(parts).rstrip()
