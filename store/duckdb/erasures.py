"""Taking things out of the DuckDB store for good: rows in one transaction, then the file written anew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Final

import duckdb

from ...model.sieve import Cause, Kind, Sieve, bury
from ..erasures import Erased, Forget
from .database import Database
from .forgetting import choose_forgotten, delete_followers
from .leaving import GOING, delete_going, delete_where, make_going
from .masking import mask_store
from .numbers import Dictionaries
from .pruning import choose_old
from .rewriting import check_room, rewrite, room_for, weight_of
from .row import first_row, number
from .spans import SpanKey, delete_spans
from .tombstones import drop_old, entomb, read_sieve, secret_of, stones_of_requests, stones_of_spans
from .unreferenced import delete_unreferenced

_NAMED: Final = 1000

Work = Callable[[duckdb.DuckDBPyConnection], Erased]


def _tell_nobody(_: str) -> None:
    """Where nobody watches."""


class _DryRun(Exception):
    """Takes back what was done only to count it."""


class DuckErasures:
    """`store.Erasures` on DuckDB."""

    def __init__(self, database: Database, dictionaries: Dictionaries) -> None:
        self._database = database
        self._dictionaries = dictionaries
        self._sieve: Sieve | None = None
        self.times = 0
        database.on_rollback(self._forget_sieve)

    def _forget_sieve(self) -> None:
        self._sieve = None

    def sieve(self) -> Sieve:
        sieve = self._sieve
        if sieve is None:
            with self._database.reading() as cursor:
                sieve = self._sieve = read_sieve(cursor)
        return sieve

    def prune(
        self, before_ns: int, *, now_ns: int, dry_run: bool = False, tell: Callable[[str], None] = _tell_nobody
    ) -> Erased:
        def work(cursor: duckdb.DuckDBPyConnection) -> Erased:
            tell("looking for what may go")
            kept = choose_old(cursor, before_ns)
            stones, traces = stones_of_requests(cursor, GOING, cause=Cause.PRUNED, at_ns=now_ns)
            drop_old(cursor, now_ns)
            entomb(cursor, stones)
            erased = self._delete(cursor)
            rows = dict(erased.rows)
            for table, where in _OLD_REST.items():
                if count := delete_where(cursor, table, where, [before_ns]):
                    rows[table] = rows.get(table, 0) + count
            return erased.model_copy(update={"rows": rows, "kept": kept, "traces": traces})

        return self._erase(work, dry_run=dry_run, tell=tell)

    def forget(
        self, what: Forget, *, now_ns: int, dry_run: bool = False, tell: Callable[[str], None] = _tell_nobody
    ) -> Erased:
        def work(cursor: duckdb.DuckDBPyConnection) -> Erased:
            tell("looking for it")
            choose_forgotten(cursor, what, now_ns)
            stones, traces = stones_of_requests(cursor, GOING, cause=Cause.FORGOTTEN, at_ns=now_ns)
            followers = delete_followers(cursor, what, now_ns)
            secret = secret_of(cursor)
            named = [(Kind.USER, what.user), (Kind.TEXT, what.text), *((Kind.REQUEST, one) for one in what.request_ids)]
            stones += [bury(secret, kind, name, cause=Cause.FORGOTTEN, at_ns=now_ns) for kind, name in named if name]
            stones += followers.stones
            entomb(cursor, stones)
            erased = self._delete(cursor)
            rows = dict(Counter(erased.rows) + Counter(followers.rows))
            if what.user and (spans := delete_where(cursor, "spans", _OF_USER, [what.user, what.user])):
                rows["spans"] = rows.get("spans", 0) + spans
            masked = {}
            if what.text:
                tell("the text is masked")
                masked = mask_store(cursor, what.text, Sieve(secret, stones), self._dictionaries)
            return erased.model_copy(update={"rows": rows, "masked": masked, "traces": traces})

        return self._erase(work, dry_run=dry_run, tell=tell)

    def strike(self, request_ids: tuple[str, ...], spans: tuple[tuple[str, str], ...], *, now_ns: int) -> None:
        with self._database.changing() as cursor:
            keys = [SpanKey(*key) for key in spans]
            make_going(
                cursor,
                "select rid, request_id from requests where request_id in (select unnest(?::varchar[]))",
                [list(request_ids)],
            )
            stones, _ = stones_of_requests(cursor, GOING, cause=Cause.FORGOTTEN, at_ns=now_ns)
            secret = secret_of(cursor)
            stones += stones_of_spans(secret, keys, cause=Cause.FORGOTTEN, at_ns=now_ns)
            stones += [bury(secret, Kind.REQUEST, one, cause=Cause.FORGOTTEN, at_ns=now_ns) for one in request_ids]
            entomb(cursor, stones)
            delete_going(cursor)
            if keys:
                delete_spans(cursor, keys)
            cursor.execute(f"drop table {GOING}")
        self._forget_sieve()

    def finish(self) -> bool:
        with self._database.writing():
            with self._database.reading() as cursor:
                due = first_row(cursor, "select rewrite_due from erasure_state")
                room = room_for(self._database, 1.0)
            if due is None or not due[0]:
                return False
            check_room(room.needed, room.free)
            self._rewrite(_tell_nobody)
            return True

    def _delete(self, cursor: duckdb.DuckDBPyConnection) -> Erased:
        requests = cursor.execute(f"select request_id from {GOING} order by rid limit {_NAMED}").fetchall()
        gone = number(cursor, f"select count(*) from {GOING}")
        rows = delete_going(cursor)
        return Erased(requests=tuple(request_id for (request_id,) in requests), requests_gone=gone, rows=rows)

    def _erase(self, work: Work, *, dry_run: bool, tell: Callable[[str], None]) -> Erased:
        """Does the work, deletes what nothing names any more, and rewrites the file; a dry run takes all of it back."""
        erased = Erased()
        with self._database.writing():
            try:
                with self._database.changing() as cursor:
                    erased = self._counted(cursor, work, tell)
                    if dry_run:
                        raise _DryRun
                    check_room(erased.bytes_needed, erased.bytes_free)
            except _DryRun:
                return erased
            self._database.forget()
            self.times += 1
            if not erased.nothing:
                self._rewrite(tell)
            return erased.model_copy(update={"bytes_after": self._database.path.stat().st_size})

    def _counted(self, cursor: duckdb.DuckDBPyConnection, work: Work, tell: Callable[[str], None]) -> Erased:
        before, texts = weight_of(cursor), number(cursor, "select count(*) from texts")
        erased = work(cursor)
        cursor.execute(f"drop table if exists {GOING}")
        if erased.nothing:
            return erased
        tell("what nothing names any more is deleted, and search is made anew")
        delete_unreferenced(cursor, self._dictionaries)
        cursor.execute("update erasure_state set rewrite_due = true")
        gone = texts - number(cursor, "select count(*) from texts")
        room = room_for(self._database, weight_of(cursor) / max(1, before))
        return erased.model_copy(
            update={
                "rows": {**erased.rows, **({"texts": gone} if gone > 0 else {})},
                "bytes_before": room.now,
                "bytes_after": room.expected,
                "bytes_needed": room.needed,
                "bytes_free": room.free,
            }
        )

    def _rewrite(self, tell: Callable[[str], None]) -> None:
        rewrite(self._database, tell)
        with self._database.changing() as cursor:
            cursor.execute("update erasure_state set rewrite_due = false")


_OF_USER: Final = (
    "rid = 0 and ? in (json_extract_string(attributes, '$.\"user.id\"'), "
    "json_extract_string(attributes, '$.\"enduser.id\"')) and trace_id not in ("
    "select trace_id from requests where user_id is distinct from ?)"
)
"""Spans of the user that no request claims."""
_OLD_REST: Final = {
    "spans": "rid = 0 and start_ns < ? and trace_id not in (select trace_id from spans where rid <> 0)",
    "feedback": "at_ns < ? and request_id not in (select request_id from requests)",
}
"""What belongs to no request: spans that no request claims, and feedback whose request never came."""
