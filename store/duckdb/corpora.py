"""Corpus manifests on DuckDB: what an index version holds, in parts."""

from __future__ import annotations

import time
from typing import NamedTuple

import duckdb

from ...model import CorpusChunk, CorpusManifest, IdSource, text_hash
from ..chunks import CorpusState
from .columns import insert
from .database import Database
from .encoding import dumps, dumps_filled
from .numbers import Dictionaries, digest_of
from .passages import PassageIdentity, Passages, manifest_heading
from .recording import ChunkBatch, ChunkIdentity
from .row import first_row
from .rows import Description
from .texts import TextBatch

COMPLETE = """
(select c.corpus_key, c.app, c.environment, c.index_name, c.version, c.loaded_ns, count(p.part) = c.parts as complete
 from corpora c left join corpus_parts p on p.corpus_key = c.corpus_key and p.part between 1 and c.parts
 group by c.corpus_key, c.app, c.environment, c.index_name, c.version, c.loaded_ns, c.parts)
"""
"""Every index version with whether all its parts are here."""


class _CorpusRow(NamedTuple):
    corpus_key: int
    app: str
    environment: str
    index_name: str
    version: str
    parts: int
    loaded_ns: int


class _PartRow(NamedTuple):
    corpus_key: int
    part: int
    digest: bytes


class _CorpusChunkRow(NamedTuple):
    corpus_key: int
    part: int
    chunk_key: int
    text_key: int | None
    searchable_key: int | None
    meta_key: int
    section_path: str | None
    parent_id: str | None
    previous_id: str | None
    next_id: str | None


class DuckCorpora:
    """`store.Corpora` on DuckDB."""

    def __init__(self, database: Database, dictionaries: Dictionaries) -> None:
        self._database = database
        self._dictionaries = dictionaries

    def add(self, manifest: CorpusManifest) -> None:
        with self._database.changing() as cursor:
            add_manifest(cursor, manifest, self._dictionaries)

    def list(self) -> tuple[CorpusState, ...]:
        with self._database.reading() as cursor:
            rows = cursor.execute(
                "select c.app, c.environment, c.index_name, c.version, "
                "(select count(*) from corpus_chunks k where k.corpus_key = c.corpus_key), c.complete, c.loaded_ns "
                f"from {COMPLETE} c order by c.app, c.environment, c.index_name, c.loaded_ns desc, c.version"
            ).fetchall()
        return tuple(
            CorpusState(
                app=app,
                environment=environment,
                index=index,
                version=version,
                chunks=chunks,
                complete=complete,
                loaded_ns=loaded_ns,
            )
            for app, environment, index, version, chunks, complete, loaded_ns in rows
        )


def add_manifest(cursor: duckdb.DuckDBPyConnection, manifest: CorpusManifest, dictionaries: Dictionaries) -> None:
    """Adds a part of an index version, or replaces it where it says something else than before."""
    digest = digest_of(dumps(manifest.model_dump()))
    if _stored_digest(cursor, manifest) == digest:
        return
    corpus_key = _corpus_key(cursor, manifest)
    for table in ("corpus_parts", "corpus_chunks"):
        cursor.execute(
            f"delete from {table} where corpus_key = ? and (part = ? or part > ?)",
            [corpus_key, manifest.part, manifest.parts],
        )
    insert(cursor, "corpus_parts", [_PartRow(corpus_key, manifest.part, digest)])
    insert(cursor, "corpus_chunks", _chunk_rows(cursor, corpus_key, manifest, dictionaries))


def _stored_digest(cursor: duckdb.DuckDBPyConnection, manifest: CorpusManifest) -> bytes | None:
    """What names the content of this part as it is stored now."""
    row = first_row(
        cursor,
        "select p.digest from corpora c join corpus_parts p on p.corpus_key = c.corpus_key "
        "where c.app = ? and c.environment = ? and c.index_name = ? and c.version = ? and c.parts = ? and p.part = ?",
        [
            manifest.app,
            manifest.environment,
            manifest.index,
            manifest.version,
            manifest.parts,
            manifest.part,
        ],
    )
    return None if row is None else bytes(row[0])


def _corpus_key(cursor: duckdb.DuckDBPyConnection, manifest: CorpusManifest) -> int:
    """The number of this index version; its row says how many parts it has and when the last one came."""
    identity = [manifest.app, manifest.environment, manifest.index, manifest.version]
    found = first_row(
        cursor,
        "select corpus_key from corpora where app = ? and environment = ? and index_name = ? and version = ?",
        identity,
    )
    if found is None:
        found = first_row(cursor, "select coalesce(max(corpus_key), 0) + 1 from corpora")
    corpus_key = 1 if found is None else int(found[0])
    cursor.execute("delete from corpora where corpus_key = ?", [corpus_key])
    row = _CorpusRow(
        corpus_key,
        manifest.app,
        manifest.environment,
        manifest.index,
        manifest.version,
        manifest.parts,
        time.time_ns(),
    )
    insert(cursor, "corpora", [row])
    return corpus_key


def _chunk_rows(
    cursor: duckdb.DuckDBPyConnection, corpus_key: int, manifest: CorpusManifest, dictionaries: Dictionaries
) -> list[_CorpusChunkRow]:
    texts = TextBatch(dictionaries.texts)
    chunks = ChunkBatch(dictionaries)
    passages = Passages(dictionaries.passages, dictionaries.vocabulary)
    for chunk in manifest.chunks:
        if chunk.text is not None:
            texts.name(chunk.text, text_hash(chunk.text))
        texts.name(chunk.searchable_text)
        chunks.name_chunk(ChunkIdentity(manifest.app, manifest.index, chunk.chunk_id))
        chunks.name_meta(_description(chunk))
    texts.settle(cursor)
    chunks.settle(cursor)
    rows = []
    for chunk in manifest.chunks:
        chunk_key = chunks.chunk_key(ChunkIdentity(manifest.app, manifest.index, chunk.chunk_id))
        text_key = None if chunk.text is None else texts.key(chunk.text, text_hash(chunk.text))
        passages.name(
            PassageIdentity(chunk_key, text_key, chunk.doc_id, _heading(chunk)),
            chunk_id=chunk.chunk_id,
            text=chunk.text,
        )
        rows.append(
            _CorpusChunkRow(
                corpus_key=corpus_key,
                part=manifest.part,
                chunk_key=chunk_key,
                text_key=text_key,
                searchable_key=texts.key(chunk.searchable_text),
                meta_key=chunks.meta_key(_description(chunk)),
                section_path=chunk.section_path,
                parent_id=chunk.parent_id,
                previous_id=chunk.previous_id,
                next_id=chunk.next_id,
            )
        )
    passages.settle(cursor)
    return rows


def _description(chunk: CorpusChunk) -> Description:
    return Description(
        chunk.doc_id, chunk.parent_id, IdSource.FIELD.value, None, dumps_filled(chunk.metadata), extra=None
    )


def _heading(chunk: CorpusChunk) -> str:
    return manifest_heading(chunk.section_path, chunk.metadata, chunk.text, chunk.searchable_text)
