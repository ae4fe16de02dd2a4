"""Recorded requests as rows: everything distinct is named first, then numbered, then the rows are made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import duckdb
import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]

from ...model import HitColumns, RecordedRequest, Request, Stage, make_case_key
from .arrow import numbers, whole_numbers
from .columns import arrow_array, insert, insert_table
from .encoding import dumps, dumps_filled, dumps_optional
from .extra import extra_of
from .hit_schema import LARGEST_RANK
from .indexes import ListIndexes
from .known import beginning_of, end_of
from .numbers import Dictionaries, digest_of
from .passages import PassageIdentity, Passages, heading_of
from .rows import ChunkRecord, Description, MetaRecord, RequestRecord, StageRecord, VersionRecord
from .texts import ANSWER_KEY, TextBatch
from .word_columns import WORDS, WordColumns
from .words import words

_REQUEST_COLUMNS = frozenset(RequestRecord._fields) | {"user"}
_STAGE_COLUMNS = frozenset(StageRecord._fields) | {"hits", "text", "index"}
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
    """The chunks and descriptions of one transaction: named, settled, then asked for by their places."""

    def __init__(self, dictionaries: Dictionaries) -> None:
        self._dictionaries = dictionaries
        self.chunks: dict[ChunkIdentity, int] = {}
        """What was named -> its place in `chunk_keys`."""
        self.metas: dict[Description, int] = {}
        """What was named -> its place in `meta_keys`."""
        self.chunk_keys: list[int] = []
        self.meta_keys: list[int] = []

    def name_chunk(self, identity: ChunkIdentity) -> int:
        """Says that this chunk is needed; its place."""
        return self.chunks.setdefault(identity, len(self.chunks))

    def name_meta(self, description: Description) -> int:
        """Says that this description is needed; its place."""
        return self.metas.setdefault(description, len(self.metas))

    def settle(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Numbers everything named and inserts what is new."""
        identities, descriptions = list(self.chunks), list(self.metas)
        self.chunk_keys, new = self._dictionaries.chunks.number(cursor, identities, _digest)
        chunks = [ChunkRecord(self.chunk_keys[at], digest, *identities[at], self.chunk_keys[at]) for at, digest in new]
        insert(cursor, "chunks", chunks)
        if chunks:
            cursor.execute(_ADOPT, [[chunk.chunk_id for chunk in chunks]])
        self.meta_keys, new = self._dictionaries.metas.number(cursor, descriptions, _digest)
        insert(cursor, "metas", [MetaRecord(self.meta_keys[at], digest, *descriptions[at]) for at, digest in new])

    def chunk_key(self, identity: ChunkIdentity) -> int:
        """The number of a chunk that was named."""
        return self.chunk_keys[self.chunks[identity]]

    def meta_key(self, description: Description) -> int:
        """The number of a description that was named."""
        return self.meta_keys[self.metas[description]]


def _digest(values: tuple[str | None, ...]) -> bytes:
    return digest_of(*values)


class _Said(NamedTuple):
    """What a list says of a chunk beside its rank and score: other lists say it again."""

    index_name: str | None
    """In which it was found."""
    chunk_id: str
    text: str | None
    text_hash: str | None
    doc_id: str | None
    parent_id: str | None
    id_source: str
    own_index: str | None
    """As the hit itself says."""
    metadata: str | None
    """As JSON."""
    note: str | None
    text_state: str


class _Version(NamedTuple):
    """The same as places in the batch: a version of a chunk."""

    chunk: int
    text: int
    meta: int
    text_state: str


class _Shown(NamedTuple):
    """A version of a chunk as it is shown to somebody who searches."""

    chunk_id: str
    doc_id: str | None
    text: str | None


class _NamedList(NamedTuple):
    """A list whose hits are named."""

    stage: int
    """0-based place of its stage."""
    hits: HitColumns
    versions: list[int]
    """Of each hit the place of its version in the batch."""


class RequestBatch:
    """The requests of one transaction as rows."""

    def __init__(
        self,
        requests: Iterable[RecordedRequest],
        lists: Mapping[str, Mapping[str, HitColumns]],
        texts: TextBatch,
        chunks: ChunkBatch,
    ) -> None:
        """`lists` holds the hits of those requests whose stages come without them."""
        self._requests = tuple(requests)
        self._given = lists
        self._texts = texts
        self._chunks = chunks
        self._known: dict[str, dict[tuple[str | None, ...], int]] = {}
        """App -> `_Said` of its lists, as plain tuples, which are made in no time -> place of its version."""
        self._versions: dict[_Version, int] = {}
        """What was named -> its place."""
        self._shown: list[_Shown] = []
        """For each version."""
        self._lists: list[list[_NamedList]] = []
        """For each request, its lists that hold something."""
        self._headings: dict[int, str] = {}
        """Place of a description -> the headings in it."""
        self._bodies: dict[int, tuple[Mapping[str, Any], str | None]] = {}
        """`id` of metadata -> those metadata (so that nothing else gets the id) and their JSON: lists share them."""

    @property
    def answers(self) -> frozenset[str]:
        """What the requests answered: each is kept with its request alone."""
        return frozenset(one.request.answer for one in self._requests if one.request.answer is not None)

    def name(self) -> None:
        """Names every text, chunk and description. Passages come first: prompts are cut at them."""
        self._lists = [self._name_hits(recorded) for recorded in self._requests]
        for recorded, lists in zip(self._requests, self._lists, strict=True):
            passages = tuple({text for named in lists for text in named.hits.texts if text is not None})
            for text in texts_of_request(recorded):
                self._texts.name(text, passages=passages)

    def _name_hits(self, recorded: RecordedRequest) -> list[_NamedList]:
        app = recorded.request.app
        given = self._given.get(recorded.request.request_id)
        indexes = ListIndexes(recorded.stages)
        known = self._known.setdefault(app, {})
        found = []
        for place, stage in enumerate(recorded.stages):
            hits = given.get(stage.stage_id) if given is not None else HitColumns.of(stage.hits or ())
            if hits is None or not hits.ranks:
                continue
            rows = zip(
                *(indexes.of(stage, hits), hits.chunk_ids, hits.texts, hits.text_hashes, hits.doc_ids),
                *(hits.parent_ids, hits.id_sources, hits.indexes, self._write_bodies(hits), hits.score_notes),
                hits.text_states,
                strict=True,
            )
            versions: list[int] = []
            for row, metadata in zip(rows, hits.metadata, strict=True):
                version = known.get(row)
                if version is None:
                    version = known[row] = self._name_version(app, _Said(*row), metadata)
                versions.append(version)
            found.append(_NamedList(place, hits, versions))
        return found

    def _name_version(self, app: str, said: _Said, metadata: Mapping[str, Any]) -> int:
        extra = None if said.note is None else dumps({"score_note": said.note})
        meta = self._chunks.name_meta(
            Description(said.doc_id, said.parent_id, said.id_source, said.own_index, said.metadata, extra)
        )
        if meta not in self._headings:
            self._headings[meta] = heading_of(metadata)
        chunk = self._chunks.name_chunk(ChunkIdentity(app, said.index_name, said.chunk_id))
        version = _Version(chunk, self._texts.place(said.text, said.text_hash), meta, said.text_state)
        place = self._versions.setdefault(version, len(self._versions))
        if place == len(self._shown):
            self._shown.append(_Shown(said.chunk_id, said.doc_id, said.text))
        return place

    def _write_bodies(self, hits: HitColumns) -> list[str | None]:
        """The metadata of a list as JSON; those that lists share are written once."""
        known = self._bodies
        return [
            known[id(metadata)][1] if id(metadata) in known else self._write_body(metadata)
            for metadata in hits.metadata
        ]

    def _write_body(self, metadata: Mapping[str, Any]) -> str | None:
        body = dumps(metadata) if metadata else None
        self._bodies[id(metadata)] = metadata, body
        return body

    def insert(self, cursor: duckdb.DuckDBPyConnection, rids: dict[str, int], dictionaries: Dictionaries) -> None:
        """Inserts the rows. `rids` holds the number of each request."""
        requests: list[RequestRecord] = []
        stages: list[StageRecord] = []
        index = WordColumns(WORDS)
        seen: set[str] = set()
        for recorded, lists in zip(self._requests, self._lists, strict=True):
            request = recorded.request
            rid = rids[request.request_id]
            requests.append(_request_row(rid, request))
            found = words(f"{request.question or ''} {request.answer or ''}")
            index.add(rid, found)
            seen.update(found)
            kinds = {named.stage: _kinds(named.hits.score_kinds) for named in lists}
            stages += [
                self._stage_row(rid, place, stage, request.answer, kinds.get(place))
                for place, stage in enumerate(recorded.stages)
            ]
        insert(cursor, "requests", requests)
        insert(cursor, "stages", stages)
        versions = self._settle_versions(cursor, dictionaries)
        self._insert_hits(cursor, rids, versions)
        index.insert(cursor, "words", "rid")
        dictionaries.vocabulary.add(cursor, seen)

    def _settle_versions(self, cursor: duckdb.DuckDBPyConnection, dictionaries: Dictionaries) -> list[int]:
        """The number of each version; new ones are inserted, and made searchable."""
        chunk_keys, text_keys, meta_keys = self._chunks.chunk_keys, self._texts.keys, self._chunks.meta_keys
        meant = [
            (chunk_keys[one.chunk], text_keys[one.text], meta_keys[one.meta], one.text_state) for one in self._versions
        ]
        digests = [digest_of(*one) for one in meant]
        keys, fresh = dictionaries.versions.settle(cursor, digests)
        new = [place for place, digest in enumerate(digests) if digest in fresh]
        insert(cursor, "chunk_versions", [VersionRecord(keys[digests[at]], digests[at], *meant[at]) for at in new])
        self._insert_passages(cursor, new, dictionaries)
        return [keys[digest] for digest in digests]

    def _insert_hits(self, cursor: duckdb.DuckDBPyConnection, rids: dict[str, int], versions: Sequence[int]) -> None:
        """One row a hit, made from the columns of all lists together."""
        every = [
            (rids[recorded.request.request_id], named)
            for recorded, lists in zip(self._requests, self._lists, strict=True)
            for named in lists
        ]
        if not every:
            return
        lengths = np.array([len(one.versions) for _, one in every])
        which = numbers(np.repeat(np.arange(len(every)), lengths))
        places = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        hits = [named.hits for _, named in every]
        ranks = whole_numbers(arrow_array([*chain.from_iterable(one.ranks for one in hits)], pa.int64()))
        columns = {
            "rid": arrow_array([rid for rid, _ in every], pa.int64()).take(which),
            "stage": arrow_array([named.stage for _, named in every], pa.int64()).take(which),
            "place": numbers(places),
            "rank_ahead": numbers(np.clip(ranks, -LARGEST_RANK, LARGEST_RANK) - places - 1),
            "version_key": _taken(versions, [*chain.from_iterable(one.versions for _, one in every)]),
            "score": arrow_array([*chain.from_iterable(one.scores for one in hits)], pa.float64()),
        }
        insert_table(cursor, "hit_rows", pa.table(columns))

    def _insert_passages(
        self, cursor: duckdb.DuckDBPyConnection, new: Sequence[int], dictionaries: Dictionaries
    ) -> None:
        """Makes a chunk searchable by the text and heading that these versions gave it."""
        versions = list(self._versions) if new else []
        passages = Passages(dictionaries.passages, dictionaries.vocabulary)
        for place in new:
            one, shown = versions[place], self._shown[place]
            identity = PassageIdentity(
                self._chunks.chunk_keys[one.chunk], self._texts.keys[one.text], shown.doc_id, self._headings[one.meta]
            )
            passages.name(identity, chunk_id=shown.chunk_id, text=shown.text)
        passages.settle(cursor)

    def _stage_row(
        self, rid: int, place: int, stage: Stage, answer: str | None, score_kinds: str | None
    ) -> StageRecord:
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
            text_key=ANSWER_KEY if stage.text is not None and stage.text == answer else self._texts.key(stage.text),
            prompt=prompt,
            declared_context=dumps_optional(stage.declared_context),
            extra=extra_of(stage, _STAGE_COLUMNS),
            score_kinds=score_kinds,
        )


def _kinds(kinds: Sequence[str]) -> str:
    """The kinds of a list's scores, at least one: the one that all have, or all of them as JSON."""
    return kinds[0] if len(set(kinds)) == 1 else dumps(list(kinds))


def _taken(keys: Sequence[int | None], places: Sequence[int]) -> pa.Array:
    """The numbers at these places."""
    return arrow_array(keys, pa.int64()).take(arrow_array(places, pa.int64()))


def _request_row(rid: int, request: Request) -> RequestRecord:
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
        id_end=end_of(request.request_id),
        id_begin=beginning_of(request.request_id),
    )


def texts_of_request(recorded: RecordedRequest) -> Iterator[str]:
    """The texts of a request's stages beside their hits and its answer."""
    answer = recorded.request.answer
    for stage in recorded.stages:
        if stage.text is not None and stage.text != answer:
            yield stage.text
        for message in stage.prompt or ():
            yield message.text
