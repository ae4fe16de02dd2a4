"""Chunks as goldrank knows them: put together from the lists they stood in and from the newest manifest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import duckdb

from ...model import Chunk, text_hash
from .columns import registered
from .corpora import COMPLETE
from .encoding import loads_optional
from .texts import texts_of


class ChunkName(NamedTuple):
    """What a person takes for one chunk. Lists that do not say their index join the index that is known."""

    app: str
    index_name: str | None
    chunk_id: str


class _Member(NamedTuple):
    place: int
    chunk_key: int


_MEMBERS = """
select n.place, c.chunk_key from names n
join chunks c on c.app = n.app and c.chunk_id = n.chunk_id and (n.index_name is null or c.index_name is null
    or c.index_name = n.index_name)
"""
_SEEN = """
select m.place, count(distinct h.rid), max(r.start_ns), arg_max(r.environment, r.start_ns),
    arg_max(h.meta_key, r.start_ns),
    arg_max(h.text_key, case when h.text_state = 'known' then r.start_ns + 1000000000000000000 else r.start_ns end)
        filter (where t.text_key is not null),
    arg_max(c.index_name, r.start_ns)
from members m join hits h on h.chunk_key = m.chunk_key join requests r on r.rid = h.rid
join chunks c on c.chunk_key = h.chunk_key
left join (select text_key from texts where text is not null or parts is not null) t on t.text_key = h.text_key
group by m.place
"""
_LISTED = f"""
select m.place, arg_max(k.text_key, v.loaded_ns), arg_max(k.meta_key, v.loaded_ns),
    arg_max(struct_pack(
        section := k.section_path, parent := k.parent_id, previous := k.previous_id, next := k.next_id), v.loaded_ns),
    arg_max(v.environment, v.loaded_ns), arg_max(v.index_name, v.loaded_ns), max(v.loaded_ns)
from members m join corpus_chunks k on k.chunk_key = m.chunk_key
join {COMPLETE} v on v.corpus_key = k.corpus_key and v.complete
group by m.place
"""
_NEWEST = f"""
select v.app, v.index_name, max(v.loaded_ns) from {COMPLETE} v where v.complete group by all
"""


class _Seen(NamedTuple):
    requests: int
    last_ns: int
    environment: str
    meta_key: int
    text_key: int | None
    index_name: str | None


class _Listed(NamedTuple):
    text_key: int | None
    meta_key: int
    around: dict[str, Any]
    environment: str
    index_name: str
    loaded_ns: int


def describe(cursor: duckdb.DuckDBPyConnection, names: Sequence[ChunkName]) -> tuple[Chunk, ...]:
    """The chunks with these names, in their order. Text and metadata are the manifest's, else the newest seen."""
    if not names:
        return ()
    with registered(cursor, "names", [_Named(place, *name) for place, name in enumerate(names)]):
        members = [_Member(*row) for row in cursor.execute(_MEMBERS).fetchall()]
    if not members:
        return ()
    with registered(cursor, "members", members):
        seen = {row[0]: _Seen(*row[1:]) for row in cursor.execute(_SEEN).fetchall()}
        listed = {row[0]: _Listed(*row[1:]) for row in cursor.execute(_LISTED).fetchall()}
    newest = {(app, index): loaded_ns for app, index, loaded_ns in cursor.execute(_NEWEST).fetchall()}
    rows: list[_Seen | _Listed] = [*seen.values(), *listed.values()]
    texts = texts_of(cursor, {row.text_key for row in rows if row.text_key is not None})
    metas = _metas(cursor, {row.meta_key for row in rows})
    there = {member.place for member in members}
    return tuple(
        _chunk(name, seen=seen.get(place), listed=listed.get(place), newest=newest, texts=texts, metas=metas)
        for place, name in enumerate(names)
        if place in there
    )


class _Named(NamedTuple):
    place: int
    app: str
    index_name: str | None
    chunk_id: str


class _Meta(NamedTuple):
    doc_id: str | None
    parent_id: str | None
    metadata: dict[str, Any]


def _chunk(
    name: ChunkName,
    *,
    seen: _Seen | None,
    listed: _Listed | None,
    newest: dict[tuple[str, str | None], int],
    texts: dict[int, str],
    metas: dict[int, _Meta],
) -> Chunk:
    index = name.index_name or (listed.index_name if listed else None) or (seen.index_name if seen else None)
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
    rows = cursor.execute(
        "select meta_key, doc_id, parent_id, metadata from metas where meta_key in (select unnest(?::bigint[]))",
        [sorted(keys)],
    ).fetchall()
    return {key: _Meta(doc_id, parent_id, loads_optional(metadata) or {}) for key, doc_id, parent_id, metadata in rows}
