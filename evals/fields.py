"""The line of a golden set: which field of it is which field of an eval case.

Fields at the top of a line are the ones that people write and other tools read; they decide. Everything else that a
case holds stands under one key, `goldrank`, so that a file survives the way out and back in unchanged.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from ..model import Judgement, Level

DETAIL: Final[str] = "goldrank"
"""Key of everything that common golden sets have no field for."""
FORMAT: Final[int] = 1
"""Raised when older readers would misread a line."""


class IdField(NamedTuple):
    """A field that lists the ids of labelled passages."""

    name: str
    judgement: Judgement
    level: Level


ID_FIELDS: Final[tuple[IdField, ...]] = (
    IdField("relevant_chunk_ids", Judgement.GOLD, Level.CHUNK),
    IdField("relevant_doc_ids", Judgement.GOLD, Level.DOCUMENT),
    IdField("forbidden_chunk_ids", Judgement.FORBIDDEN, Level.CHUNK),
    IdField("forbidden_doc_ids", Judgement.FORBIDDEN, Level.DOCUMENT),
)

GROUPS: Final[str] = "user_groups"
HISTORY: Final[str] = "history"
QUESTION: Final[str] = "question"
PHRASES: Final[str] = "expected_answer_contains"
FILTERS: Final[str] = "filters"
ORIGIN: Final[str] = "origin"

TEXT_FIELDS: Final[tuple[str, ...]] = (
    "app",
    "as_of",
    "case_id",
    "environment",
    "eval_set",
    "kind",
    "note",
    "standalone",
    "tenant",
    "ticket",
)
"""Optional texts, named alike in a line and in a case."""

DETAIL_FIELDS: Final[tuple[str, ...]] = (
    "app_version",
    "archived",
    "author",
    "created_ns",
    "failing_stage",
    "labels",
    "lists",
    "notes",
    "revision",
    "source_requests",
    "verdict",
)
"""Fields of a case that stand under `goldrank`, named alike in both."""

KNOWN: Final[frozenset[str]] = frozenset(
    {
        DETAIL,
        FILTERS,
        GROUPS,
        HISTORY,
        ORIGIN,
        PHRASES,
        QUESTION,
        *TEXT_FIELDS,
        *(field.name for field in ID_FIELDS),
    }
)
"""Every field at the top that has a meaning; the rest is a case's `extra`."""
