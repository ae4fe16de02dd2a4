"""The options of each decorator, typed. A field's docstring says what it maps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypedDict

from .rows import Columns

Source = str | Callable[[Any], Any]
"""A parameter's name, or a function of the bound arguments (a dict by name)."""
Result = str | Callable[[Any], Any]
"""The name of a key or attribute of the result, or a function of the result (of each item, where it streams)."""
Inputs = str | tuple[str, ...] | list[str] | Callable[[Any], Any]
"""Names of parameters that hold the lists, names of stages, or a function of the bound arguments."""


class RequestOptions(TypedDict, total=False):
    """What `request` can be told."""

    name: str
    """As pages show it; the function's name where left out."""
    question: Source
    history: Source
    user: Source
    session: Source
    tenant: Source
    groups: Source
    as_of: Source
    answer: Result


class StageOptions(TypedDict, total=False):
    """What every stage can be told."""

    name: str
    inputs: Inputs
    hits: Result | Columns
    """The list, where it is not recognised; what a function gives counts as mapped by you. Or a table of columns, for
    rows of a database: {"id": 0, "text": 1, "distance": 2}, {"id": "pk", "text": "body", "doc_id": "manual"}."""
    rebuild: Callable[[list[dict[str, Any]]], Any]
    """The way back, for replays: from the recorded hits (dicts with rank, id, doc_id, parent_id, text, score and
    metadata, in rank order) to what the stage returns. Needed only where the type is not known."""


class QueryOptions(StageOptions, total=False):
    """Of a stage that works on a query."""

    query: Source


class RewriteOptions(QueryOptions, total=False):
    """What `rewrite` can be told."""

    technique: str
    """standalone, expansion, decomposition, hypothetical; or the parameter that says so."""
    model: Source


class EmbedOptions(QueryOptions, total=False):
    """What `embed` can be told."""

    embedding_model: Source


class RetrieveOptions(QueryOptions, total=False):
    """What `retrieve` can be told."""

    top_k: Source | int
    filters: Source
    index: Source
    """The index's name, or the parameter that holds it."""
    index_version: Source
    embedding_model: Source


class FuseOptions(StageOptions, total=False):
    """What `fuse` can be told."""

    top_k: Source | int


class FilterOptions(QueryOptions, total=False):
    """What `filter` can be told."""

    top_k: Source | int
    filters: Source


class RerankOptions(QueryOptions, total=False):
    """What `rerank` can be told."""

    top_k: Source | int
    model: Source


class AssembleOptions(StageOptions, total=False):
    """What `assemble` can be told."""

    top_k: Source | int


class GenerateOptions(StageOptions, total=False):
    """What `generate` can be told."""

    context: Source
    """The hits, ids or texts that are the context, in order."""
    prompt: Source
    model: Source
    answer: Result


class ToolOptions(QueryOptions, total=False):
    """What `tool` can be told."""

    top_k: Source | int
    filters: Source


class GuardOptions(QueryOptions, total=False):
    """What `guard` can be told."""

    model: Source


class OtherOptions(QueryOptions, total=False):
    """What `other` can be told."""

    top_k: Source | int
