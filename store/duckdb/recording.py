"""Recorded requests as rows: everything distinct is named first, then numbered, then the rows are made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import duckdb

from ...model import Hit, RecordedRequest, Request, Stage, make_case_key
from .columns import insert
from .encoding import dumps, dumps_filled, dumps_optional
from .extra import extra_of
from .indexes import hit_indexes
from .numbers import Dictionaries, digest_of
from .passages import PassageIdentity, Passages, heading_of
from .rows import ChunkRecord, Description, HitRecord, MetaRecord, RequestRecord, RequestWord, StageRecord
from .texts import TextBatch
from .vocabulary import add_words
from .words import counted, word_hash, words

_REQUEST_COLUMNS = frozenset(RequestRecord._fields) | {"user"}
_STAGE_COLUMNS = frozenset(StageRecord._fields) | {"hits", "text", "index"}
_HIT_COLUMNS = frozenset(
    {
        *("rank", "chunk_id", "id_source", "doc_id", "index", "score", "score_kind"),
        *("text", "text_hash", "text_state", "metadata", "parent_id"),
    }
)


_ADOPT = """
update chunks set name_key = named.name_key from (
    select nameless.chunk_key, min(indexed.chunk_key) as name_key
    from chunks nameless join chunks indexed on indexed.app = nameless.app and indexed.chunk_id = nameless.chunk_id
    where nameless.index_name is null and indexed.index_name is not null
        and nameless.chunk_id in (select unnest(?::varchar[]))
    group by nameless.chunk_key
) named
where chunks.chunk_key = named.chunk_key and chunks.name_key <> named.name_key
"""
"""Joins chunks of lists that do not say their index to the same id in an index that is known."""


class ChunkIdentity(NamedTuple):
    """What makes a chunk one chunk."""

    app: str
    index_name: str | None
    chunk_id: str


class ChunkBatch:
    """The chunks and descriptions of one transaction."""

    def __init__(self, dictionaries: Dictionaries) -> None:
        self._dictionaries = dictionaries
        self._chunks: dict[ChunkIdentity, bytes] = {}
        self._metas: dict[Description, bytes] = {}
        self._chunk_keys: dict[bytes, int] = {}
        self._meta_keys: dict[bytes, int] = {}

    def name_chunk(self, identity: ChunkIdentity) -> None:
        """Says that this chunk is needed."""
        if identity not in self._chunks:
            self._chunks[identity] = digest_of(*identity)

    def name_meta(self, description: Description) -> None:
        """Says that this description is needed."""
        if description not in self._metas:
            self._metas[description] = digest_of(*description)

    def settle(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Numbers everything named and inserts what is new."""
        chunks = self._dictionaries.chunks.settle(cursor, self._chunks.values())
        metas = self._dictionaries.metas.settle(cursor, self._metas.values())
        self._chunk_keys, self._meta_keys = chunks.keys, metas.keys
        insert(
            cursor,
            "chunks",
            [
                ChunkRecord(chunks.keys[digest], digest, *identity, chunks.keys[digest])
                for identity, digest in self._chunks.items()
                if digest in chunks.new
            ],
        )
        if chunks.new:
            cursor.execute(_ADOPT, [[identity.chunk_id for identity, at in self._chunks.items() if at in chunks.new]])
        insert(
            cursor,
            "metas",
            [
                MetaRecord(metas.keys[digest], digest, *description)
                for description, digest in self._metas.items()
                if digest in metas.new
            ],
        )

    def chunk_key(self, identity: ChunkIdentity) -> int:
        """The number of a chunk that was named."""
        return self._chunk_keys[self._chunks[identity]]

    def meta_key(self, description: Description) -> int:
        """The number of a description that was named."""
        return self._meta_keys[self._metas[description]]


def description_of(hit: Hit) -> Description:
    """What a hit says of its chunk beside rank, score and text."""
    return Description(
        hit.doc_id,
        hit.parent_id,
        hit.id_source.value,
        hit.index,
        dumps(hit.metadata) if hit.metadata else None,
        extra_of(hit, _HIT_COLUMNS),
    )


class _NamedHit(NamedTuple):
    """A hit with what it is made of."""

    hit: Hit
    chunk: ChunkIdentity
    description: Description


class RequestBatch:
    """The requests of one transaction as rows."""

    def __init__(self, requests: Iterable[RecordedRequest], texts: TextBatch, chunks: ChunkBatch) -> None:
        self._requests = tuple(requests)
        self._texts = texts
        self._chunks = chunks
        self._lists: list[list[list[_NamedHit]]] = []
        """For each request, for each of its stages, the hits."""
        self._headings: dict[Description, str] = {}

    def name(self) -> None:
        """Names every text, chunk and description. Passages come first: prompts are cut at them."""
        self._lists = [self._name_hits(recorded) for recorded in self._requests]
        for recorded, lists in zip(self._requests, self._lists, strict=True):
            passages = tuple({named.hit.text for hits in lists for named in hits if named.hit.text is not None})
            for stage in recorded.stages:
                for text in texts_of_stage(stage):
                    self._texts.name(text, passages=passages)

    def _name_hits(self, recorded: RecordedRequest) -> list[list[_NamedHit]]:
        indexes = hit_indexes(recorded)
        lists = []
        for stage in recorded.stages:
            named = []
            for hit in stage.hits or ():
                self._texts.name(hit.text, hit.text_hash)
                chunk = ChunkIdentity(recorded.request.app, indexes[id(hit)], hit.chunk_id)
                self._chunks.name_chunk(chunk)
                description = description_of(hit)
                self._chunks.name_meta(description)
                if description not in self._headings:
                    self._headings[description] = heading_of(hit.metadata)
                named.append(_NamedHit(hit, chunk, description))
            lists.append(named)
        return lists

    def insert(self, cursor: duckdb.DuckDBPyConnection, rids: dict[str, int], passages: Passages) -> None:
        """Inserts the rows. `rids` holds the number of each request."""
        requests: list[RequestRecord] = []
        stages: list[StageRecord] = []
        hits: list[HitRecord] = []
        found: list[RequestWord] = []
        seen: set[str] = set()
        for recorded, lists in zip(self._requests, self._lists, strict=True):
            request = recorded.request
            rid = rids[request.request_id]
            requests.append(request_row(rid, request))
            counts = counted(words(f"{request.question or ''} {request.answer or ''}"))
            found.extend(RequestWord(word_hash(word), rid, tf) for word, tf in counts.items())
            seen.update(counts)
            for place, (stage, named) in enumerate(zip(recorded.stages, lists, strict=True)):
                stages.append(self._stage_row(rid, place, stage))
                hits.extend(self._hit_rows(rid, stage.stage_id, named, passages))
        insert(cursor, "requests", requests)
        insert(cursor, "stages", stages)
        insert(cursor, "hits", hits)
        insert(cursor, "words", sorted(found))
        add_words(cursor, seen)

    def _stage_row(self, rid: int, place: int, stage: Stage) -> StageRecord:
        prompt = None
        if stage.prompt is not None:
            prompt = dumps([[message.role, self._texts.key(message.text)] for message in stage.prompt])
        return StageRecord(
            rid=rid,
            place=place,
            stage_id=stage.stage_id,
            kind=stage.kind.value,
            name=stage.name,
            parent_id=stage.parent_id,
            parent_missing=stage.parent_missing,
            start_ns=stage.start_ns,
            end_ns=stage.end_ns,
            clock_note=stage.clock_note,
            outcome=stage.outcome.value,
            error=stage.error,
            query=stage.query,
            queries=dumps_filled(stage.queries),
            technique=stage.technique,
            top_k=stage.top_k,
            filters=dumps_optional(stage.filters),
            index_name=stage.index,
            index_version=stage.index_version,
            embedding_model=stage.embedding_model,
            model=stage.model,
            settings=dumps_filled(stage.settings),
            has_list=stage.has_list,
            length=stage.length,
            missing_top=stage.missing_top,
            completeness=stage.completeness.value,
            shape=stage.shape,
            inputs=dumps_filled([[source.stage_id, source.depth] for source in stage.inputs]),
            flow_source=stage.flow_source.value,
            text_key=self._texts.key(stage.text),
            prompt=prompt,
            declared_context=dumps_optional(stage.declared_context),
            extra=extra_of(stage, _STAGE_COLUMNS),
        )

    def _hit_rows(self, rid: int, stage_id: str, named: list[_NamedHit], passages: Passages) -> Iterator[HitRecord]:
        for place, (hit, chunk, description) in enumerate(named):
            chunk_key = self._chunks.chunk_key(chunk)
            text_key = self._texts.key(hit.text, hit.text_hash)
            passages.name(
                PassageIdentity(chunk_key, text_key, hit.doc_id, self._headings[description]),
                chunk_id=hit.chunk_id,
                text=hit.text,
            )
            yield HitRecord(
                rid,
                stage_id,
                place,
                hit.rank,
                chunk_key,
                text_key,
                self._chunks.meta_key(description),
                hit.score,
                hit.score_kind.value,
                hit.text_state.value,
            )


def request_row(rid: int, request: Request) -> RequestRecord:
    """A request without its stages as a row."""
    case_key = None
    if request.question is not None:
        case_key = make_case_key(
            app=request.app,
            question=request.question,
            history=request.history,
            tenant=request.tenant,
            groups=request.groups or (),
        )
    return RequestRecord(
        rid=rid,
        request_id=request.request_id,
        trace_id=request.trace_id,
        provisional=request.provisional,
        app=request.app,
        environment=request.environment,
        app_version=request.app_version,
        question=request.question,
        question_source=request.question_source,
        history=dumps_filled([[message.role, message.text] for message in request.history]),
        answer=request.answer,
        answer_note=request.answer_note,
        user_id=request.user,
        session=request.session,
        tenant=request.tenant,
        groups=dumps_optional(request.groups),
        as_of=request.as_of,
        outcome=request.outcome.value,
        error=request.error,
        start_ns=request.start_ns,
        end_ns=request.end_ns,
        replay_of=request.replay_of,
        notes=dumps_filled(request.notes),
        attributes=dumps_filled(request.attributes),
        missing=dumps_filled(request.missing),
        repaired=request.repaired,
        case_key=case_key,
        extra=extra_of(request, _REQUEST_COLUMNS),
    )


def texts_of_stage(stage: Stage) -> Iterable[str]:
    """The texts of a stage beside its hits."""
    if stage.text is not None:
        yield stage.text
    for message in stage.prompt or ():
        yield message.text
