"""Files of tickets: CSV with a line of column names, JSON lines, or one JSON array. Each record with its line."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from ..collectors.repair import repair_json, repair_text
from ..model import BadInput

_DELIMITERS: Final = ",;\t|"
_LONGEST_FIELD: Final = 16 * 1024 * 1024


class Record(NamedTuple):
    """One ticket of a file, or why there is none."""

    line: int
    """1-based; of a JSON array the place of the element."""
    fields: dict[str, Any]
    reason: str = ""
    """Why it cannot be read; then `fields` is empty."""


def read_records(text: str, source: str) -> Iterator[Record]:
    """The records of a file, whose form is seen by its first character; BadInput where nothing can be read."""
    text = repair_text(text.removeprefix("\ufeff"))
    beginning = text.lstrip()[:1]
    if not beginning:
        raise BadInput(f"{source} is empty.")
    if beginning == "[":
        return _array(text, source)
    return _lines(text) if beginning == "{" else _csv(text, source)


def _array(text: str, source: str) -> Iterator[Record]:
    try:
        values = json.loads(repair_json(text))
    except (json.JSONDecodeError, RecursionError) as error:
        raise BadInput(f"{source} begins like a JSON array and is none: {error}.") from error
    for place, value in enumerate(values, start=1):
        yield Record(place, value) if isinstance(value, dict) else Record(place, {}, "a JSON object was expected.")


def _lines(text: str) -> Iterator[Record]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(repair_json(line))
        except (json.JSONDecodeError, RecursionError) as error:
            yield Record(number, {}, f"it is no JSON ({error}).")
            continue
        yield Record(number, value) if isinstance(value, dict) else Record(number, {}, "a JSON object was expected.")


def _csv(text: str, source: str) -> Iterator[Record]:
    csv.field_size_limit(_LONGEST_FIELD)
    head = text.lstrip("\r\n").split("\n", 1)[0]
    delimiter = max(_DELIMITERS, key=head.count)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    names: list[str] = []
    while True:
        line = rows.line_num + 1
        try:
            row = next(rows)
        except StopIteration:
            break
        except csv.Error as error:
            yield Record(line, {}, f"it is no CSV ({error}); what follows was not read.")
            break
        if not any(cell.strip() for cell in row):
            continue
        if not names:
            names = [name.strip() for name in row]
        elif len(row) != len(names):
            yield Record(line, {}, f"it has {len(row)} fields, the line of names has {len(names)}.")
        else:
            yield Record(line, dict(zip(names, row, strict=True)))
    if not names:
        raise BadInput(f"{source} holds no line of column names.")
