"""Find the passage that should have answered, and open one chunk: both seen from one request."""

from __future__ import annotations

from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict

from ..model import Chunk, Completeness, Hit, Label, Level, NotFound, RecordedRequest, Stage
from ..store import Appearance, ChunkQuery, Store
from .lookup import required_request
from .workspace import Workspace


class SearchChunks(BaseModel):
    """A search over all chunks seen and the manifests, seen from one request.

    `query.request_id` narrows the search to this request's own lists; `request_id` only says from where it is seen.
    """

    model_config = ConfigDict(frozen=True)

    request_id: str
    query: ChunkQuery = ChunkQuery()
    """An empty `app` means the app of the request."""


class Standing(BaseModel):
    """One place where the chunk stands in this request."""

    model_config = ConfigDict(frozen=True)

    stage_id: str
    stage: str
    rank: int
    """1-based, as listed; the first place in that list."""
    score: float | None = None


class FoundChunk(BaseModel):
    """A chunk that was found, with what this request says of it."""

    model_config = ConfigDict(frozen=True)

    chunk: Chunk
    standings: tuple[Standing, ...] = ()
    """In the order of the stages' start."""
    stood: str
    """"bm25 25 · dense 19"; "never a candidate"; "not in what was recorded" where a list is incomplete."""
    label: Label | None = None
    """What this request's own labels say of the chunk now."""


class FoundChunks(BaseModel):
    """A page of chunks, best first."""

    model_config = ConfigDict(frozen=True)

    rows: tuple[FoundChunk, ...]
    matching: int
    searched: int
    """How many chunks were searched."""


class ChunkDetail(BaseModel):
    """Which chunk to open, seen from which request."""

    model_config = ConfigDict(frozen=True)

    request_id: str
    chunk_id: str
    index: str | None = None
    """None: the index that the request names for it, else any."""
    appearances: int = 20
    """How many other requests to name at most."""


class ChunkView(BaseModel):
    """One chunk with its texts, its neighbours, its ranks in this request, and where else it stood."""

    model_config = ConfigDict(frozen=True)

    chunk: Chunk
    """As goldrank knows it now."""
    text_then: str | None
    """The text that this request's lists held; None: it stood in none, or came without text."""
    metadata_then: dict[str, Any]
    """The metadata that this request's lists held; empty where it stood in none."""
    changed_since: bool | None
    """The text of today differs from the text then. None: one of the two is not known."""
    standings: tuple[Standing, ...]
    stood: str
    previous: Chunk | None = None
    """The chunk before it in its document, where a manifest says so."""
    following: Chunk | None = None
    parent: Chunk | None = None
    elsewhere: tuple[Appearance, ...] = ()
    """Other requests in whose lists it stood, newest first."""
    label: Label | None = None


_INCOMPLETE = (
    Completeness.TOP_MISSING,
    Completeness.TRUNCATED,
    Completeness.PARTLY_READABLE,
    Completeness.REDACTED,
    Completeness.SUPPRESSED,
    Completeness.NOT_RECORDED,
)


class _Seen(NamedTuple):
    stage: Stage
    hit: Hit


def search_chunks(workspace: Workspace, ask: SearchChunks) -> FoundChunks:
    """Chunks that match the query, each with where it stood in the request."""
    recorded = required_request(workspace.store, ask.request_id, texts=False)
    query = ask.query if ask.query.app else ask.query.model_copy(update={"app": recorded.request.app})
    page = workspace.store.chunks.search(query)
    labels = workspace.store.labels.of(recorded.request.request_id)
    rows = tuple(_found(chunk, recorded, labels) for chunk in page.rows)
    return FoundChunks(rows=rows, matching=page.matching, searched=page.searched)


def chunk_detail(workspace: Workspace, ask: ChunkDetail) -> ChunkView:
    """One chunk, or NotFound where neither a list nor a manifest ever held it."""
    store = workspace.store
    recorded = required_request(store, ask.request_id)
    request = recorded.request
    seen = _seen(recorded, ask.chunk_id, ask.index)
    index = ask.index or next((one.hit.index for one in seen if one.hit.index), None)
    chunk = store.chunks.get(request.app, ask.chunk_id, index=index)
    if chunk is None:
        raise NotFound(
            f"No list of {request.app or 'this app'} and no manifest holds a chunk {ask.chunk_id!r}. "
            "Look for its words instead: goldrank label REQUEST --find WORDS."
        )
    text_then = next((one.hit.text for one in seen if one.hit.text is not None), None)
    hash_then = next((one.hit.text_hash for one in seen if one.hit.text_hash is not None), None)
    elsewhere = store.chunks.appearances(request.app, ask.chunk_id, limit=ask.appearances + 1)
    others = tuple(one for one in elsewhere if one.request_id != request.request_id)[: ask.appearances]
    return ChunkView(
        chunk=chunk,
        text_then=text_then,
        metadata_then=next((one.hit.metadata for one in seen if one.hit.metadata), {}),
        changed_since=None if chunk.text_hash is None or hash_then is None else chunk.text_hash != hash_then,
        standings=_standings(seen),
        stood=_stood(recorded, seen),
        previous=_neighbour(store, chunk, chunk.previous_id),
        following=_neighbour(store, chunk, chunk.next_id),
        parent=_neighbour(store, chunk, chunk.parent_id),
        elsewhere=others,
        label=label_of_chunk(store.labels.of(request.request_id), chunk.chunk_id, chunk.index),
    )


def label_of_chunk(labels: tuple[Label, ...], chunk_id: str, index: str | None) -> Label | None:
    """The chunk-level label among `labels` that is about this chunk, or None."""
    for label in labels:
        target = label.target
        if target.level is Level.CHUNK and target.chunk_id == chunk_id and _same_index(target.index, index):
            return label
    return None


def _found(chunk: Chunk, recorded: RecordedRequest, labels: tuple[Label, ...]) -> FoundChunk:
    seen = _seen(recorded, chunk.chunk_id, chunk.index)
    return FoundChunk(
        chunk=chunk,
        standings=_standings(seen),
        stood=_stood(recorded, seen),
        label=label_of_chunk(labels, chunk.chunk_id, chunk.index),
    )


def _seen(recorded: RecordedRequest, chunk_id: str, index: str | None) -> tuple[_Seen, ...]:
    """The first hit of the chunk in each list that has it."""
    seen = []
    for stage in recorded.stages:
        for hit in stage.hits or ():
            if hit.chunk_id == chunk_id and _same_index(hit.index or stage.index, index):
                seen.append(_Seen(stage, hit))
                break
    return tuple(seen)


def _same_index(one: str | None, other: str | None) -> bool:
    return one is None or other is None or one == other


def _standings(seen: tuple[_Seen, ...]) -> tuple[Standing, ...]:
    return tuple(
        Standing(stage_id=stage.stage_id, stage=stage.name, rank=hit.rank, score=hit.score) for stage, hit in seen
    )


def _stood(recorded: RecordedRequest, seen: tuple[_Seen, ...]) -> str:
    if seen:
        return " · ".join(f"{stage.name} {hit.rank}" for stage, hit in seen)
    lists = [stage for stage in recorded.stages if stage.has_list or stage.completeness in _INCOMPLETE]
    if any(stage.completeness in _INCOMPLETE for stage in lists):
        return "not in what was recorded"
    return "never a candidate" if lists else "no list was recorded"


def _neighbour(store: Store, chunk: Chunk, chunk_id: str | None) -> Chunk | None:
    return None if chunk_id is None else store.chunks.get(chunk.app, chunk_id, index=chunk.index)


__all__ = [
    "Appearance",
    "ChunkDetail",
    "ChunkQuery",
    "ChunkView",
    "FoundChunk",
    "FoundChunks",
    "SearchChunks",
    "Standing",
    "chunk_detail",
    "label_of_chunk",
    "search_chunks",
]
