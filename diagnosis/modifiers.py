"""Modifiers: circumstances beside the verdict. Only what is recorded, or derived from it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ..model import (
    Certainty,
    GoldOutcome,
    Modifier,
    Outcome,
    Request,
    Stage,
    StageKind,
    Verdict,
    normalise_question,
)
from .failures import failures
from .gold_case import Evidence, GoldCase
from .list_notes import overcounts, tied_ranks
from .lists import has_failed, is_incomplete
from .near_duplicates import NearPair
from .outcome import same_text_notes
from .sentence import count, joined, missing_from, stopped
from .superseded import Superseded

_IN_PROMPT = frozenset({Verdict.DELIVERED, Verdict.IGNORED})
_WORD = re.compile(r"[^\s,;:!?()\[\]\"'“”„«»]+")
_EXACT_CHARS = 3
_MESSAGE_WORDS = 3
"""An earlier message of fewer words may stand in a good standalone question by accident."""
_SHOWN = 3


class Judged(NamedTuple):
    """A gold with its outcome."""

    case: GoldCase
    outcome: GoldOutcome


def modifiers_of(
    evidence: Evidence,
    judged: Sequence[Judged],
    superseded: Mapping[str, Superseded],
    pairs: Sequence[NearPair],
    headline: Verdict,
) -> tuple[Modifier, ...]:
    """All of them: first what is wrong with the recording, then the request, then each gold."""
    found = [*_incomplete(evidence), *_failed(evidence, judged), *_empty_context(evidence)]
    if headline is not Verdict.DELIVERED:
        found += _no_rewrite(evidence)
    found += _glued_history(evidence)
    found += _crowded(evidence, judged, pairs)
    for one in judged:
        found += [*_superseded_above(one, superseded), *_exact_word(one), *_ties(one), *_duplicates(one)]
        found += [*_same_text(one), *_earlier_prompt(one), *_stale(one, headline)]
    found += _fusion_counts(evidence)
    return tuple(dict.fromkeys(found))


# What was recorded.


def _incomplete(evidence: Evidence) -> list[Modifier]:
    graph = evidence.graph
    reasons = [*evidence.request.missing]
    if evidence.request.provisional and not reasons:
        reasons.append("the request's own span has not come")
    for stage_id in graph.flow.order:
        stage = graph.stages[stage_id]
        name = evidence.names.get(stage_id, stage.name)
        if stage_id in graph.stands_for or stage_id in graph.shells:
            continue
        told = any(reason.startswith(f"{stage.name}: ") for reason in evidence.request.missing)
        if is_incomplete(stage) and not told and (stage.hits is not None or stage.kind is not StageKind.TOOL):
            reasons.append(missing_from(name, stage))
        if stage.outcome is Outcome.INCOMPLETE:
            reasons.append(f"the end of {name} was not received")
        if stage.parent_missing:
            reasons.append(f"the stage around {name} never came")
    if not reasons:
        return []
    text = f"The telemetry is incomplete: {'; '.join(dict.fromkeys(reasons))}."
    return [Modifier(kind="incomplete_telemetry", text=text, certainty=Certainty.RECORDED)]


def _failed(evidence: Evidence, judged: Sequence[Judged]) -> list[Modifier]:
    """Failed stages that no verdict speaks of."""
    failed = failures(evidence.graph)
    ruled = [one for one in judged if one.outcome.finding.verdict is Verdict.STAGE_FAILED]
    said = {one.outcome.blamed for one in ruled}
    if any(one.case.last is None for one in ruled):  # of a gold in no list, the verdict names every retriever
        said |= {stage.stage_id for stage in failed if stage.kind is StageKind.RETRIEVE}
    return [
        Modifier(
            kind="stage_failed",
            text=f"{stopped(evidence.names.get(one.stage_id, one.name), one)}.",
            stage_id=one.stage_id,
            certainty=Certainty.RECORDED,
        )
        for one in failed
        if one.stage_id not in said
    ]


def _empty_context(evidence: Evidence) -> list[Modifier]:
    context = evidence.reading.context
    if not context.known or context.entries or not evidence.lists:
        return []
    text = "The prompt holds none of the chunks that the recorded lists hold."
    if all(not ranked.places for ranked in evidence.lists.values()):
        text = "All recorded lists are empty, and so is the context."
    elif any(is_incomplete(evidence.graph.stages[one]) for one in evidence.lists):
        text = "The prompt holds none of the chunks that were recorded; it may hold those that are missing."
    return [Modifier(kind="empty_context", text=text, stage_id=context.stage_id, certainty=Certainty.RECORDED)]


# Question, history and query.


def _retrievers_with_query(evidence: Evidence) -> list[Stage]:
    stages = (evidence.graph.stages[one] for one in evidence.graph.flow.order)
    return [one for one in stages if one.kind is StageKind.RETRIEVE and one.query]


def _no_rewrite(evidence: Evidence) -> list[Modifier]:
    """A follow-up that was searched as it was typed, though there is a history that it follows."""
    request = evidence.request
    queries = [normalise_question(one.query or "") for one in _retrievers_with_query(evidence)]
    if not request.history or not request.question or not queries:
        return []
    if any(query != normalise_question(request.question) for query in queries):
        return []
    rewrites = [one for one in evidence.graph.stages.values() if one.kind is StageKind.REWRITE and not has_failed(one)]
    how = "the rewrite left it as it was" if rewrites else "without a rewrite"
    text = f"The question follows {count(len(request.history), 'earlier message')} and was searched as typed, {how}."
    return [Modifier(kind="no_rewrite", text=text, certainty=Certainty.RECORDED)]


def _glued_history(evidence: Evidence) -> list[Modifier]:
    """A search text that holds earlier messages word for word beside the question."""
    request = evidence.request
    question = normalise_question(request.question or "")
    found = []
    for stage in _retrievers_with_query(evidence):
        query = normalise_question(stage.query or "")
        glued = _glued_into(query, question, _earlier_messages(request))
        if glued and question and question in query and query != question:
            text = (
                f"The search text of {evidence.names.get(stage.stage_id, stage.name)} holds "
                f"{count(len(glued), 'earlier message')} word for word beside the question."
            )
            found.append(
                Modifier(kind="glued_history", text=text, stage_id=stage.stage_id, certainty=Certainty.RECORDED)
            )
    return found


def _glued_into(query: str, question: str, messages: Sequence[str]) -> list[str]:
    """The messages that stand in the query; short ones only where two or more and the question are all of it."""
    glued = [text for text in messages if len(text.split()) >= _MESSAGE_WORDS and text in query and text != query]
    if glued:
        return glued
    short = [text for text in messages if f" {text} " in f" {query} "]
    left = f" {query} "
    for part in sorted([question, *short], key=len, reverse=True):
        left = left.replace(f" {part} ", " ", 1)
    return short if len(short) > 1 and not left.strip() else []


def _earlier_messages(request: Request) -> list[str]:
    """Each once, normalised, without those that the question itself says again."""
    question = normalise_question(request.question or "")
    texts = dict.fromkeys(normalise_question(message.text) for message in request.history)
    return [text for text in texts if text and text not in question]


# Each gold.


def _crowded(evidence: Evidence, judged: Sequence[Judged], pairs: Sequence[NearPair]) -> list[Modifier]:
    """Places of the prompt that near-duplicates of other chunks in it took, while a gold was left out."""
    if all(one.outcome.finding.verdict in _IN_PROMPT for one in judged):
        return []
    entries = [entry.chunk_id for entry in evidence.reading.context.entries]
    crowd = [pair for pair in pairs if pair.first in entries and pair.second in entries]
    taken = {pair.second for pair in crowd}
    if not taken:
        return []
    like = joined([f"{pair.first} ≈ {pair.second}" for pair in crowd], at_most=_SHOWN)
    verb = "is" if len(taken) == 1 else "are"
    text = (
        f"{len(taken)} of the {count(len(entries), 'chunk')} in the prompt {verb} nearly the same as another ({like})."
    )
    return [Modifier(kind="crowded", text=text, stage_id=evidence.reading.context.stage_id)]


def _superseded_above(judged: Judged, superseded: Mapping[str, Superseded]) -> list[Modifier]:
    case = judged.case
    verdict = judged.outcome.finding.verdict
    if case.last is None and (verdict in _IN_PROMPT or verdict is Verdict.STALE_LABEL):
        return []
    above, where = _above(case)
    old = [one for one in above if one in superseded and case.matcher.of_chunk(one) is None]
    if case.last is None:
        # One that is in no list is outranked by nothing: only what it itself supersedes is worth naming.
        itself = {case.matcher.doc_id, case.matcher.target.chunk_id} - {None}
        old = [one for one in old if superseded[one].by in itself]
    if not old:
        return []
    sure = all(superseded[one].certainty is Certainty.RECORDED for one in old)
    reasons = list(dict.fromkeys(superseded[one].why for one in old))
    be, verb = ("is", "stands") if len(old) == 1 else ("are", "stand")
    names = joined(old, at_most=_SHOWN)
    text = f"{names} {be} superseded ({'; '.join(reasons[:_SHOWN])}) and {verb} {where}."
    certainty = Certainty.RECORDED if sure else Certainty.DERIVED
    return [Modifier(kind="superseded_above", text=text, stage_id=case.last, certainty=certainty)]


def _above(case: GoldCase) -> tuple[list[str], str]:
    """The chunks before the gold, and where that is: in its last list; of one in no list, in the prompt."""
    if case.last is not None:
        ranked = case.evidence.lists[case.last]
        before = [one for one, place in ranked.by_id.items() if place.distinct_rank < case.rank]
        return before, f"above {case.matcher.name} in {case.name(case.last)}"
    entries = case.evidence.reading.context.entries
    return [entry.chunk_id for entry in entries], f"in the prompt, where {case.matcher.name} is not"


def _exact_word(judged: Judged) -> list[Modifier]:
    """Codes and numbers of the question that stand in the passage, which no retriever found."""
    case = judged.case
    if judged.outcome.finding.verdict is not Verdict.NOT_RETRIEVED:
        return []
    text = (case.matcher.wanted_text or case.matcher.quote).casefold()
    words = dict.fromkeys(_exact_words(case.evidence.request.question or ""))
    found = [word for word in words if re.search(rf"(?<!\w){re.escape(word.casefold())}(?!\w)", text)]
    if not found:
        return []
    noun, verb = ("word", "stands") if len(found) == 1 else ("words", "stand")
    said = f"The {noun} {joined(found, at_most=_SHOWN)} of the question {verb} in the passage."
    return [Modifier(kind="exact_word", text=said, certainty=Certainty.RECORDED)]


def _exact_words(question: str) -> Iterable[str]:
    """Words with a digit that name one thing: E-4012, AB12, 4.7.1, 90210; neither "30" nor "3rd"."""
    for match in _WORD.finditer(question):
        word = match[0].strip(".-_/")
        digits = sum(char.isdigit() for char in word)
        if digits >= 2 and len(word) >= _EXACT_CHARS and (digits >= 4 or not word.isdigit()):
            yield word


def _ties(judged: Judged) -> list[Modifier]:
    """Lists on its way in which the gold's score is also that of its neighbours."""
    found = []
    for stage_id, point in judged.case.points.items():
        ranked = judged.case.evidence.lists.get(stage_id)
        if ranked is None or point.rank is None:
            continue
        for first, last in tied_ranks(ranked):
            if first <= point.rank <= last:
                name = judged.case.name(stage_id)
                text = f"In {name} ranks {first:,} to {last:,} have equal scores; the recorded order decides."
                found.append(Modifier(kind="ties", text=text, stage_id=stage_id, certainty=Certainty.RECORDED))
    return found


def _duplicates(judged: Judged) -> list[Modifier]:
    found = []
    for stage_id, point in judged.case.points.items():
        if point.rank is not None and point.distinct_rank is not None and point.rank > point.distinct_rank:
            repeats = point.rank - point.distinct_rank
            text = (
                f"In {judged.case.name(stage_id)} {count(repeats, 'place')} before {judged.outcome.name} "
                f"{'repeats a chunk' if repeats == 1 else 'repeat chunks'}: listed rank {point.rank:,}, "
                f"distinct rank {point.distinct_rank:,}."
            )
            found.append(Modifier(kind="duplicates", text=text, stage_id=stage_id, certainty=Certainty.RECORDED))
    return found


def _same_text(judged: Judged) -> list[Modifier]:
    evidence = judged.case.evidence
    notes = same_text_notes(judged.case.matcher, evidence.lists, evidence.names)
    return [Modifier(kind="same_text", text=note, certainty=Certainty.RECORDED) for note in notes]


def _earlier_prompt(judged: Judged) -> list[Modifier]:
    context = judged.case.evidence.reading.context
    if judged.outcome.finding.verdict in _IN_PROMPT:
        return []
    return [
        Modifier(
            kind="earlier_prompt",
            text=f"{one} stood in an earlier prompt of this request, and not in that of the answer.",
            certainty=Certainty.RECORDED,
        )
        for one in context.earlier_only
        if judged.case.matcher.of_chunk(one) is not None
    ]


def _stale(judged: Judged, headline: Verdict) -> list[Modifier]:
    if judged.outcome.finding.verdict is not Verdict.STALE_LABEL or headline is Verdict.STALE_LABEL:
        return []
    text = f"The label on {judged.outcome.name} is out of date and does not count."
    return [Modifier(kind="stale_label", text=text, certainty=judged.outcome.finding.certainty)]


def _fusion_counts(evidence: Evidence) -> list[Modifier]:
    fused = [one for one, ranked in evidence.lists.items() if ranked.stage.kind is StageKind.FUSE]
    return [
        Modifier(kind="fusion_counts", text=f"{over.text}.", stage_id=stage_id, certainty=Certainty.DERIVED)
        for stage_id in fused
        for over in overcounts(evidence, stage_id)[:_SHOWN]
    ]
