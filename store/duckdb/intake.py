"""The way in: one transaction for a batch and for how far the spool was read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import duckdb

from ...model import RULES_VERSION, Drops, Span
from ..intake import BadFrame, IntakeBatch
from .columns import insert
from .complaints import add_complaints, add_feedback
from .corpora import add_manifest
from .database import Database
from .identities import Identities, identities_of, named_requests, newest_rid
from .numbers import Dictionaries
from .receivers import add_receivers, receiver_counts
from .recording import ChunkBatch, RequestBatch
from .row import first_row, number
from .schema import MIGRATIONS
from .search_tables import rebuild_search
from .settling import Settling
from .spans import SpanBatch, SpanKey, SpanOwner, give_spans, spans_of_traces
from .texts import TextBatch
from .traces import Traces

_REPLACED = ("requests", "stages", "hit_rows", "words")
_JUDGED = ("diagnoses", "findings", "gold_ranks")
"""What was said of a request stays until it is examined again; it goes with the request only."""
_COUNTED = ("requests", "spans", "stages", "chunks", "texts", "corpora", "corpus_chunks")
_COUNTED_ONCE = ("labels", "cases", "complaints", "feedback")
"""Tables of revisions: each thing counts once, however often it was changed or linked since."""


class _ProgressRow(NamedTuple):
    segment: str
    upto: int


class _DropRow(NamedTuple):
    app: str
    pid: int
    reason: str
    spans: int
    at_ns: int


class DuckIntake:
    """`store.Intake` on DuckDB."""

    def __init__(self, database: Database, dictionaries: Dictionaries) -> None:
        self._database = database
        self._dictionaries = dictionaries
        self._newest_rid: int | None = None
        """The largest number that a request has; None: to be asked."""
        self._segments: set[str] | None = None
        """Segments that have a row of progress; None: to be asked."""
        self._traces = Traces()
        self._settling = Settling()
        database.on_rollback(self._forget)

    def _forget(self) -> None:
        self._newest_rid = self._segments = None

    def progress(self) -> dict[str, int]:
        with self._database.reading() as cursor:
            return dict(cursor.execute("select segment, upto from ingested").fetchall())

    def spans_of(self, trace_ids: tuple[str, ...]) -> tuple[Span, ...]:
        with self._database.reading() as cursor:
            known = self._traces.known(cursor, trace_ids)
            return spans_of_traces(cursor, known) if known else ()

    def trace_of_request(self, request_ids: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
        with self._database.reading() as cursor:
            known = self._traces.known(cursor, request_ids)
            if not known:
                return {}
            rows = cursor.execute(
                "select r.request_id, list_sort(list_distinct(list(s.trace_id))) "
                "from requests r join spans s on s.rid = r.rid "
                "where r.request_id in (select unnest(?::varchar[])) group by r.request_id",
                [sorted(set(known))],
            ).fetchall()
        return {request_id: tuple(traces) for request_id, traces in rows}

    def request_ids(self) -> tuple[str, ...]:
        with self._database.reading() as cursor:
            rows = cursor.execute("select request_id from requests order by start_ns desc, request_id").fetchall()
        return tuple(request_id for (request_id,) in rows)

    def members_of(self, trace_ids: tuple[str, ...]) -> dict[str, tuple[tuple[str, str], ...]]:
        members: dict[str, list[tuple[str, str]]] = {}
        with self._database.reading() as cursor:
            for request_id, trace_id, span_id in cursor.execute(
                "select r.request_id, s.trace_id, s.span_id from spans s join requests r on r.rid = s.rid "
                "where s.trace_id in (select unnest(?::varchar[])) order by all",
                [list(trace_ids)],
            ).fetchall():
                members.setdefault(request_id, []).append((trace_id, span_id))
        return {request_id: tuple(keys) for request_id, keys in members.items()}

    def rebuild_search(self) -> None:
        with self._database.changing() as cursor:
            rebuild_search(cursor, self._dictionaries)

    def commit(self, batch: IntakeBatch) -> None:
        with self._database.changing() as cursor:
            self._commit(cursor, batch)

    def forget_segments(self, segments: tuple[str, ...]) -> None:
        if not segments:
            return
        self._segments = None
        with self._database.changing() as cursor:
            cursor.execute("delete from ingested where segment in (select unnest(?::varchar[]))", [list(segments)])

    def counts(self) -> dict[str, Any]:
        with self._database.reading() as cursor:
            rows = {table: _count(cursor, table) for table in _COUNTED}
            rows |= {"hits": _count(cursor, "hit_rows")}
            rows |= {table: _count(cursor, f"current_{table}") for table in _COUNTED_ONCE}
            drops: dict[str, dict[str, int]] = {}
            for app, reason, spans in cursor.execute(
                "select app, reason, sum(spans)::bigint from drops group by all order by all"
            ).fetchall():
                drops.setdefault(app, {})[reason] = spans
            return {
                "rows": rows,
                "drops": drops,
                "receivers": receiver_counts(cursor),
                "bad_frames": _count(cursor, "bad_frames"),
                "older_rules": number(
                    cursor, "select count(*) from diagnoses where rules_version <> ?", [RULES_VERSION]
                ),
                "bytes": self._database.size(),
                "schema_version": MIGRATIONS.newest,
            }

    def bad_frames(self, *, limit: int = 50) -> tuple[BadFrame, ...]:
        with self._database.reading() as cursor:
            rows = cursor.execute(
                "select segment, position, reason, saved_as, at_ns from bad_frames "
                "order by at_ns desc, segment, position limit ?",
                [limit],
            ).fetchall()
        return tuple(
            BadFrame(segment=segment, offset=offset, reason=reason, saved_as=saved_as, at_ns=at_ns)
            for segment, offset, reason, saved_as, at_ns in rows
        )

    def _commit(self, cursor: duckdb.DuckDBPyConnection, batch: IntakeBatch) -> None:
        self._newest_rid = newest = self._newest_rid or newest_rid(cursor)
        known = self._traces.known(cursor, named_requests(batch))
        identities = identities_of(cursor, batch, known, newest + 1)
        self._traces.add(cursor, [*identities.rids, *(span.trace_id for span in batch.spans)])
        self._newest_rid = max([newest, *identities.rids.values()])
        self._record(cursor, batch, identities)
        identities.follow(cursor)
        add_complaints(cursor, batch.complaints)
        add_feedback(cursor, batch.feedback)
        for manifest in batch.corpora:
            add_manifest(cursor, manifest, self._dictionaries)
        insert(cursor, "drops", [row for drops in batch.drops for row in _drop_rows(drops)])
        add_receivers(cursor, batch.drops)
        _note_bad_frames(cursor, batch.bad_frames)
        self._note_progress(cursor, batch)
        self._settling.after(cursor, len(batch.requests))

    def _note_progress(self, cursor: duckdb.DuckDBPyConnection, batch: IntakeBatch) -> None:
        """Says how far these segments are read. Rows of finished ones stay until their files are gone."""
        upto = {progress.segment: progress.upto for progress in batch.progress}
        if not upto:
            return
        if self._segments is None:
            self._segments = {name for (name,) in cursor.execute("select segment from ingested").fetchall()}
        new = [_ProgressRow(*item) for item in upto.items() if item[0] not in self._segments]
        for segment in upto.keys() & self._segments:
            cursor.execute("update ingested set upto = ? where segment = ?", [upto[segment], segment])
        insert(cursor, "ingested", new)
        self._segments.update(upto)

    def _record(self, cursor: duckdb.DuckDBPyConnection, batch: IntakeBatch, identities: Identities) -> None:
        """Replaces requests and spans."""
        texts = TextBatch(self._dictionaries.texts)
        chunks = ChunkBatch(self._dictionaries)
        requests = RequestBatch(batch.requests, batch.lists, texts, chunks)
        spans = SpanBatch(batch.spans, texts, self._dictionaries, requests.answers)
        requests.name()
        spans.name()
        texts.settle(cursor)
        chunks.settle(cursor)
        _delete(cursor, _REPLACED, identities.replaced)
        _delete(cursor, _JUDGED, sorted(set(identities.replaced) - set(identities.rids.values())))
        requests.insert(cursor, identities.rids, self._dictionaries)
        arriving = spans.keys
        owners = _owners(cursor, batch, identities.rids, arriving)
        spans.insert(cursor, owners, arriving if batch.stored is None else arriving & batch.stored)
        give_spans(cursor, [SpanOwner(*key, rid) for key, rid in owners.items() if key not in arriving])


def _owners(
    cursor: duckdb.DuckDBPyConnection, batch: IntakeBatch, rids: dict[str, int], arriving: Iterable[SpanKey]
) -> dict[SpanKey, int]:
    """The request of each span. A span that no request claims keeps to its trace's newest request, else to none."""
    owners = {
        SpanKey(*member): rids[request_id]
        for request_id, members in batch.members.items()
        if request_id in rids
        for member in members
    }
    unclaimed = [key for key in arriving if key not in owners]
    if unclaimed:
        by_trace = dict(
            cursor.execute(
                "select trace_id, max(rid) from requests where trace_id in (select unnest(?::varchar[])) group by all",
                [[key.trace_id for key in unclaimed]],
            ).fetchall()
        )
        owners.update({key: by_trace.get(key.trace_id, 0) for key in unclaimed})
    return owners


def _delete(cursor: duckdb.DuckDBPyConnection, tables: Iterable[str], rids: list[int]) -> None:
    """Deletes the rows of these requests. The tables are names from this file."""
    if rids:
        for table in tables:
            cursor.execute(f"delete from {table} where rid in ({', '.join(map(str, rids))})")


def _drop_rows(drops: Drops) -> list[_DropRow]:
    return [_DropRow(drops.app, drops.pid, reason, count, drops.at_ns) for reason, count in drops.drops.items()]


def _note_bad_frames(cursor: duckdb.DuckDBPyConnection, frames: tuple[BadFrame, ...]) -> None:
    """A frame that is reported again replaces its row."""
    for frame in frames:
        cursor.execute(
            "delete from bad_frames where segment = ? and position = ?",
            [frame.segment, frame.offset],
        )
        cursor.execute(
            "insert into bad_frames(segment, position, reason, saved_as, at_ns) values (?, ?, ?, ?, ?)",
            [frame.segment, frame.offset, frame.reason, frame.saved_as, frame.at_ns],
        )


def _count(cursor: duckdb.DuckDBPyConnection, table: str) -> int:
    row = first_row(cursor, f"select count(*) from {table}")
    return 0 if row is None else int(row[0])
