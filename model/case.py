"""Eval cases: a question with labels and origin, owned in full so that no retention can hollow it."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict

from .label import Judgement, LabelTarget
from .stage import Message
from .stage_words import StageKind


class CaseOrigin(StrEnum):
    """How a case came to be."""

    COMPLAINT = "complaint"
    SAMPLED = "sampled"
    WRITTEN = "written"
    SYNTHETIC = "synthetic"


class CaseLabel(BaseModel):
    """A label as a case owns it."""

    model_config = ConfigDict(frozen=True)

    judgement: Judgement
    grade: int | None = None
    evidence: int | None = None
    target: LabelTarget
    who: str = ""
    at_ns: int = 0


class CaseHit(BaseModel):
    """One hit of a recorded list as a case keeps it: without the text, which only labelled passages keep."""

    model_config = ConfigDict(frozen=True)

    rank: int
    """1-based, as recorded."""
    chunk_id: str
    doc_id: str | None = None
    score: float | None = None
    metadata: dict[str, Any] = {}


class CaseList(BaseModel):
    """What one stage had returned when the request was promoted."""

    model_config = ConfigDict(frozen=True)

    stage: str
    kind: StageKind
    query: str | None = None
    top_k: int | None = None
    filters: Any = None
    index: str | None = None
    index_version: str | None = None
    hits: tuple[CaseHit, ...] = ()


class EvalCase(BaseModel):
    """One case of an eval set, in its current revision."""

    model_config = ConfigDict(frozen=True)

    case_id: str
    case_key: str
    """`make_case_key` of the fields below: the same key is the same case."""
    eval_set: str
    app: str = ""
    environment: str = ""
    question: str
    standalone: str | None = None
    """The question as a text that needs no history, where one was recorded or written."""
    history: tuple[Message, ...] = ()
    tenant: str | None = None
    groups: tuple[str, ...] = ()
    filters: Any = None
    as_of: str | None = None
    labels: tuple[CaseLabel, ...]
    expected_answer_contains: tuple[str, ...] = ()
    origin: CaseOrigin = CaseOrigin.WRITTEN
    source_requests: tuple[str, ...] = ()
    ticket: str | None = None
    failing_stage: str | None = None
    """Name of the stage that lost the gold when the case was promoted."""
    lists: tuple[CaseList, ...] = ()
    """Every list of the request that was promoted, by start time, so that retention cannot hollow the case."""
    notes: dict[str, Any] = {}
    """What the app had noted about that request."""
    app_version: str | None = None
    verdict: str | None = None
    note: str | None = None
    kind: str | None = None
    author: str = ""
    created_ns: int = 0
    revision: int = 1
    archived: bool = False
    extra: dict[str, Any] = {}
    """Fields of an imported golden set that goldrank does not know, kept for the round trip."""


OF_ONE_REQUEST = frozenset({"notes", "lists", "ticket", "note", "filters"})
"""Fields of what a case holds of the one request that it was promoted from, as it was then."""

_SPACE_BEFORE_PUNCTUATION = re.compile(r"\s+(?=[?!.,;:…。，？！、；：])")


def normalise_question(text: str) -> str:
    """`text` as two people would agree that it is the same question.

    Unicode NFC, case-folded, white space collapsed, none at the ends and none before punctuation.
    """
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    return _SPACE_BEFORE_PUNCTUATION.sub("", " ".join(folded.split()))


def make_case_key(
    *, app: str, question: str, history: tuple[Message, ...], tenant: str | None, groups: tuple[str, ...]
) -> str:
    """The identity of a case: 32 hex digits over app, normalised question and history, tenant, sorted groups."""
    parts = [
        app,
        normalise_question(question),
        [[message.role, normalise_question(message.text)] for message in history],
        tenant,
        sorted(set(groups)),
    ]
    canonical = json.dumps(parts, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("utf-8", "replace")).hexdigest()[:32]
