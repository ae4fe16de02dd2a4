"""The verdict table: each row a function, asked in order; the first that answers decides.

L is the last list on the way of the gold that has it. S is the next stage with a list on the path that went on, or
the context. n is how many chunks S takes. Ranks are distinct ranks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ..model import InPrompt, Level, PointState, Stage, StageKind, Verdict
from . import sentence
from .answer_use import citations, missing_phrases
from .failures import failures
from .gold_case import GoldCase, Step
from .lists import RETRIEVERS, has_failed, is_incomplete
from .placement import Placement, can_tell_absence, prompt_positions
from .threshold import threshold_of
from .unrecorded import why_not_sure


class Ruling(NamedTuple):
    """What a row says."""

    verdict: Verdict
    tail: str = ""
    """What follows the path in the sentence."""
    blamed: str | None = None
    """Stage id of the stage that the verdict names."""
    cannot_tell: str | None = None
    with_path: bool = True
    title: str | None = None
    """Where the verdict's usual title does not say it."""


Row = Callable[[GoldCase], Ruling | None]


def rule(case: GoldCase) -> Ruling:
    """The first row that applies."""
    for row in ROWS:
        ruling = row(case)
        if ruling is not None:
            return ruling
    return Ruling(Verdict.UNKNOWN, "what happened to it is not recorded")


# Row 1.


def in_the_context(case: GoldCase) -> Ruling | None:
    """In the context, with the labelled words inside the part that was sent: delivered or ignored."""
    placement = case.placement
    if placement is None or placement.holds_words is False:
        return None
    where = _where(case, placement)
    if placement.part and placement.holds_words is None:
        return Ruling(Verdict.PARTLY_FOUND, f"{where}; {placement.chunk_id} is only a part of {case.matcher.name}")
    answer = case.evidence.request.answer
    if case.evidence.expected and answer is not None:
        missing = missing_phrases(answer, case.evidence.expected)
        if missing:
            words = sentence.joined(sentence.quoted(missing))
            return Ruling(Verdict.IGNORED, f"{where}; the answer does not contain {words}")
        words = sentence.joined(sentence.quoted(case.evidence.expected))
        return Ruling(Verdict.DELIVERED, f"{where}; the answer contains {words}", cannot_tell=_sent_in_part(placement))
    if answer is not None and placement.position is not None:
        cited = citations(answer, case.evidence.reading.context, placement.position)
        if cited.this:
            return Ruling(Verdict.DELIVERED, f"{where}; the answer cites it", cannot_tell=_sent_in_part(placement))
        if cited.others:
            others = sentence.joined(cited.others, at_most=3)
            return Ruling(Verdict.IGNORED, f"{where}; the answer cites {others} and not this one")
    return Ruling(Verdict.DELIVERED, where, cannot_tell=_sent_in_part(placement) or sentence.ANSWER_USE_UNKNOWN)


def _where(case: GoldCase, placement: Placement) -> str:
    if placement.position is None:
        return "its text stands in the prompt"
    words = sentence.position(placement.position, prompt_positions(case.evidence.reading.context))
    if placement.form is InPrompt.CUT and placement.chars_sent is not None:
        total = f" of {placement.chars_total:,}" if placement.chars_total is not None else " or more"
        words += f", {placement.chars_sent:,}{total} characters of it"
    elif placement.form is InPrompt.BY_PARENT and placement.chunk_id != case.matcher.target.chunk_id:
        words += f", inside {placement.chunk_id}"
    return words


def _sent_in_part(placement: Placement) -> str | None:
    if placement.ambiguous_with:
        others = sentence.joined(placement.ambiguous_with)
        return f"The same text stands in {others}; which of them was sent cannot be told."
    if placement.form is InPrompt.CUT and placement.holds_words is None:
        return "Only a part of it was sent; whether that part answers the question is not known."
    return None


# Rows 2 to 4: in no list.


def stale_label(case: GoldCase) -> Ruling | None:
    """Its text existed when it was labelled, is absent in this index version, and is not re-linked."""
    matcher = case.matcher
    if case.last is not None or matcher.target.level is Level.DOCUMENT or matcher.target.chunk_id is None:
        return None
    known = bool(matcher.text or matcher.target.text_hash)
    if not known or matcher.facts.relinked or matcher.holds_text is not False or case.placement is not None:
        return None
    gone = matcher.facts.corpus_known and matcher.facts.present is False
    here = "is no longer in this index version, and no other chunk holds its text"
    tail = here if gone else "no longer holds the text that was labelled"
    return Ruling(Verdict.STALE_LABEL, f"{matcher.name} {tail}", with_path=False)


def not_in_corpus(case: GoldCase) -> Ruling | None:
    """In no list, and the manifest says absent."""
    facts = case.matcher.facts
    if case.last is None and case.placement is None and facts.corpus_known and facts.present is False:
        return Ruling(Verdict.NOT_IN_CORPUS, "the manifest of this index version does not hold it", with_path=False)
    return None


def in_no_list(case: GoldCase) -> Ruling | None:
    """In no list: a retriever failed; else a list is incomplete or a leg not recorded; else not retrieved."""
    if case.last is not None or case.placement is not None:
        return None
    evidence = case.evidence
    failed = [one for one in failures(evidence.graph) if one.kind is StageKind.RETRIEVE]
    if failed:
        others = [case.name(one.stage_id) for one in failed]
        tail = "; ".join(sentence.stopped(case.name(one.stage_id), one) for one in failed)
        title = f"{sentence.joined([f'`{one}`' for one in others])} failed"
        unknown = f"Whether {sentence.joined(others)} would have found it is not known."
        return Ruling(Verdict.STAGE_FAILED, tail, failed[0].stage_id, unknown, with_path=False, title=title)
    why = why_not_sure(case)
    if why is not None:
        return Ruling(Verdict.UNKNOWN, why, with_path=False)
    legs = [ranked for ranked in evidence.lists.values() if ranked.stage.kind in RETRIEVERS]
    tail = ", ".join(sentence.nowhere(case.name(leg.stage.stage_id), leg) for leg in legs)
    return Ruling(
        Verdict.NOT_RETRIEVED, tail, cannot_tell="At which rank it would have stood is not recorded.", with_path=False
    )


# Rows 5 to 9: the step after the last list.


def way_on_not_recorded(case: GoldCase) -> Ruling | None:
    """Only in lists whose way on is unknown, or S's list is incomplete: both ends are named."""
    if case.last is None:
        return None
    step = case.step
    if step is None:
        after = _later_unknown_list(case)
        if after is None and not case.evidence.reading.context.known:
            return None
        end = case.name(after) if after is not None else "the prompt"
        return Ruling(Verdict.UNKNOWN, f"what happened between {case.name(case.last)} and {end} is not recorded")
    if step.stage is None:
        why = can_tell_absence(case.matcher, case.evidence.reading) if case.placement is None else None
        return Ruling(Verdict.UNKNOWN, why) if why is not None else None
    if is_incomplete(step.stage):
        return Ruling(Verdict.UNKNOWN, sentence.missing_from(case.name(step.stage.stage_id), step.stage))
    return None


def _later_unknown_list(case: GoldCase) -> str | None:
    """The first list after L whose inputs are not known."""
    graph = case.evidence.graph
    start = graph.stages[case.last or ""].start_ns
    later = [one for one in graph.flow.unknown if graph.stages[one].start_ns >= start and one != case.last]
    return later[0] if later else None


def next_stage_failed(case: GoldCase) -> Ruling | None:
    """S failed."""
    stage = _stage(case)
    if stage is None or not has_failed(stage):
        return None
    return Ruling(Verdict.STAGE_FAILED, sentence.stopped(case.name(stage.stage_id), stage), stage.stage_id)


def removed_by_filter(case: GoldCase) -> Ruling | None:
    """S is a filter, and it was given the gold as far as is recorded."""
    stage = _stage(case)
    if stage is None or stage.kind is not StageKind.FILTER or case.step is None:
        return None
    if _handed_over(case) is not None:
        return None
    name = case.name(stage.stage_id)
    tail = f"{name} kept {case.step.takes:,} of {case.evidence.lists[case.last or ''].length:,}"
    limit = threshold_of(case, stage)
    if limit is None:
        unknown = None if stage.filters or stage.settings else f"What {name} asks for is not recorded."
        return Ruling(Verdict.FILTERED, tail, stage.stage_id, unknown)
    word = "above" if limit.is_maximum else "below"
    own, value = sentence.score(limit.score), sentence.score(limit.value)
    if limit.explains:
        return Ruling(Verdict.FILTERED, f"{tail}; its score {own} is {word} {value}", stage.stage_id)
    not_so = f"is {word} the limit of {value}, and so is that of a chunk that was kept"
    why = not_so if limit.is_beyond else f"is not {word} the limit of {value}"
    unknown = f"Its score in {case.name(case.last or '')}, {own}, {why}; which score {name} used is not recorded."
    return Ruling(Verdict.FILTERED, tail, stage.stage_id, unknown)


def removed_by_stage(case: GoldCase) -> Ruling | None:
    """S is a stage of another kind (other, tool or guard), and it was given the gold as far as is recorded."""
    stage = _stage(case)
    if stage is None or stage.kind not in {StageKind.OTHER, StageKind.TOOL, StageKind.GUARD}:
        return None
    if _handed_over(case) is not None:
        return None
    return _returned(case, Verdict.REMOVED_BY_STAGE, stage)


def reached_last_list(case: GoldCase) -> Ruling | None:
    """No S, and the context is unknown."""
    if case.last is None or case.step is not None or case.evidence.reading.context.known:
        return None
    return Ruling(Verdict.REACHED_LAST_LIST, "what the prompt held is not recorded")


# Rows 10 to 12: ranks against the cut.


def dropped_from_prompt(case: GoldCase) -> Ruling | None:
    """S is the context, and L is an assembled list, or the context is empty, or a lower hit of L is in it.

    Also where the chunk was sent, but cut before the labelled sentence.
    """
    placement = case.placement
    if placement is not None and placement.holds_words is False:
        return _sent_without_the_sentence(placement)
    step = case.step
    if case.last is None or step is None or not step.is_prompt:
        return None
    ranked = case.evidence.lists[case.last]
    empty = not (case.evidence.reading.context.entries if step.stage is None else _ids(case, step.stage))
    if ranked.stage.kind is not StageKind.ASSEMBLE and not empty and not _lower_hit_taken(case):
        return None
    name = case.name(case.last)
    holder, verb = ("the prompt", "holds") if _is_the_prompt(case) else (_cutter(case), "kept")
    of_them = f"of the {ranked.length:,} of {name}"
    if is_incomplete(ranked.stage):
        of_them = f"of the {len(ranked.by_id):,} that are recorded of {name}"
    taken = f"{step.takes:,} {of_them}, but not this one" if step.takes else f"none {of_them}"
    return Ruling(Verdict.DROPPED_FROM_PROMPT, f"{holder} {verb} {taken}")


def _sent_without_the_sentence(placement: Placement) -> Ruling:
    """Cut by the prompt builder; or sent as the lists show it, which is without the sentence already."""
    missing = "and the labelled sentence is not among them"
    if placement.not_sent:
        verb = "is" if len(placement.not_sent) == 1 else "are"
        missing = f"and {sentence.joined(sentence.quoted(placement.not_sent))} {verb} not among them"
    if placement.form is InPrompt.CUT:
        sent = f"{placement.chars_sent:,}" if placement.chars_sent is not None else "some"
        total = f"its {placement.chars_total:,}" if placement.chars_total is not None else "the"
        return Ruling(Verdict.DROPPED_FROM_PROMPT, f"the prompt holds {sent} of {total} characters, {missing}")
    sent = f" {placement.chars_sent:,}" if placement.chars_sent is not None else " the"
    tail = f"the prompt holds all{sent} characters that the lists show of it, {missing}"
    return Ruling(Verdict.DROPPED_FROM_PROMPT, tail, title="It reached the prompt without the labelled sentence")


def _is_the_prompt(case: GoldCase) -> bool:
    """Whether S is the context, or an assembled list of which as much of L is in the context."""
    step = case.step
    if step is None or step.stage is None:
        return True
    present = {entry.chunk_id for entry in case.evidence.reading.context.entries}
    ranked = case.evidence.lists.get(case.last or "")
    return step.is_prompt and ranked is not None and len(ranked.by_id.keys() & present) == step.takes


def _cutter(case: GoldCase) -> str:
    """Whose cut it is, as sentences say it."""
    step = case.step
    return (
        "the prompt" if step is None or step.stage is None or _is_the_prompt(case) else case.name(step.stage.stage_id)
    )


def _ids(case: GoldCase, stage: Stage | None) -> set[str]:
    """What the context, or an assembled list, holds."""
    if stage is not None:
        return set(case.evidence.lists[stage.stage_id].by_id)
    return {entry.chunk_id for entry in case.evidence.reading.context.entries}


def _lower_hit_taken(case: GoldCase) -> bool:
    taken = _ids(case, case.step.stage if case.step else None)
    ranked = case.evidence.lists[case.last or ""]
    return any(
        place.distinct_rank > case.rank and chunk_id in taken and case.matcher.of_chunk(chunk_id) is None
        for chunk_id, place in ranked.by_id.items()
    )


def pushed_out(case: GoldCase) -> Ruling | None:
    """Rank in L within n, and S did not keep it: a reranker demoted it, a fusion lost it, another stage removed it.

    Not where it is recorded that S was given L only up to a rank above the gold's.
    """
    stage = _stage(case)
    if stage is None or case.step is None or case.rank > case.step.takes or _handed_over(case) is not None:
        return None
    verdicts = {StageKind.RERANK: Verdict.DEMOTED, StageKind.FUSE: Verdict.LOST_IN_FUSION}
    return _returned(case, verdicts.get(stage.kind, Verdict.REMOVED_BY_STAGE), stage)


def over_the_cut(case: GoldCase) -> Ruling | None:
    """Rank in L beyond n: the nearest stage that moved it from within n to beyond it, else it was below all along."""
    if case.last is None or case.step is None:
        return None
    step = case.step
    takes, cut = _cut(case, step)
    mover = _mover(case, takes)
    if mover is not None and mover.kind is StageKind.RERANK:
        return Ruling(Verdict.DEMOTED, cut, mover.stage_id, _why_lower(case, mover))
    if mover is not None and mover.kind is StageKind.FUSE:
        return Ruling(Verdict.LOST_IN_FUSION, cut, mover.stage_id)
    blamed = step.stage.stage_id if step.stage is not None and not step.is_prompt else None
    given = _given_to_reranker(case)
    if mover is not None:
        return Ruling(
            Verdict.BELOW_CUT, f"{cut}{given}", blamed, _why_lower(case, mover), title="It fell below the cut"
        )
    unsure = step.stage is not None and step.stage.kind is StageKind.RERANK and not given
    unknown = (
        f"Whether {case.name(step.stage.stage_id)} was given it is not recorded." if unsure and step.stage else None
    )
    return Ruling(Verdict.BELOW_CUT, f"{cut}{given}", blamed, unknown)


def _cut(case: GoldCase, step: Step) -> tuple[int, str]:
    """How many distinct chunks of L could pass, and that in words: what S takes, or was given of L."""
    depth = _handed_over(case)
    stage = _stage(case)
    takes = step.takes
    cuts_by_length = stage is not None and stage.kind in {StageKind.RERANK, StageKind.FUSE} and takes < case.rank
    if depth is None or stage is None or cuts_by_length:
        return takes, f"{_cutter(case)} takes {takes:,}"
    last = case.last or ""
    passed = sum(place.rank <= depth for place in case.evidence.lists[last].by_id.values())
    return passed, f"{case.name(stage.stage_id)} was given only the first {depth:,} of {case.name(last)}"


def _handed_over(case: GoldCase) -> int | None:
    """The deepest listed rank of L that S was given, where that is recorded and the gold stands below it."""
    given = case.step.given if case.step is not None else None
    if given is None or given.depth is None or (case.last_point.rank or 0) <= given.depth:
        return None
    return given.depth


def _mover(case: GoldCase, takes: int) -> Stage | None:
    """Walking back from L: the nearest stage whose best input rank was within the cut and its own rank beyond it."""
    graph = case.evidence.graph
    here: str | None = case.last
    while here is not None:
        own, before = case.points[here].distinct_rank, case.input_rank(here)
        if own is None or before is None:
            return None
        if before <= takes < own:
            return graph.stages[here]
        inputs = [one.stage_id for one in graph.inputs.get(here, ()) if one.stage_id in case.points]
        here = next((one for one in inputs if case.points[one].distinct_rank == before), None)
    return None


def _given_to_reranker(case: GoldCase) -> str:
    """Whether the reranker of this path saw it, where that is recorded."""
    graph, step = case.evidence.graph, case.step
    here = case.last or ""
    passed = [one for one in (here, *graph.before(here)) if graph.stages[one].kind is StageKind.RERANK]
    if any(case.points[one].state is PointState.FOUND for one in passed if one in case.points):
        return "; the reranker was given it"
    stage = step.stage if step is not None else None
    if stage is None:
        return ""
    if stage.kind is StageKind.RERANK:
        depth = step.given.depth if step is not None and step.given is not None else None
        if depth is None:
            return ""
        return f"; the reranker was{'' if depth >= (case.last_point.rank or 0) else ' not'} given it"
    ahead = any(graph.stages[one].kind is StageKind.RERANK for one in graph.after(stage.stage_id))
    return "; the reranker was not given it" if ahead else ""


def _stage(case: GoldCase) -> Stage | None:
    """S where it is a stage and not the prompt builder's list."""
    return case.step.stage if case.step is not None and not case.step.is_prompt else None


def _returned(case: GoldCase, verdict: Verdict, stage: Stage) -> Ruling:
    takes = case.step.takes if case.step is not None else 0
    name = case.name(stage.stage_id)
    if verdict is Verdict.REMOVED_BY_STAGE:
        return Ruling(verdict, f"{name} returned {takes:,}", stage.stage_id, f"Why {name} removed it is not recorded.")
    unknown = _why_lower(case, stage) if verdict is Verdict.DEMOTED else None
    return Ruling(verdict, f"{name} returned {takes:,} without it", stage.stage_id, unknown)


def _why_lower(case: GoldCase, stage: Stage) -> str:
    return f"Why {case.name(stage.stage_id)} ranked it lower is not recorded."


ROWS: tuple[Row, ...] = (
    in_the_context,
    stale_label,
    not_in_corpus,
    in_no_list,
    way_on_not_recorded,
    next_stage_failed,
    removed_by_filter,
    removed_by_stage,
    reached_last_list,
    dropped_from_prompt,
    pushed_out,
    over_the_cut,
)
"""Rows 1 to 12, in order."""
