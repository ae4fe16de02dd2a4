"""When a set holds the question already: do both say the same, and what becomes of the two."""

from __future__ import annotations

from collections import defaultdict
from typing import Any, NamedTuple

from ..model import CaseLabel, EvalCase, Judgement, LabelTarget, Level, Refused
from .label import same_target, target_name

_KEPT_FIELDS = {
    "note": "note",
    "ticket": "ticket",
    "kind": "kind",
    "standalone": "standalone form",
    "expected_answer_contains": "expected phrases",
}
_RECORDED = ("lists", "notes", "app_version", "source_requests", "failing_stage", "verdict", "archived", "origin")
"""What a case knows from the request it was promoted from; a plain golden set has no field for it."""


class Merged(NamedTuple):
    """A case made of two, with what a person should know about it."""

    case: EvalCase
    warnings: tuple[str, ...] = ()


def refuse_contradictions(case: EvalCase) -> None:
    """Refuses a case in which one passage has two judgements."""
    for number, one in enumerate(case.labels):
        for other in case.labels[number + 1 :]:
            if one.judgement is not other.judgement and same_target(one.target, other.target):
                kinds = " and ".join(sorted(kind.value.replace("_", " ") for kind in (one.judgement, other.judgement)))
                raise Refused(f"{target_name(one.target)} is both {kinds} ({one.who}, {other.who}): choose one.")


def same_labels(one: EvalCase, other: EvalCase) -> bool:
    """Whether both judge the same passages alike, with the same passages as alternatives. Who and when do not count."""
    return _essence(one.labels) == _essence(other.labels)


def judges_differently(one: EvalCase, other: EvalCase) -> bool:
    """Whether requests that inherit from the case can get another verdict by the other revision."""
    return (one.labels, one.expected_answer_contains, one.archived) != (
        other.labels,
        other.expected_answer_contains,
        other.archived,
    )


def gold_names(labels: tuple[CaseLabel, ...]) -> tuple[str, ...]:
    """The needed passages by evidence number; alternatives joined by " or "."""
    return tuple(" or ".join(names) for _, names in sorted(_groups(labels).items()))


def names_of(labels: tuple[CaseLabel, ...], judgement: Judgement) -> tuple[str, ...]:
    """The passages with this judgement, in the order of the labels."""
    return tuple(target_name(label.target) for label in labels if label.judgement is judgement)


def with_source(existing: EvalCase, new: EvalCase) -> Merged:
    """`existing` with the sources of `new`, and with what `new` says where `existing` says nothing."""
    update: dict[str, Any] = {"source_requests": _union(existing.source_requests, new.source_requests)}
    warnings = []
    for field, words in _KEPT_FIELDS.items():
        held, offered = getattr(existing, field), getattr(new, field)
        if offered and not held:
            update[field] = offered
        elif offered and offered != held:
            warnings.append(f"The case keeps its own {words}: {_short(held)}. Yours was not stored: {_short(offered)}.")
    warnings += _changed_texts(existing, new)
    return Merged(existing.model_copy(update=update), tuple(warnings))


def replaced(existing: EvalCase, new: EvalCase) -> Merged:
    """`new` in the place of `existing`; sources of both, origin and author of the first."""
    offered = {field: getattr(new, field) or getattr(existing, field) for field in _KEPT_FIELDS}
    kept = {field: getattr(existing, field) for field in ("case_id", "author", "created_ns", "origin", "extra")}
    sources = _union(existing.source_requests, new.source_requests)
    return Merged(new.model_copy(update={**offered, **kept, "source_requests": sources}))


def brought_in(existing: EvalCase, read: EvalCase) -> EvalCase:
    """`read` from a file in the place of `existing`. A file that says less takes nothing away that it cannot say.

    Who made the case and when stay as they are; so do who, when and the text of a label that the file only names.
    """
    kept = {name: getattr(existing, name) for name in ("case_id", "revision", "author", "created_ns")}
    labels = tuple(_detailed(label, existing.labels) for label in read.labels)
    bare = not read.lists and not read.source_requests
    recorded = {name: getattr(existing, name) for name in _RECORDED} if bare else {}
    return read.model_copy(update={**kept, **recorded, "labels": labels})


def either_counts(existing: EvalCase, new: EvalCase) -> Merged:
    """The golds of both become alternatives: they all share evidence number 1. Other labels are joined."""
    labels = list(existing.labels)
    labels += [one for one in new.labels if not any(_alike(one, other) for other in existing.labels)]
    several = max(len(_groups(existing.labels)), len(_groups(new.labels))) > 1
    joined = tuple(
        label.model_copy(update={"evidence": 1}) if label.judgement is Judgement.GOLD else label for label in labels
    )
    merged = with_source(existing, new)
    case = merged.case.model_copy(update={"labels": joined})
    refuse_contradictions(case)
    lost = ("One of the two needed several passages at once; now any one of them counts.",) if several else ()
    return Merged(case, merged.warnings + lost)


def _detailed(label: CaseLabel, held: tuple[CaseLabel, ...]) -> CaseLabel:
    """The held label where it says the same and the new one says nothing more of its passage."""
    target = label.target
    known = next((one for one in held if _alike(one, label)), None)
    if known is None or (target.text is not None and target.text_hash != known.target.text_hash):
        return label
    more = known.target if target.text is None and target.quote is None else target
    return label.model_copy(update={"target": more, "who": known.who, "at_ns": known.at_ns})


def _alike(one: CaseLabel, other: CaseLabel) -> bool:
    return one.judgement is other.judgement and same_target(one.target, other.target)


def _essence(labels: tuple[CaseLabel, ...]) -> tuple[frozenset[Any], frozenset[frozenset[str]]]:
    judged = frozenset((label.judgement, label.grade, target_name(label.target)) for label in labels)
    return judged, frozenset(frozenset(names) for names in _groups(labels).values())


def _groups(labels: tuple[CaseLabel, ...]) -> dict[int, list[str]]:
    """Evidence number -> its passages. A gold without a number stands alone, after the others."""
    groups: dict[int, list[str]] = defaultdict(list)
    free = max((label.evidence or 0 for label in labels), default=0)
    for label in labels:
        if label.judgement is Judgement.GOLD:
            number = label.evidence
            if number is None:
                free += 1
                number = free
            groups[number].append(target_name(label.target))
    return groups


def _changed_texts(existing: EvalCase, new: EvalCase) -> list[str]:
    """A warning for each passage whose text is another one now."""
    held = {_identity(label.target): label.target.text_hash for label in existing.labels}
    return [
        f"The text of {target_name(label.target)} differs from the one the case holds; promote with replace to take it."
        for label in new.labels
        if label.target.text_hash and held.get(_identity(label.target)) not in {None, label.target.text_hash}
    ]


def _identity(target: LabelTarget) -> tuple[Level, str]:
    return target.level, target_name(target)


def _union(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*one, *other)))


def _short(value: object) -> str:
    text = ", ".join(value) if isinstance(value, tuple) else str(value)
    return f"{text[:60]!r}"
