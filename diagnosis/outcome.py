"""What became of one gold: its verdict with the sentence, the path, and notes on near misses and re-links."""

from __future__ import annotations

from collections.abc import Mapping

from ..model import ContextSource, Finding, GoldOutcome, Level, MatchedBy, Verdict
from . import sentence
from .certainty import certainty_of
from .gold_case import GoldCase
from .lists import RETRIEVERS, RankedList
from .matching import Matcher, near_miss_notes
from .verdict import Ruling, rule

_SHOWN_NOTES = 3


def judge(case: GoldCase, evidence_number: int) -> GoldOutcome:
    """The outcome of a gold whose evidence number is `evidence_number`."""
    ruling = rule(case)
    in_prompt = ruling.verdict in {Verdict.DELIVERED, Verdict.IGNORED}
    cut = case.placement is not None and case.placement.holds_words is False
    at_prompt = not in_prompt and (cut or (case.step is not None and case.step.is_prompt))
    stage = case.step.stage if case.step is not None and not in_prompt and not at_prompt else None
    lost_at = stage.stage_id if stage is not None else None
    if ruling.verdict is Verdict.STAGE_FAILED:
        lost_at = ruling.blamed
    return GoldOutcome(
        label_id=case.matcher.label.label_id,
        evidence=evidence_number,
        name=case.matcher.name,
        level=case.matcher.target.level,
        finding=_finding(case, ruling),
        path=tuple(case.points.values()),
        position=case.placement.position if case.placement is not None else None,
        lost_at=lost_at,
        lost_at_context=at_prompt and ruling.verdict is not Verdict.PARTLY_FOUND,
        blamed=ruling.blamed,
        last_list=case.last,
        takes=case.step.takes if case.step is not None and not in_prompt else None,
        notes=tuple(notes_of(case.matcher, case.evidence.lists, case.evidence.names)),
    )


def _finding(case: GoldCase, ruling: Ruling) -> Finding:
    stage = case.name(ruling.blamed) if ruling.blamed is not None else ""
    title = ruling.title or sentence.TITLES[ruling.verdict].replace("{stage}", stage)
    way = sentence.path(case) if ruling.with_path else ""
    return Finding(
        verdict=ruling.verdict,
        title=title,
        body="; ".join(part for part in (way, ruling.tail) if part),
        certainty=certainty_of(case, ruling.verdict),
        cannot_tell=" ".join(filter(None, (_not_the_prompt_itself(case, ruling), ruling.cannot_tell))) or None,
    )


def _not_the_prompt_itself(case: GoldCase, ruling: Ruling) -> str | None:
    """Where the verdict speaks of the prompt, and the prompt itself is not recorded: what is known instead."""
    context = case.evidence.reading.context
    speaks = ruling.verdict is Verdict.DROPPED_FROM_PROMPT or ruling.tail.startswith("the prompt takes")
    if not speaks or context.stage_id is None:
        return None
    name = case.name(context.stage_id)
    if context.source is ContextSource.ASSEMBLE:
        return f"The prompt itself is not recorded; this is what {name} put together."
    if context.source is ContextSource.DECLARED:
        return f"The prompt itself is not recorded; this is what the app declared for {name}."
    return None


def notes_of(matcher: Matcher, lists: Mapping[str, RankedList], names: Mapping[str, str]) -> list[str]:
    """Sentences on ids and texts that look like the gold, on re-links, and on what a stale label may mean now."""
    notes = [*_moved(matcher, lists, names), *same_text_notes(matcher, lists, names)]
    if not matcher.matched():
        seen: dict[str, str] = {}
        for stage_id, ranked in lists.items():
            for chunk_id, place in ranked.by_id.items():
                seen.setdefault(chunk_id, f"rank {place.rank:,} in {names.get(stage_id, stage_id)}")
                if matcher.target.level is Level.DOCUMENT and place.hit.doc_id is not None:
                    seen.setdefault(place.hit.doc_id, seen[chunk_id])
        notes += near_miss_notes(matcher, seen.items())[:_SHOWN_NOTES]
    return notes


def _left_behind(matcher: Matcher, labelled: str) -> str:
    """What became of the id that the label names; nothing where that is not known."""
    if labelled in matcher.chunks:
        return f"; {labelled} is now something else"
    if matcher.facts.same_text is False:
        return f"; {labelled} no longer holds it"
    if matcher.facts.corpus_known and matcher.facts.relinked:
        return f"; {labelled} is gone"
    return ""


def _moved(matcher: Matcher, lists: Mapping[str, RankedList], names: Mapping[str, str]) -> list[str]:
    labelled = matcher.target.chunk_id
    if matcher.target.level is Level.DOCUMENT or labelled is None:
        return []
    notes = []
    matched = {one: match.by for one in matcher.matched() if (match := matcher.of_chunk(one)) is not None}
    moved_to = [one for one, by in matched.items() if by is MatchedBy.RELINKED]
    moved_to += [one for one in matcher.facts.relinked if one not in moved_to]
    if (moved_to and matcher.own is None) or (moved_to and labelled not in matcher.chunks):
        moved = f"The label moved: {labelled} → {sentence.joined(moved_to)} (same text)"
        notes.append(f"{moved}{_left_behind(matcher, labelled)}.")
    elif matcher.own is None and labelled in matcher.chunks:
        notes.append(
            f"{_where(labelled, lists, names)} is {labelled} with another text than the labelled one; no credit."
        )
    for one, by in matched.items():
        if by is MatchedBy.TEXT_IN_DOCUMENT:
            notes.append(f"Found as {one}: the same text in the same document.")
        elif by is MatchedBy.QUOTE and one != labelled:
            notes.append(f"Found as {one}: it holds the labelled sentence, in the same document.")
    if matcher.holds_text is False and not matched and matcher.facts.similar:
        close = sentence.joined(matcher.facts.similar, at_most=_SHOWN_NOTES)
        notes.append(f"{close} is close; a person decides.")
    return notes[:_SHOWN_NOTES]


def same_text_notes(matcher: Matcher, lists: Mapping[str, RankedList], names: Mapping[str, str]) -> list[str]:
    """Chunks of other documents with the gold's text: named, without credit."""
    if matcher.target.level is Level.DOCUMENT or not matcher.wanted_text:
        return []
    same = [
        chunk.chunk_id
        for chunk in matcher.chunks.values()
        if chunk.text is not None
        and chunk.text.normal == matcher.wanted_text
        and chunk.chunk_id != matcher.target.chunk_id
        and matcher.of_chunk(chunk.chunk_id) is None
    ]
    other = {one: matcher.chunks[one].doc_id for one in same}
    return [
        f"{_where(one, lists, names)} holds the same text under another id"
        f"{' and document' if doc_id is not None and matcher.doc_id is not None else ''} ({one}); no credit for it."
        for one, doc_id in list(other.items())[:_SHOWN_NOTES]
    ]


def _where(chunk_id: str, lists: Mapping[str, RankedList], names: Mapping[str, str]) -> str:
    """ "Rank 1 in vector": its place in the first list that has it, retrievers before others."""
    having = [
        (one.stage.kind not in RETRIEVERS, place, stage_id)
        for place, (stage_id, one) in enumerate(lists.items())
        if chunk_id in one.by_id
    ]
    _, _, stage_id = min(having)
    return f"Rank {lists[stage_id].by_id[chunk_id].rank:,} in {names.get(stage_id, stage_id)}"
