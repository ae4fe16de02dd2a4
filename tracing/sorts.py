"""What does not change from stage to stage of one kind, looked up once: enums are slow keys in a hot path."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from ..model import wire
from ..model.stage_words import StageKind

REQUEST_WORD: Final = "request"

LIST_KINDS: Final = frozenset({StageKind.RETRIEVE, StageKind.FUSE, StageKind.FILTER, StageKind.RERANK})
"""Stages that are expected to give a list: where it cannot be read, that is said."""
_WORKS_ON_LISTS: Final = frozenset({*LIST_KINDS, StageKind.ASSEMBLE, StageKind.GENERATE} - {StageKind.RETRIEVE})


class Sort(NamedTuple):
    """One kind of stage, or the request."""

    kind: StageKind
    word: str
    """As the span carries it."""
    operation: str | None
    """OpenTelemetry's word for it (gen_ai.operation.name)."""
    standard: tuple[tuple[str, str], ...]
    """(our key, OpenTelemetry's key) of attributes that stand under both."""
    gives_list: bool
    works_on_lists: bool


_OPERATIONS: Final[Mapping[StageKind, tuple[str, tuple[tuple[str, str], ...]]]] = {
    StageKind.RETRIEVE: (
        "retrieval",
        (
            (wire.QUERY, "gen_ai.retrieval.query.text"),
            (wire.TOP_K, "gen_ai.retrieval.top_k"),
            (wire.INDEX, "gen_ai.data_source.id"),
        ),
    ),
    StageKind.GENERATE: ("chat", ((wire.MODEL, "gen_ai.request.model"),)),
    StageKind.EMBED: ("embeddings", ((wire.EMBEDDING_MODEL, "gen_ai.request.model"),)),
    StageKind.TOOL: ("execute_tool", ()),
}


def _sort(kind: StageKind) -> Sort:
    operation, standard = _OPERATIONS.get(kind, (None, ()))
    return Sort(kind, kind.value, operation, standard, kind in LIST_KINDS, kind in _WORKS_ON_LISTS)


OTHER: Final = _sort(StageKind.OTHER)
REQUEST: Final = OTHER._replace(word=REQUEST_WORD)
SORTS: Final[Mapping[StageKind, Sort]] = {kind: _sort(kind) for kind in StageKind}
