"""Columns that together are the lists of a request: `bm25_ids` and `bm25_scores` are one stage."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ...model import StageKind
from .mapping import StageColumns, in_order
from .names import kind_of, last_name, list_name
from .profile import Column

_NOT_LISTS: Final = frozenset(
    (
        *("tags", "labels", "keywords", "citations", "cited", "sources_cited", "groups", "roles", "permissions"),
        *("messages", "embedding", "embeddings"),
    )
)
_FITTING: Final[Mapping[str, frozenset[str]]] = {
    "hits": frozenset({"ids", "hits", "passages", "empty list"}),
    "docs": frozenset({"ids", "passages", "empty list"}),
    "scores": frozenset({"numbers", "ids", "empty list"}),
    "ranks": frozenset({"ids", "empty list"}),
    "texts": frozenset({"passages", "ids", "empty list"}),
    "metadata": frozenset({"list", "hits", "empty list"}),
}
"""Field of a list -> what its column may hold."""


def guess_stages(columns: Mapping[str, Column], taken: set[str]) -> tuple[StageColumns, ...]:
    """The stages that columns of lists make, retrievers first and then as pipelines run."""
    found: dict[str, dict[str, str]] = {}
    for path, column in columns.items():
        if path in taken or last_name(path) in _NOT_LISTS:
            continue
        name = list_name(path)
        if name is None:
            continue
        field = _field(name.what, column)
        if field is not None:
            found.setdefault(name.stage, {}).setdefault(field, path)
    stages = [made for stage, fields in found.items() if (made := _stage(stage, fields)) is not None]
    return _ordered(stages)


def _field(what: str, column: Column) -> str | None:
    """The field that a column is; a cell with a separator is a list of ids or numbers."""
    sorts = column.sorts
    if what == "hits" and "passages" in sorts and not sorts & {"ids", "hits"}:
        return "texts"
    if sorts <= _FITTING[what] and sorts:
        return what
    if what in {"hits", "docs", "scores", "ranks", "texts"} and sorts <= {"text", "number", "ids"}:
        return what if _are_cells(column, what) else None
    if what == "hits" and sorts <= {"ids", "hits", "passages", "empty list", "text", "number"}:
        return what
    return None


def _are_cells(column: Column, what: str) -> bool:
    """Whether plain texts are lists written with a separator: by the name in the plural, or by what stands in them."""
    if what == "texts":
        return False
    plural = column.path.casefold().rstrip("_").endswith("s")
    divided = any(mark in text for text in column.texts for mark in "|;,")
    return plural and (divided or all(len(text.split()) == 1 for text in column.texts))


def _stage(name: str, fields: dict[str, str]) -> StageColumns | None:
    if "hits" not in fields:
        if "docs" in fields:  # documents are all that it names
            fields["hits"] = fields.pop("docs")
        elif "texts" not in fields:
            return None
    return StageColumns(name=name, kind=kind_of(name) or StageKind.RETRIEVE, fields=fields)


def _ordered(stages: list[StageColumns]) -> tuple[StageColumns, ...]:
    """A hybrid search alone is a retriever; beside others it fuses them."""
    legs = [one for one in stages if one.kind is StageKind.RETRIEVE]
    if not legs:
        stages = [
            one.model_copy(update={"kind": StageKind.RETRIEVE}) if "hybrid" in one.name else one for one in stages
        ]
    return in_order(stages)
