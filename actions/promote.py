"""Promote a request into an eval set: its question, labels and origin become a case."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from ..model import EvalCase


class OnConflict(StrEnum):
    """What to do when the set holds the same question with other labels."""

    ASK = "ask"
    REPLACE = "replace"
    EITHER_COUNTS = "either counts"
    """The golds of both become alternatives: they share an evidence number."""
    KEEP_FIRST = "keep the first"


class Promote(BaseModel):
    """What to promote. Fields that are None are taken from the request."""

    model_config = ConfigDict(frozen=True)

    request_id: str
    eval_set: str = ""
    """Empty: the app's name."""
    kind: str | None = None
    question: str | None = None
    standalone: str | None = None
    expected_answer_contains: tuple[str, ...] = ()
    ticket: str | None = None
    note: str | None = None
    on_conflict: OnConflict = OnConflict.ASK


class PromoteOutcome(StrEnum):
    """What promoting did."""

    CREATED = "created"
    ALREADY_IN_SET = "already in the set"
    """Same key, same labels: the request was added to the sources if it was not one yet."""
    CONFLICT = "conflict"
    """Same key, other labels: nothing was stored; `conflict` says what differs."""
    UPDATED = "updated"


class Difference(BaseModel):
    """One side of a conflict."""

    model_config = ConfigDict(frozen=True)

    who: str
    at_ns: int
    gold: tuple[str, ...]
    forbidden: tuple[str, ...]


class Promoted(BaseModel):
    """The result of promoting."""

    model_config = ConfigDict(frozen=True)

    outcome: PromoteOutcome
    case: EvalCase
    """The case as it stands in the set now."""
    conflict: tuple[Difference, Difference] | None = None
    """First what the set holds, then what was to be promoted."""
    warnings: tuple[str, ...] = ()
    """"The question refers back, and neither history nor a standalone form is recorded.\""""


class PromoteDraft(BaseModel):
    """What the promote dialog shows before anything is saved."""

    model_config = ConfigDict(frozen=True)

    request_id: str


class Draft(BaseModel):
    """The case as it would be promoted, and the sets it could go to."""

    model_config = ConfigDict(frozen=True)

    case: EvalCase
    sets: dict[str, int]
    existing: EvalCase | None
    """The case with the same key in the default set."""
    warnings: tuple[str, ...] = ()
