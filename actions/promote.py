"""Promote a request into an eval set: its question, labels and origin become a case."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from ..collectors.examiner import diagnose
from ..collectors.used_labels import labels_in_force
from ..model import EvalCase, Judgement, Refused, StoreError
from ..store import CaseFilter
from .case_draft import Judged, Wishes, draft_case, warnings_about
from .case_merge import (
    Merged,
    either_counts,
    gold_names,
    judges_differently,
    names_of,
    refuse_contradictions,
    replaced,
    same_labels,
    with_source,
)
from .case_place import place_case
from .complaints import complaints_about
from .human_text import redactor
from .lookup import one_request_id, required_request
from .reexamine import reexamine_case
from .workspace import Workspace

_ATTEMPTS = 20
"""How often a promotion starts over because somebody else changed the same case in between."""


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
    """One a needed passage; alternatives joined by " or "."""
    forbidden: tuple[str, ...]
    not_relevant: tuple[str, ...] = ()


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


def promote_draft(workspace: Workspace, ask: PromoteDraft) -> Draft:
    """The case as it would be promoted, and what it would meet in its default set. Stores nothing."""
    judged = _judged(workspace, ask.request_id)
    case = draft_case(judged, Wishes(), who=workspace.who, now_ns=workspace.now_ns())
    case, existing = place_case(workspace.store, case)
    unmarked = () if case.labels else ("Nothing is marked yet: mark the passage that should have answered.",)
    return Draft(
        case=case,
        sets=workspace.store.cases.page(CaseFilter(), limit=1).sets,
        existing=existing if existing and not existing.archived else None,
        warnings=unmarked + warnings_about(case),
    )


def promote(workspace: Workspace, ask: Promote) -> Promoted:
    """Puts the request into the set; the same question again is the same case.

    Refused without a question, without labels, or with a passage that is both gold and forbidden. Two people who
    press at once end as one after the other: the second meets what the first stored.
    """
    case = _wanted_case(workspace, ask)
    for _ in range(_ATTEMPTS):
        done = _attempt(workspace, case, ask.on_conflict)
        if done is not None:
            return done
    raise StoreError(f"Case {case.case_id} was changed by others {_ATTEMPTS} times while it was promoted: try again.")


def _wanted_case(workspace: Workspace, ask: Promote) -> EvalCase:
    redact = redactor(workspace)
    wishes = Wishes(
        eval_set=ask.eval_set.strip(),
        kind=None if ask.kind is None else redact(ask.kind),
        question=None if ask.question is None else redact(ask.question),
        standalone=None if ask.standalone is None else redact(ask.standalone),
        expected_answer_contains=tuple(redact(one) for one in ask.expected_answer_contains if one.strip()),
        ticket=None if ask.ticket is None else redact(ask.ticket),
        note=None if ask.note is None else redact(ask.note),
    )
    judged = _judged(workspace, ask.request_id)
    case = draft_case(judged, wishes, who=workspace.who, now_ns=workspace.now_ns())
    if not case.question.strip():
        raise Refused("A case needs a question: none was recorded for this request, so write one.")
    if not case.labels:
        raise Refused("Nothing is marked yet: mark the passage that should have answered, then promote.")
    refuse_contradictions(case)
    return case


def _judged(workspace: Workspace, request: str) -> Judged:
    store = workspace.store
    recorded = required_request(store, one_request_id(store, request))
    used = labels_in_force(store, recorded)
    complaints = complaints_about(store, recorded.request.request_id)
    return Judged(recorded, used.labels, diagnose(store, recorded, used), complaints)


def _attempt(workspace: Workspace, case: EvalCase, choice: OnConflict) -> Promoted | None:
    """One try; None when somebody else changed the case meanwhile."""
    case, existing = place_case(workspace.store, case)
    warnings = warnings_about(case)
    if existing is None:
        return _store(workspace, case, None, PromoteOutcome.CREATED, warnings)
    if existing.archived:
        back = (*warnings, "The case had been archived; it is back in the set, with these labels.")
        return _store(workspace, replaced(existing, case).case, existing, PromoteOutcome.UPDATED, back)
    if same_labels(existing, case) or choice is OnConflict.KEEP_FIRST:
        merged = with_source(existing, case)
        return _store(workspace, merged.case, existing, PromoteOutcome.ALREADY_IN_SET, warnings + merged.warnings)
    if choice is OnConflict.ASK:
        sides = (_side(existing), _side(case))
        return Promoted(outcome=PromoteOutcome.CONFLICT, case=existing, conflict=sides, warnings=warnings)
    merged = _resolved(existing, case, choice)
    return _store(workspace, merged.case, existing, PromoteOutcome.UPDATED, warnings + merged.warnings)


def _resolved(existing: EvalCase, case: EvalCase, choice: OnConflict) -> Merged:
    return replaced(existing, case) if choice is OnConflict.REPLACE else either_counts(existing, case)


def _store(
    workspace: Workspace,
    case: EvalCase,
    existing: EvalCase | None,
    outcome: PromoteOutcome,
    warnings: tuple[str, ...],
) -> Promoted | None:
    if existing is not None:
        if case == existing:
            return Promoted(outcome=outcome, case=existing, warnings=warnings)
        case = case.model_copy(update={"revision": existing.revision + 1})
    if not workspace.store.cases.save(case, expected_revision=existing.revision if existing else None):
        return None
    if existing is None or judges_differently(existing, case):
        reexamine_case(workspace.store, case)
    return Promoted(outcome=outcome, case=case, warnings=warnings)


def _side(case: EvalCase) -> Difference:
    """Who said it is whoever labelled last."""
    last = max(case.labels, key=lambda label: label.at_ns, default=None)
    return Difference(
        who=(last.who if last else "") or case.author,
        at_ns=(last.at_ns if last else 0) or case.created_ns,
        gold=gold_names(case.labels),
        forbidden=names_of(case.labels, Judgement.FORBIDDEN),
        not_relevant=names_of(case.labels, Judgement.NOT_RELEVANT),
    )
