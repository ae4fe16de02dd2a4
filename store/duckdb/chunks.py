"""Chunks on DuckDB: search, one chunk, where it appeared, and what the corpus says of a label."""

from __future__ import annotations

from typing import Any

import duckdb

from ...model import Chunk, LabelFacts, LabelTarget, RecordedRequest
from ..chunks import Appearance, ChunkPage, ChunkQuery, CorpusFacts
from .database import Database
from .described import describe
from .encoding import loads
from .facts import facts_in, facts_of
from .row import first_row, rows_of
from .search import search
from .searched import Searched, corpora_of, newest_corpora

_BY_ID = """
select chunk_key from chunks
where chunk_key = name_key and app = ? and chunk_id = ?
    and (?::varchar is null or index_name is null or index_name = ?)
order by index_name is null, chunk_key limit 1
"""
_APPEARANCES = """
with standing as materialized (
    select rid, stage, place + 1 + rank_ahead as rank from hit_rows
    where version_key in (
        select v.version_key from chunk_versions v join chunks c on c.chunk_key = v.chunk_key
        where c.app = $1 and c.chunk_id = $2
    )
),
newest as materialized (
    select r.rid, r.request_id, r.start_ns, r.question from requests r
    where r.rid in (select rid from standing) order by r.start_ns desc, r.request_id limit $3
),
shown as materialized (select * from standing where rid in (select rid from newest))
select n.request_id, n.start_ns, left(n.question, 300), min(h.rank), arg_min(s.name, (h.rank, s.place))
from newest n join shown h on h.rid = n.rid
join (select rid, name, place from stages where rid in (select rid from newest)) s
    on s.rid = h.rid and s.place = h.stage
group by all order by n.start_ns desc, n.request_id
"""
_METADATA = """
select c.chunk_id, arg_max(m.metadata, v.loaded_ns)
from corpus_chunks k join corpora v on v.corpus_key = k.corpus_key
join chunks c on c.chunk_key = k.chunk_key left join metas m on m.meta_key = k.meta_key
where k.corpus_key in (select unnest(?::bigint[]))
    and c.chunk_id in (select unnest(?::varchar[]))
group by c.chunk_id order by c.chunk_id
"""


class DuckChunks:
    """`store.Chunks` on DuckDB."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def search(self, query: ChunkQuery) -> ChunkPage:
        with self._database.reading() as cursor:
            return search(cursor, query)

    def get(self, app: str, chunk_id: str, *, index: str | None = None) -> Chunk | None:
        with self._database.reading() as cursor:
            row = first_row(cursor, _BY_ID, [app, chunk_id, index, index])
            return None if row is None else describe(cursor, [row[0]])[0]

    def is_known(self, app: str, chunk_id: str) -> bool:
        with self._database.reading() as cursor:
            sql = "select 1 from chunks where app = ? and chunk_id = ? limit 1"
            return first_row(cursor, sql, [app, chunk_id]) is not None

    def appearances(self, app: str, chunk_id: str, *, limit: int = 20) -> tuple[Appearance, ...]:
        with self._database.reading() as cursor:
            rows = rows_of(cursor, _APPEARANCES, [app, chunk_id, limit])
        return tuple(
            Appearance(request_id=request_id, start_ns=start_ns, question=question, best_rank=rank, stage=stage)
            for request_id, start_ns, question, rank, stage in rows
        )

    def facts(self, request_id: str, targets: tuple[LabelTarget, ...]) -> tuple[LabelFacts, ...]:
        with self._database.reading() as cursor:
            return facts_of(cursor, request_id, targets)

    def facts_and_metadata(self, recorded: RecordedRequest, targets: tuple[LabelTarget, ...]) -> CorpusFacts:
        with self._database.reading() as cursor:
            searched = corpora_of(cursor, recorded)
            facts = facts_in(cursor, searched, targets)
            return CorpusFacts(facts, _metadata(cursor, searched, recorded), whole=searched.known)

    def facts_now(self, app: str, environment: str, targets: tuple[LabelTarget, ...]) -> tuple[LabelFacts, ...]:
        with self._database.reading() as cursor:
            return facts_in(cursor, newest_corpora(cursor, app, environment), targets)


def _metadata(
    cursor: duckdb.DuckDBPyConnection, searched: Searched, recorded: RecordedRequest
) -> dict[str, dict[str, Any]]:
    keys = [corpus.corpus_key for corpus in searched.corpora]
    if not keys:
        return {}
    chunk_ids = {hit.chunk_id for stage in recorded.stages for hit in stage.hits or ()}
    rows = rows_of(cursor, _METADATA, [keys, sorted(chunk_ids)])
    return {chunk_id: {} if metadata is None else loads(metadata) for chunk_id, metadata in rows}
