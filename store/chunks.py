"""Chunks and corpora as nouns of the store."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from pydantic import BaseModel, ConfigDict

from ..model import Chunk, CorpusManifest, LabelFacts, LabelTarget, RecordedRequest


class ChunkQuery(BaseModel):
    """A search over every chunk seen and over the manifests."""

    model_config = ConfigDict(frozen=True)

    text: str = ""
    """Words (all of them, in any order, in text, heading or id), a sentence, a chunk id or a document."""
    app: str = ""
    request_id: str = ""
    """Only chunks of this request's lists."""
    limit: int = 20
    offset: int = 0


class ChunkPage(BaseModel):
    """Chunks found, best first: exact id, exact document, whole phrase, then all words by BM25."""

    model_config = ConfigDict(frozen=True)

    rows: tuple[Chunk, ...]
    matching: int
    searched: int
    """How many chunks were searched."""


class CorpusState(BaseModel):
    """One index version whose manifest is known."""

    model_config = ConfigDict(frozen=True)

    app: str
    environment: str
    index: str
    version: str
    chunks: int
    complete: bool
    loaded_ns: int


class Appearance(BaseModel):
    """Another request in whose lists a chunk stands."""

    model_config = ConfigDict(frozen=True)

    request_id: str
    start_ns: int
    question: str | None
    best_rank: int
    stage: str


class CorpusFacts(NamedTuple):
    """What the manifests of the searched index versions say."""

    facts: tuple[LabelFacts, ...]
    """One for each target, in their order."""
    metadata: dict[str, dict[str, Any]]
    """Chunk id -> metadata, empty where there is none, for chunks in the request's lists."""
    whole: bool
    """Whether the manifest of everything that the request searched is known."""


class Chunks(Protocol):
    """Chunks from lists and manifests."""

    def search(self, query: ChunkQuery) -> ChunkPage: ...

    def get(self, app: str, chunk_id: str, *, index: str | None = None) -> Chunk | None: ...

    def is_known(self, app: str, chunk_id: str) -> bool:
        """Whether any list or manifest of the app holds it."""
        ...

    def appearances(self, app: str, chunk_id: str, *, limit: int = 20) -> tuple[Appearance, ...]:
        """Newest first."""
        ...

    def facts(self, request_id: str, targets: tuple[LabelTarget, ...]) -> tuple[LabelFacts, ...]:
        """What the corpus says about each target, seen from the index version that the request searched."""
        ...

    def facts_and_metadata(self, recorded: RecordedRequest, targets: tuple[LabelTarget, ...]) -> CorpusFacts:
        """`facts`, and what the same manifests say of the chunks in the request's lists."""
        ...

    def facts_now(self, app: str, environment: str, targets: tuple[LabelTarget, ...]) -> tuple[LabelFacts, ...]:
        """What the newest index versions of the app say about each target."""
        ...


class Corpora(Protocol):
    """Corpus manifests."""

    def add(self, manifest: CorpusManifest) -> None:
        """Adds a part; the same part again changes nothing."""
        ...

    def list(self) -> tuple[CorpusState, ...]: ...
