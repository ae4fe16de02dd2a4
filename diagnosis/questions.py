"""The three questions of the request page: in the corpus? retrieved? in the prompt?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..model import (
    SEEN_ENOUGH,
    Diagnosis,
    GoldOutcome,
    Judgement,
    Label,
    LabelFacts,
    MatchedBy,
    PointState,
    Verdict,
)
from .sentence import count, joined

_IN_PROMPT = frozenset({Verdict.DELIVERED, Verdict.IGNORED})
_SHOWN = 3


class ShortAnswer(NamedTuple):
    """One of the questions, answered."""

    value: str
    """ "Yes", "No", "Rank 1", "2 of 3", "Not recorded", "Not known", "Not seen"."""
    evidence: str


class ThreeQuestions(NamedTuple):
    """The answers; None each where no gold is marked."""

    in_corpus: ShortAnswer | None
    retrieved: ShortAnswer | None
    in_prompt: ShortAnswer | None


class _Gold(NamedTuple):
    outcome: GoldOutcome
    facts: LabelFacts


def three_questions(diagnosis: Diagnosis, labels: Sequence[Label], facts: Sequence[LabelFacts]) -> ThreeQuestions:
    """The answers for the golds among `labels`, which are those that the diagnosis was made with.

    Several golds: "2 of 3" counts evidence numbers; golds of one number are alternatives.
    """
    known = {
        label.label_id: facts[place] if place < len(facts) else LabelFacts()
        for place, label in enumerate(labels)
        if label.judgement is Judgement.GOLD and not label.removed
    }
    golds = [_Gold(outcome, known.get(outcome.label_id, LabelFacts())) for outcome in diagnosis.outcomes]
    if not golds:
        return ThreeQuestions(None, None, None)
    return ThreeQuestions(
        _together(golds, _in_corpus),
        _together(golds, lambda gold: _retrieved(diagnosis, gold)),
        _together(golds, lambda gold: _in_prompt(diagnosis, gold)),
    )


class _One(NamedTuple):
    """The answer for one gold: whether it counts as a yes, and in words."""

    yes: bool | None
    answer: ShortAnswer


def _together(golds: Sequence[_Gold], ask: Callable[[_Gold], _One]) -> ShortAnswer:
    answers = [(gold.outcome, ask(gold)) for gold in golds]
    if len(answers) == 1:
        return answers[0][1].answer
    numbers = sorted({outcome.evidence for outcome, _ in answers})
    best = {
        number: max(
            ((outcome, one) for outcome, one in answers if outcome.evidence == number),
            key=lambda pair: (pair[1].yes is True, pair[1].yes is None),
        )
        for number in numbers
    }
    if len(numbers) == 1:
        return best[numbers[0]][1].answer
    yes = [outcome.name for outcome, one in best.values() if one.yes]
    unknown = [outcome.name for outcome, one in best.values() if one.yes is None]
    if len(unknown) == len(numbers):
        return next(iter(best.values()))[1].answer
    no = [outcome.name for outcome, one in best.values() if one.yes is False]
    words = [f"not {joined(no, at_most=_SHOWN)}"] if no else []
    words += [f"not known: {joined(unknown, at_most=_SHOWN)}"] if unknown else []
    return ShortAnswer(f"{len(yes)} of {len(numbers)}", "; ".join(words) or joined(yes, at_most=_SHOWN))


def _in_corpus(gold: _Gold) -> _One:
    facts = gold.facts
    if facts.corpus_known and facts.present is not None:
        return _by_manifest(gold)
    listed = any(point.state is PointState.FOUND for point in gold.outcome.path)
    if facts.seen_in or listed:
        seen = f"seen in {_requests(max(facts.seen_in or 0, 1))}; the corpus is not known"
        return _One(yes=True, answer=ShortAnswer("Yes", seen))
    text = f"Not seen in {count(facts.requests_known, 'request')}; the corpus is not known"
    return _One(yes=None, answer=ShortAnswer("Not seen", text))


def _requests(seen_in: int) -> str:
    return count(seen_in, "request") + (" or more" if seen_in >= SEEN_ENOUGH else "")


def _by_manifest(gold: _Gold) -> _One:
    facts = gold.facts
    if facts.present and facts.relinked and facts.same_text is not True:
        return _One(yes=True, answer=ShortAnswer("Yes", f"as {joined(facts.relinked, at_most=_SHOWN)}, same text"))
    if facts.present and facts.same_text is False:
        return _One(yes=False, answer=ShortAnswer("No", "its id is there with another text"))
    if facts.present:
        return _One(yes=True, answer=ShortAnswer("Yes", "in the manifest of this index version"))
    return _One(yes=False, answer=ShortAnswer("No", "not in the manifest of this index version"))


def _retrieved(diagnosis: Diagnosis, gold: _Gold) -> _One:
    """By the lists that begin the flow; where none of them is recorded, by the first list there is."""
    level = diagnosis.flow.level
    path = gold.outcome.path
    first = [point for point in path if level.get(point.stage_id, 0) == 0]
    found = [point for point in first if point.distinct_rank is not None]
    if not found:
        found = [point for point in path if point.distinct_rank is not None][:1]
    if found:
        best = min(found, key=lambda point: point.distinct_rank or 0)
        places = [f"{point.distinct_rank:,} in {_name(diagnosis, point.stage_id)}" for point in found]
        how = "" if best.matched_by in {None, MatchedBy.ID_AND_TEXT} else f", {best.matched_by}"
        evidence = f"rank {joined(places, at_most=_SHOWN)}{how}"
        return _One(yes=True, answer=ShortAnswer(f"Rank {best.distinct_rank:,}", evidence))
    if not first:
        return _One(yes=None, answer=ShortAnswer("Not recorded", "no list is recorded"))
    unsure = [point for point in first if point.state in {PointState.UNKNOWN, PointState.FAILED}]
    if unsure:
        sure = [point for point in first if point not in unsure]
        why = [f"not in {joined([_name(diagnosis, one.stage_id) for one in sure], at_most=_SHOWN)}"] if sure else []
        why += [f"{_name(diagnosis, one.stage_id)} {_words(one.state)}" for one in unsure]
        hidden = [point for point in first if point.state is PointState.UNKNOWN]
        if not hidden:
            return _One(yes=False, answer=ShortAnswer("No", "; ".join(why)))
        value = "Not recorded" if len(hidden) == len(first) else "Not known"
        return _One(yes=None, answer=ShortAnswer(value, "; ".join(why)))
    names = [_name(diagnosis, one.stage_id) for one in first]
    if gold.outcome.finding.verdict is Verdict.UNKNOWN:  # another leg was there, or may have been
        return _One(yes=None, answer=ShortAnswer("Not known", gold.outcome.finding.body))
    body = gold.outcome.finding.body if gold.outcome.finding.verdict is Verdict.NOT_RETRIEVED else ""
    return _One(yes=False, answer=ShortAnswer("No", body or f"not in {joined(names, at_most=_SHOWN)}"))


def _words(state: PointState) -> str:
    return "failed" if state is PointState.FAILED else "is not recorded in full"


def _name(diagnosis: Diagnosis, stage_id: str) -> str:
    return diagnosis.names.get(stage_id, stage_id)


def _in_prompt(diagnosis: Diagnosis, gold: _Gold) -> _One:
    outcome, context = gold.outcome, diagnosis.context
    verdict = outcome.finding.verdict
    places = max((entry.position for entry in context.entries), default=0)
    if verdict in _IN_PROMPT:
        where = (
            "its text stands in the prompt" if outcome.position is None else f"position {outcome.position} of {places}"
        )
        return _One(yes=True, answer=ShortAnswer("Yes", where))
    if verdict is Verdict.PARTLY_FOUND or outcome.position is not None:
        how = "a part of it" if verdict is Verdict.PARTLY_FOUND else "without the labelled sentence"
        return _One(yes=False, answer=ShortAnswer("Partly", f"position {outcome.position} of {places}, {how}"))
    if not context.known:
        return _One(yes=None, answer=ShortAnswer("Not recorded", "what the prompt held is not recorded"))
    if verdict is Verdict.UNKNOWN and outcome.lost_at_context:
        return _One(yes=None, answer=ShortAnswer("Not known", outcome.finding.body.rpartition("; ")[2]))
    held = f"the prompt holds {count(places, 'other chunk')}" if places else "the prompt holds no recorded chunk"
    return _One(yes=False, answer=ShortAnswer("No", held))
