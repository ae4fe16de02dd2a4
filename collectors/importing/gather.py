"""Rows brought together by a key, in a temporary database on the disk: a file of any length, whatever its order."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Self

import orjson

_AT_ONCE: Final = 5000


class Gather:
    """Takes values by key, gives them back key by key: keys by their first appearance, values as they were taken."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="goldrank-")
        self._connection = sqlite3.connect(Path(self._folder.name) / "rows.sqlite", isolation_level=None)
        self._connection.execute("pragma journal_mode=off")
        self._connection.execute("pragma synchronous=off")
        self._connection.execute("create table keys (number integer primary key, key text unique)")
        self._connection.execute("create table rows (number integer, value blob)")
        self._waiting: list[tuple[int, bytes]] = []
        self._numbers: dict[str, int] = {}
        self._indexed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()
        self._folder.cleanup()

    def add(self, key: str, value: Any) -> None:  # noqa: ANN401 - any JSON value
        """One more value of a key."""
        self._waiting.append((self._number(key), orjson.dumps(value, default=str, option=orjson.OPT_NON_STR_KEYS)))
        if len(self._waiting) >= _AT_ONCE:
            self._write()

    def first(self, key: str) -> Any:  # noqa: ANN401 - any JSON value
        """The first value of a key; None where there is none."""
        self._prepare()
        sql = "select value from rows where number = (select number from keys where key = ?) order by rowid limit 1"
        row = self._connection.execute(sql, (key,)).fetchone()
        return None if row is None else orjson.loads(row[0])

    def groups(self) -> Iterator[tuple[str, list[Any]]]:
        """Each key with its values."""
        self._prepare()
        keys = self._connection.execute("select number, key from keys order by number")
        for number, key in keys:
            rows = self._connection.execute("select value from rows where number = ? order by rowid", (number,))
            yield key, [orjson.loads(value) for (value,) in rows]

    def _prepare(self) -> None:
        """Writes what waits; the index comes once, when all rows are there."""
        if self._waiting:
            self._write()
        if not self._indexed:
            self._indexed = True
            self._connection.execute("create index by_key on rows (number)")

    def _number(self, key: str) -> int:
        number = self._numbers.get(key)
        if number is not None:
            return number
        self._connection.execute("insert or ignore into keys (key) values (?)", (key,))
        (number,) = self._connection.execute("select number from keys where key = ?", (key,)).fetchone()
        if len(self._numbers) > _AT_ONCE:
            self._numbers.clear()
        self._numbers[key] = number
        return int(number)

    def _write(self) -> None:
        self._connection.execute("begin")
        self._connection.executemany("insert into rows values (?, ?)", self._waiting)
        self._connection.execute("commit")
        self._waiting.clear()
