"""One sentence for several golds.

Golds of one evidence number are alternatives: the one that got farthest speaks, and labels that are out of date are
skipped unless all are. All numbers are needed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

from ..model import Certainty, Finding, GoldOutcome, Verdict
from .sentence import ANSWER_USE_UNKNOWN, TITLES, joined

_REACHED = frozenset({Verdict.DELIVERED, Verdict.IGNORED})
_WORST_FIRST = (Certainty.UNKNOWN, Certainty.INFERRED, Certainty.DERIVED, Certainty.RECORDED)
_SHOWN = 3

Progress = Callable[[GoldOutcome], tuple[int, int, int]]
"""How far a gold got; greater is farther."""


def headline(outcomes: Sequence[GoldOutcome], progress: Progress) -> Finding:
    """What is said first. Without a gold: `no_label`."""
    if not outcomes:
        return Finding(verdict=Verdict.NO_LABEL, title=TITLES[Verdict.NO_LABEL], body="", certainty=Certainty.RECORDED)
    speakers = speaking(outcomes, progress)
    reached = [one for one in speakers if one.finding.verdict in _REACHED]
    if len(reached) == len(speakers):
        return _all_reached(speakers, named=len(outcomes) > 1)
    if reached:
        return _partly_found(speakers, reached)
    latest = max(speakers, key=progress)
    return _named(latest) if len(outcomes) > 1 else latest.finding


def speaking(outcomes: Sequence[GoldOutcome], progress: Progress) -> list[GoldOutcome]:
    """The outcome that speaks for each evidence number, in the order of the numbers.

    Numbers whose labels are all out of date are left out, unless that is all there is.
    """
    by_number: dict[int, list[GoldOutcome]] = defaultdict(list)
    for outcome in outcomes:
        by_number[outcome.evidence].append(outcome)
    speakers = []
    for number in sorted(by_number):
        fresh = [one for one in by_number[number] if one.finding.verdict is not Verdict.STALE_LABEL]
        speakers.append(max(fresh or by_number[number], key=progress))
    fresh_speakers = [one for one in speakers if one.finding.verdict is not Verdict.STALE_LABEL]
    return fresh_speakers or speakers


def _all_reached(speakers: Sequence[GoldOutcome], *, named: bool) -> Finding:
    ignored = [one for one in speakers if one.finding.verdict is Verdict.IGNORED]
    if len(speakers) == 1 or ignored:
        chosen = (ignored or speakers)[0]
        return _named(chosen) if named else chosen.finding
    places = [f"{one.name} at position {one.position:,}" if one.position else one.name for one in speakers]
    everyone = "Both" if len(speakers) == 2 else f"All {len(speakers)}"
    return Finding(
        verdict=Verdict.DELIVERED,
        title=f"{everyone} needed passages reached the prompt",
        body=joined(places, at_most=_SHOWN),
        certainty=_weakest(speakers),
        cannot_tell=_not_told(speakers),
    )


def _not_told(speakers: Sequence[GoldOutcome]) -> str | None:
    """What cannot be told of all of them; else of the first of which something cannot be told, by name."""
    said = {one.finding.cannot_tell for one in speakers}
    if said == {ANSWER_USE_UNKNOWN}:
        return ANSWER_USE_UNKNOWN.replace("used it", "used them")
    return next((f"{one.name}: {one.finding.cannot_tell}" for one in speakers if one.finding.cannot_tell), None)


def _partly_found(speakers: Sequence[GoldOutcome], reached: Sequence[GoldOutcome]) -> Finding:
    missing = [one for one in speakers if one not in reached]
    words = [f"{joined([one.name for one in reached], at_most=_SHOWN)} did"]
    words += [f"{one.name} is missing ({_reason(one.finding)})" for one in missing[:_SHOWN]]
    if len(missing) > _SHOWN:
        words.append(f"{len(missing) - _SHOWN} more are missing")
    return Finding(
        verdict=Verdict.PARTLY_FOUND,
        title=f"Only {len(reached)} of {len(speakers)} needed passages reached the prompt",
        body="; ".join(words),
        certainty=_weakest(speakers),
    )


def _reason(finding: Finding) -> str:
    return f"{finding.verdict.words}: {finding.body}" if finding.body else finding.verdict.words


def _named(outcome: GoldOutcome) -> Finding:
    """The finding of one of several golds, with its name, because "it" would not say which."""
    return outcome.finding.model_copy(update={"title": f"{outcome.finding.title} ({outcome.name})"})


def _weakest(outcomes: Sequence[GoldOutcome]) -> Certainty:
    return min((one.finding.certainty for one in outcomes), key=_WORST_FIRST.index)
