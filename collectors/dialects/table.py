"""Declared tables of fields: which attribute says what. The first attribute of a field that is there counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from ...model import StageKind
from .values import as_count, as_text


class Field(NamedTuple):
    """One field of `Facts`, and where it stands."""

    name: str
    keys: tuple[str, ...]
    read: Callable[[Any], Any] = as_text
    """None means: it does not stand there; the next attribute is tried."""


Table = tuple[Field, ...]


def read_table(table: Table, attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Field -> value, for those that are there."""
    found: dict[str, Any] = {}
    for field, keys, read in table:
        for key in keys:
            if key in attributes:
                value = read(attributes[key])
                if value is not None:
                    found[field] = value
                    break
    return found


def as_is(value: object) -> Any:  # noqa: ANN401 - whatever it is
    """The value as it was sent."""
    return value


count = as_count
text = as_text

KINDS: Final[Mapping[str, StageKind]] = {
    "retriever": StageKind.RETRIEVE,
    "retrieve": StageKind.RETRIEVE,
    "retrieval": StageKind.RETRIEVE,
    "search": StageKind.RETRIEVE,
    "reranker": StageKind.RERANK,
    "rerank": StageKind.RERANK,
    "ranker": StageKind.RERANK,
    "embedding": StageKind.EMBED,
    "embeddings": StageKind.EMBED,
    "llm": StageKind.GENERATE,
    "chat_model": StageKind.GENERATE,
    "generation": StageKind.GENERATE,
    "completion": StageKind.GENERATE,
    "tool": StageKind.TOOL,
    "prompt": StageKind.ASSEMBLE,
    "guardrail": StageKind.GUARD,
}
"""Words of other writers for what a step does, in lower case. A word that is not here only holds others."""
