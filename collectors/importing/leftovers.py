"""Columns that no field of a request is read from: kept as attributes, so that nothing of a log is lost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Final

import orjson

from .mapping import Columns
from .paths import EACH

LARGEST: Final = 4000
"""Characters of one column that is kept."""
MOST: Final = 60
"""Columns of one row that are kept."""


def beside(columns: Iterable[str], made: Columns) -> tuple[str, ...]:
    """Of the columns of a file those that nothing is read from, outermost ones alone, in their order."""
    used = {path.partition(EACH)[0] for path in made.used_paths}
    around = {path[:place] for path in used for place, one in enumerate(path) if one == "."}
    free = [path for path in columns if path not in used and path not in around]
    outer = set(free) | used
    inside = (any(path[:place] in outer for place, one in enumerate(path) if one == ".") for path in free)
    return tuple(path for path, within in zip(free, inside, strict=True) if not within)


class Leftovers:
    """What a row says beside its mapping. The column of its id is kept, too: people search for it."""

    def __init__(self, used: frozenset[str], keep: str = "") -> None:
        self._used = {path.partition(EACH)[0] for path in used} - {keep}
        self._around = {path[:place] for path in self._used for place, one in enumerate(path) if one == "."}

    def of(self, record: Mapping[str, Any], remarks: list[str]) -> dict[str, Any]:
        """Column -> value, as an attribute may hold it."""
        found: dict[str, Any] = {}
        self._take(record, "", found, remarks)
        if len(found) > MOST:
            remarks.append(f"only the first {MOST} columns beside the mapping are kept")
            return dict(list(found.items())[:MOST])
        return found

    def _take(self, record: Mapping[str, Any], before: str, found: dict[str, Any], remarks: list[str]) -> None:
        for key, value in record.items():
            path = f"{before}{key}"
            if path in self._used or value is None or value == "":
                continue
            if path in self._around and isinstance(value, Mapping):
                self._take(value, f"{path}.", found, remarks)
            elif path not in self._around:
                kept = _kept(value)
                if kept is None:
                    remarks.append(f"{path}: longer than {LARGEST:,} characters, not kept")
                else:
                    found[path] = kept


def _kept(value: Any) -> Any:  # noqa: ANN401 - a value of a log
    """The value as an attribute may hold it; None where it is too large."""
    if isinstance(value, bool | int | float):
        return value
    if isinstance(value, datetime):
        return value.isoformat()
    text = (
        value if isinstance(value, str) else orjson.dumps(value, default=str, option=orjson.OPT_NON_STR_KEYS).decode()
    )
    return text if len(text) <= LARGEST else None
