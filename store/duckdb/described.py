"""Chunks as goldrank knows them: put together from the lists they stood in and from the newest manifest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import duckdb

from ...model import Chunk, text_hash
from .corpora import COMPLETE
from .encoding import loads_optional
from .row import rows_of
from .texts import texts_of

_NAMES = """
select name_key, app, index_name, chunk_id from chunks
where chunk_key = name_key and chunk_key in (select unnest($1::bigint[]))
"""
_SEEN = """
with shown as materialized (
    select v.version_key, c.name_key, v.meta_key, v.text_key, v.text_state from chunk_versions v
    join (select chunk_key, name_key from chunks where chunk_key in (select unnest($1::bigint[]))) c
        on c.chunk_key = v.chunk_key
)
select v.name_key, count(distinct h.rid), max(r.start_ns), arg_max(r.environment, r.start_ns),
    arg_max(v.meta_key, r.start_ns),
    coalesce(arg_max(v.text_key, r.start_ns) filter (where v.text_state = 'known'),
             arg_max(v.text_key, r.start_ns) filter (where v.text_state = 'cut'))
from (select rid, version_key from hit_rows where version_key in (select version_key from shown)) h
join requests r on r.rid = h.rid join shown v on v.version_key = h.version_key
group by v.name_key
"""
_LISTED = f"""
select c.name_key, arg_max(k.text_key, v.loaded_ns), arg_max(k.meta_key, v.loaded_ns),
    arg_max(struct_pack(
        section := k.section_path, parent := k.parent_id, previous := k.previous_id, next := k.next_id), v.loaded_ns),
    arg_max(v.environment, v.loaded_ns), arg_max(v.index_name, v.loaded_ns), max(v.loaded_ns)
from (select * from corpus_chunks where chunk_key in (select unnest($1::bigint[]))) k
join {COMPLETE} v on v.corpus_key = k.corpus_key and v.complete
join (select chunk_key, name_key from chunks where chunk_key in (select unnest($1::bigint[]))) c
    on c.chunk_key = k.chunk_key
group by c.name_key
"""
_NEWEST = f"""
select v.app, v.index_name, max(v.loaded_ns) from {COMPLETE} v where v.complete group by all
"""


class _Name(NamedTuple):
    app: str
    index_name: str | None
    chunk_id: str


class _Seen(NamedTuple):
    requests: int
    last_ns: int
    environment: str
    meta_key: int
    text_key: int | None


class _Listed(NamedTuple):
    text_key: int | None
    meta_key: int
    around: dict[str, Any]
    environment: str
    index_name: str
    loaded_ns: int


def describe(cursor: duckdb.DuckDBPyConnection, name_keys: Sequence[int]) -> tuple[Chunk, ...]:
    """The chunks with these `chunks.name_key`s, in their order.

    Text and metadata are the newest manifest's where it lists the chunk, else the newest that a list showed.
    """
    if not name_keys:
        return ()
    names = {row[0]: _Name(*row[1:]) for row in _rows(cursor, _NAMES, name_keys)}
    members = [
        key
        for (key,) in _rows(
            cursor, "select chunk_key from chunks where name_key in (select unnest($1::bigint[]))", name_keys
        )
    ]
    seen = {row[0]: _Seen(*row[1:]) for row in _rows(cursor, _SEEN, members)}
    listed = {row[0]: _Listed(*row[1:]) for row in _rows(cursor, _LISTED, members)}
    newest = {(app, index): loaded_ns for app, index, loaded_ns in rows_of(cursor, _NEWEST)}
    rows: list[_Seen | _Listed] = [*seen.values(), *listed.values()]
    texts = texts_of(cursor, {row.text_key for row in rows if row.text_key is not None})
    metas = _metas(cursor, {row.meta_key for row in rows})
    return tuple(
        _chunk(names[key], seen=seen.get(key), listed=listed.get(key), newest=newest, texts=texts, metas=metas)
        for key in name_keys
        if key in names
    )


def _rows(cursor: duckdb.DuckDBPyConnection, sql: str, keys: Sequence[int]) -> list[tuple[Any, ...]]:
    """Rows of a statement about these numbers."""
    return rows_of(cursor, sql, [list(keys)])


class _Meta(NamedTuple):
    doc_id: str | None
    parent_id: str | None
    metadata: dict[str, Any]


def _chunk(
    name: _Name,
    *,
    seen: _Seen | None,
    listed: _Listed | None,
    newest: dict[tuple[str, str | None], int],
    texts: dict[int, str],
    metas: dict[int, _Meta],
) -> Chunk:
    index = name.index_name or (listed.index_name if listed is not None else None)
    current = listed is not None and listed.loaded_ns == newest.get((name.app, listed.index_name))
    # A manifest that no longer lists the chunk is older than what the lists show.
    sources: list[_Seen | _Listed] = [
        row for row in ((listed, seen) if current or seen is None else (seen, listed)) if row is not None
    ]
    text = next((texts[row.text_key] for row in sources if row.text_key is not None and row.text_key in texts), None)
    described = [metas[row.meta_key] for row in sources]
    around = listed.around if listed is not None else {}
    known = any(app == name.app and (index is None or other == index) for app, other in newest)
    return Chunk(
        app=name.app,
        environment=next((row.environment for row in sources if row.environment), ""),
        index=index,
        chunk_id=name.chunk_id,
        doc_id=next((meta.doc_id for meta in described if meta.doc_id is not None), None),
        text=text,
        text_hash=None if text is None else text_hash(text),
        metadata=next((meta.metadata for meta in described if meta.metadata), {}),
        section_path=around.get("section"),
        parent_id=around.get("parent") or next((meta.parent_id for meta in described if meta.parent_id), None),
        previous_id=around.get("previous"),
        next_id=around.get("next"),
        seen_in=0 if seen is None else seen.requests,
        last_seen_ns=None if seen is None else seen.last_ns,
        in_manifest=current if known else None,
    )


def _metas(cursor: duckdb.DuckDBPyConnection, keys: set[int]) -> dict[int, _Meta]:
    rows = rows_of(
        cursor,
        "select meta_key, doc_id, parent_id, metadata from metas where meta_key in (select unnest(?::bigint[]))",
        [sorted(keys)],
    )
    return {key: _Meta(doc_id, parent_id, loads_optional(metadata) or {}) for key, doc_id, parent_id, metadata in rows}
