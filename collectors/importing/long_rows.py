"""Logs in which a row is one hit: rows of one request are brought together and become one record with lists."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from ...model import StageKind
from .gather import Gather
from .mapping import Columns, StageColumns, in_order
from .names import DEFAULT_STAGE, kind_of
from .paths import parse_path
from .records import Record

LISTS: Final = "goldrank hits"
"""Key under which a gathered record holds its lists: no column is called so."""
_FIELDS: Final = {"hit": "hits", "score": "scores", "hit_text": "texts", "doc": "docs", "rank": "ranks"}


def gathered(records: Iterable[Record], columns: Columns, bad: Callable[[Record], None]) -> Iterator[Record]:
    """A record a request: the first row's columns, and under LISTS a list of values for each stage and field.

    Rows belong together by the request's id, else by its question. The place is that of the first row.
    """
    long = columns.long
    if long is None:
        return
    find = {name: parse_path(path).find for name, path in long.fields.items()}
    used = {path.partition(".")[0] for path in columns.used_paths}
    key_path = parse_path(columns.fields.get("id") or columns.fields["question"]).find
    with Gather() as gather:
        for record in records:
            if record.reason:
                bad(record)
                continue
            key = key_path(record.fields)
            hit = find["hit"](record.fields)
            if key in (None, ""):
                bad(record._replace(reason="it names no request: its id (or question) is empty."))
            elif hit in (None, ""):
                bad(record._replace(reason="it names no hit."))
            else:
                values = {name: one(record.fields) for name, one in find.items()}
                gather.add(str(key), (record.line, values, dict(record.fields)))
        for _, rows in gather.groups():
            yield _record(rows, used)


def _record(rows: list[Any], used: set[str]) -> Record:
    """One request. A column that says something else of each hit is metadata of the hits."""
    line, _, fields = rows[0]
    of_hits = [key for key in fields if key not in used and any(row[2].get(key) != fields[key] for row in rows)]
    lists: dict[str, dict[str, list[Any]]] = {}
    for _, values, row in rows:
        into = lists.setdefault(str(values.get("stage") or DEFAULT_STAGE), {})
        for name, field in _FIELDS.items():
            into.setdefault(field, []).append(values.get(name))
        into.setdefault("metadata", []).append({key: row[key] for key in of_hits if row.get(key) not in (None, "")})
    kept = {
        stage: {k: v for k, v in one.items() if any(x not in (None, {}) for x in v)} for stage, one in lists.items()
    }
    return Record(line, {**{key: value for key, value in fields.items() if key not in of_hits}, LISTS: kept})


def long_stages(lists: Mapping[str, Mapping[str, Any]]) -> tuple[StageColumns, ...]:
    """The stages of a gathered record's LISTS, searches first and then as pipelines run."""
    stages = [
        StageColumns(name=name, kind=kind_of(name) or StageKind.RETRIEVE, fields={field: field for field in fields})
        for name, fields in lists.items()
    ]
    return in_order(stages)
