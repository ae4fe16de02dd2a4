"""Where requests, chunks, labels, cases and complaints are kept: protocols by noun, and the DuckDB store.

from goldrank.store import RequestFilter, open_store

with open_store(Path(".goldrank/store.duckdb")) as store:
    page = store.requests.page(RequestFilter(words="refund"), limit=25)
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..model.late_names import late_names

if TYPE_CHECKING:
    from .batches import Batches, BatchRow
    from .cases import CaseFilter, CasePage, Cases
    from .chunks import Appearance, ChunkPage, ChunkQuery, Chunks, Corpora, CorpusState
    from .complaints import (
        CandidateQuery,
        ComplaintFacts,
        ComplaintFactsPage,
        ComplaintFilter,
        Complaints,
        FoundCandidates,
        KnownNames,
        ShownRequest,
    )
    from .intake import BadFrame, Intake, IntakeBatch, Progress
    from .labels import Labels
    from .requests import (
        Facets,
        Neighbours,
        RequestFilter,
        RequestPage,
        RequestRow,
        Requests,
        SpanPage,
        SpanRow,
    )
    from .store import Store, Table
    from .triages import Triages

_HOMES: Final = {
    "batches": ("BatchRow", "Batches"),
    "cases": ("CaseFilter", "CasePage", "Cases"),
    "chunks": ("Appearance", "ChunkPage", "ChunkQuery", "Chunks", "Corpora", "CorpusState"),
    "complaints": (
        "CandidateQuery",
        "ComplaintFacts",
        "ComplaintFactsPage",
        "ComplaintFilter",
        "Complaints",
        "FoundCandidates",
        "KnownNames",
        "ShownRequest",
    ),
    "intake": ("BadFrame", "Intake", "IntakeBatch", "Progress"),
    "labels": ("Labels",),
    "requests": (
        "Facets",
        "Neighbours",
        "RequestFilter",
        "RequestPage",
        "RequestRow",
        "Requests",
        "SpanPage",
        "SpanRow",
    ),
    "store": ("Store", "Table"),
    "triages": ("Triages",),
}
"""Module -> what is taken from it, when first asked for."""

__all__ = [
    "Appearance",
    "BadFrame",
    "BatchRow",
    "Batches",
    "CandidateQuery",
    "CaseFilter",
    "CasePage",
    "Cases",
    "ChunkPage",
    "ChunkQuery",
    "Chunks",
    "ComplaintFacts",
    "ComplaintFactsPage",
    "ComplaintFilter",
    "Complaints",
    "Corpora",
    "CorpusState",
    "Facets",
    "FoundCandidates",
    "Intake",
    "IntakeBatch",
    "KnownNames",
    "Labels",
    "Neighbours",
    "Progress",
    "RequestFilter",
    "RequestPage",
    "RequestRow",
    "Requests",
    "ShownRequest",
    "SpanPage",
    "SpanRow",
    "Store",
    "Table",
    "Triages",
    "open_store",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = late_names(__name__, _HOMES)


def open_store(path: Path, *, read_only: bool = False) -> Store:
    """Opens the DuckDB store at `path`, made and brought to the newest schema where needed.

    A context manager. StoreLocked names the process that holds the file; StoreError says what else is wrong.
    """
    from .duckdb import open_store as open_duckdb_store

    return open_duckdb_store(path, read_only=read_only)
