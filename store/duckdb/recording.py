"""Recorded requests as rows: everything distinct is named first, then numbered, then the rows are made."""

from __future__ import annotations

from collections.abc import Iterable

import duckdb

from ...model import Hit, RecordedRequest, Request, Stage, make_case_key
from .columns import insert
from .encoding import dumps, dumps_filled, dumps_optional
from .extra import extra_of
from .indexes import hit_indexes
from .numbers import Dictionaries, digest_of
from .passages import PassageDraft, Passages, heading_of
from .rows import ChunkRecord, HitRecord, MetaRecord, RequestRecord, RequestWord, StageRecord
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


class ChunkBatch:
    """The chunks and descriptions of one transaction."""

    def __init__(self, dictionaries: Dictionaries) -> None:
        self._dictionaries = dictionaries
        self._chunks: dict[tuple[str, str | None, str], bytes] = {}
        self._metas: dict[bytes, MetaRecord] = {}
        self._chunk_keys: dict[bytes, int] = {}
        self._meta_keys: dict[bytes, int] = {}

    def name_chunk(self, app: str, index: str | None, chunk_id: str) -> None:
        """Says that this chunk is needed."""
        identity = (app, index, chunk_id)
        if identity not in self._chunks:
            self._chunks[identity] = digest_of(*identity)

    def name_meta(self, meta: MetaRecord) -> bytes:
        """Says that this description is needed; its digest asks for the number later."""
        digest = digest_of(meta.doc_id, meta.parent_id, meta.id_source, meta.index_name, meta.metadata, meta.extra)
        self._metas.setdefault(digest, meta._replace(digest=digest))
        return digest

    def settle(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Numbers everything named and inserts what is new."""
        chunks = self._dictionaries.chunks.settle(cursor, self._chunks.values())
        metas = self._dictionaries.metas.settle(cursor, self._metas)
        self._chunk_keys, self._meta_keys = chunks.keys, metas.keys
        insert(
            cursor,
            "chunks",
            [
                ChunkRecord(chunks.keys[digest], digest, *identity)
                for identity, digest in self._chunks.items()
                if digest in chunks.new
            ],
        )
        insert(
            cursor,
            "metas",
            [meta._replace(meta_key=metas.keys[digest]) for digest, meta in self._metas.items() if digest in metas.new],
        )

    def chunk_key(self, app: str, index: str | None, chunk_id: str) -> int:
        """The number of a chunk that was named."""
        return self._chunk_keys[self._chunks[app, index, chunk_id]]

    def meta_key(self, digest: bytes) -> int:
        """The number of a description that was named."""
        return self._meta_keys[digest]


def meta_of(hit: Hit) -> MetaRecord:
    """What a hit says of its chunk beside rank, score and text."""
    return MetaRecord(
        meta_key=0,
        digest=b"",
        doc_id=hit.doc_id,
        parent_id=hit.parent_id,
        id_source=hit.id_source.value,
        index_name=hit.index,
        metadata=dumps_filled(hit.metadata),
        extra=extra_of(hit, _HIT_COLUMNS),
    )


class RequestBatch:
    """The requests of one transaction as rows."""

    def __init__(self, requests: Iterable[RecordedRequest], texts: TextBatch, chunks: ChunkBatch) -> None:
        self._requests = tuple(requests)
        self._texts = texts
        self._chunks = chunks
        self._metas: dict[int, bytes] = {}
        self._indexes: dict[str, dict[int, str | None]] = {}

    def name(self) -> None:
        """Names every text, chunk and description. Passages come first: prompts are cut at them."""
        for recorded in self._requests:
            self._name_hits(recorded)
        for recorded in self._requests:
            passages = tuple({hit.text for _, hit in hits_of(recorded) if hit.text is not None})
            for stage in recorded.stages:
                for text in texts_of_stage(stage):
                    self._texts.name(text, passages=passages)

    def _name_hits(self, recorded: RecordedRequest) -> None:
        indexes = hit_indexes(recorded)
        self._indexes[recorded.request.request_id] = indexes
        for _, hit in hits_of(recorded):
            self._texts.name(hit.text, hit.text_hash)
            self._chunks.name_chunk(recorded.request.app, indexes[id(hit)], hit.chunk_id)
            self._metas[id(hit)] = self._chunks.name_meta(meta_of(hit))

    def insert(self, cursor: duckdb.DuckDBPyConnection, rids: dict[str, int], passages: Passages) -> None:
        """Inserts the rows. `rids` holds the number of each request."""
        requests: list[RequestRecord] = []
        stages: list[StageRecord] = []
        hits: list[HitRecord] = []
        found: list[RequestWord] = []
        for recorded in self._requests:
            request = recorded.request
            rid = rids[request.request_id]
            requests.append(request_row(rid, request))
            found.extend(
                RequestWord(word_hash(word), rid, tf)
                for word, tf in counted(words(f"{request.question or ''} {request.answer or ''}")).items()
            )
            for place, stage in enumerate(recorded.stages):
                stages.append(self._stage_row(rid, place, stage))
                hits.extend(self._hit_rows(rid, recorded, stage, passages))
        insert(cursor, "requests", requests)
        insert(cursor, "stages", stages)
        insert(cursor, "hits", hits)
        insert(cursor, "words", sorted(found))
        add_words(cursor, (word for recorded in self._requests for word in question_words(recorded.request)))

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

    def _hit_rows(self, rid: int, recorded: RecordedRequest, stage: Stage, passages: Passages) -> list[HitRecord]:
        app = recorded.request.app
        indexes = self._indexes[recorded.request.request_id]
        rows = []
        for place, hit in enumerate(stage.hits or ()):
            chunk_key = self._chunks.chunk_key(app, indexes[id(hit)], hit.chunk_id)
            text_key = self._texts.key(hit.text, hit.text_hash)
            passages.name(
                PassageDraft(chunk_key, text_key, hit.doc_id, hit.chunk_id, hit.text or "", heading_of(hit.metadata))
            )
            rows.append(
                HitRecord(
                    rid=rid,
                    stage_id=stage.stage_id,
                    place=place,
                    rank=hit.rank,
                    chunk_key=chunk_key,
                    text_key=text_key,
                    meta_key=self._chunks.meta_key(self._metas[id(hit)]),
                    score=hit.score,
                    score_kind=hit.score_kind.value,
                    text_state=hit.text_state.value,
                )
            )
        return rows


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


def hits_of(recorded: RecordedRequest) -> Iterable[tuple[Stage, Hit]]:
    """Every hit of the request with its stage."""
    return ((stage, hit) for stage in recorded.stages for hit in stage.hits or ())


def texts_of_stage(stage: Stage) -> Iterable[str]:
    """The texts of a stage beside its hits."""
    if stage.text is not None:
        yield stage.text
    for message in stage.prompt or ():
        yield message.text


def question_words(request: Request) -> list[str]:
    """The words by which a request is found."""
    return words(f"{request.question or ''} {request.answer or ''}")
