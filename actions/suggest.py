"""Passages that may have answered: found by words alone, so that a person need not type them first."""

from __future__ import annotations

from collections import defaultdict

from pydantic import BaseModel, ConfigDict, Field

from ..model import RecordedRequest, StageKind
from ..store import ChunkQuery
from .chunks import FoundChunk, SearchChunks, search_chunks
from .complaints import complaints_about
from .lookup import required_request
from .workspace import Workspace

_LOOKED_AT = 20
"""Passages of each search that are put together."""
_RRF_K = 60
"""Of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009)."""


class SuggestGold(BaseModel):
    """For which request, and how many."""

    model_config = ConfigDict(frozen=True)

    request_id: str
    limit: int = Field(default=9, ge=1, le=50)


class Suggested(BaseModel):
    """Passages that share most words with what was asked and what was said about the answer, best first.

    Words alone are no judgement: nothing here is gold until a person says so.
    """

    model_config = ConfigDict(frozen=True)

    rows: tuple[FoundChunk, ...]


def suggest_gold(workspace: Workspace, ask: SuggestGold) -> Suggested:
    """Searches every chunk seen and the manifests by the question, its rewrites, and the complaints; fused by rank."""
    recorded = required_request(workspace.store, ask.request_id, texts=False)
    complaints = complaints_about(workspace.store, recorded.request.request_id)
    texts = dict.fromkeys([*_asked(recorded), *(complaint.text for complaint in complaints)])
    score: dict[str, float] = defaultdict(float)
    found: dict[str, FoundChunk] = {}
    for text in texts:
        query = ChunkQuery(text=text, limit=_LOOKED_AT)
        rows = search_chunks(workspace, SearchChunks(request_id=recorded.request.request_id, query=query)).rows
        for rank, row in enumerate(rows, start=1):
            score[row.chunk.chunk_id] += 1 / (_RRF_K + rank)
            found.setdefault(row.chunk.chunk_id, row)
    best = sorted(found, key=lambda chunk_id: (-score[chunk_id], chunk_id))
    return Suggested(rows=tuple(found[chunk_id] for chunk_id in best[: ask.limit]))


def _asked(recorded: RecordedRequest) -> list[str]:
    """The question and what it was rewritten to."""
    rewrites = [query for stage in recorded.stages if stage.kind is StageKind.REWRITE for query in stage.queries]
    return [text for text in (recorded.request.question, *rewrites) if text and text.strip()]
