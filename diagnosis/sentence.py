"""The words of a verdict: title, path and tail, as docs/verdicts.md writes them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..model import Completeness, PointState, Stage, Verdict
from .gold_case import GoldCase
from .lists import RETRIEVERS, RankedList

TITLES = {
    Verdict.DELIVERED: "It reached the prompt",
    Verdict.IGNORED: "It was in the prompt, but the answer did not use it",
    Verdict.STALE_LABEL: "The label is out of date",
    Verdict.NOT_IN_CORPUS: "It is not in the corpus",
    Verdict.NOT_RETRIEVED: "No retriever found it",
    Verdict.STAGE_FAILED: "`{stage}` failed",
    Verdict.UNKNOWN: "It cannot be told where it was lost",
    Verdict.FILTERED: "The filter `{stage}` removed it",
    Verdict.REMOVED_BY_STAGE: "The stage `{stage}` removed it",
    Verdict.REACHED_LAST_LIST: "It reached the last recorded list",
    Verdict.DROPPED_FROM_PROMPT: "The prompt builder left it out",
    Verdict.DEMOTED: "The reranker pushed it out",
    Verdict.LOST_IN_FUSION: "The fusion pushed it out",
    Verdict.BELOW_CUT: "It stayed below the cut",
    Verdict.PARTLY_FOUND: "Only a part of it reached the prompt",
    Verdict.NO_LABEL: "No gold is marked yet",
}
ANSWER_USE_UNKNOWN = "Whether the answer used it is not known."
_ERROR_CHARS = 200


def count(number: int, noun: str) -> str:
    """`count(1, "hit")` is "1 hit", `count(1200, "hit")` is "1,200 hits"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def joined(words: Sequence[str], at_most: int | None = None) -> str:
    """ "a, b and c"; with `at_most` 2, "a, b and 1 more"."""
    if at_most is not None and len(words) > at_most:
        return f"{', '.join(words[:at_most])} and {len(words) - at_most:,} more"
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def quoted(phrases: Iterable[str]) -> list[str]:
    """Each phrase in double quotes."""
    return [f'"{phrase}"' for phrase in phrases]


def score(value: float) -> str:
    """A score with as many digits as tell it apart: 0.52, 12, 0.0325."""
    return f"{value:.4g}"


def path(case: GoldCase) -> str:
    """ "rank 1 in bm25, not in dense, 2 after rrf": the lists on the way to L, and the legs of the step after it."""
    if case.last is None:
        return ""
    graph = case.evidence.graph
    way = {case.last} | graph.before(case.last)
    if case.step is not None and case.step.stage is not None:
        way |= graph.before(case.step.stage.stage_id)
    parts = []
    said = False
    for stage_id, point in case.points.items():
        stage = graph.stages[stage_id]
        if stage_id not in way:
            continue
        if point.state is not PointState.FOUND:
            if stage.kind in RETRIEVERS:
                parts.append(_absence(case, stage, point.state))
            continue
        where = "in" if stage.kind in RETRIEVERS else "after"
        number = f"{point.distinct_rank:,} {where} {case.name(stage_id)}{_beside(case, stage_id)}"
        parts.append(number if said else f"rank {number}")
        said = True
    return ", ".join(parts)


def _beside(case: GoldCase, stage_id: str) -> str:
    """What is said in brackets behind a rank: the listed rank where it differs, the rank among documents."""
    point = case.points[stage_id]
    words = [f"listed {point.rank:,}"] if point.rank != point.distinct_rank else []
    if point.document_rank is not None:
        words.append(f"document {point.document_rank:,}")
    return f" ({', '.join(words)})" if words else ""


def _absence(case: GoldCase, stage: Stage, state: PointState) -> str:
    name = case.name(stage.stage_id)
    if state is PointState.FAILED:
        return f"{name} failed"
    return f"not in {name}" if state is PointState.ABSENT else f"not in what is recorded of {name}"


def missing_from(name: str, stage: Stage) -> str:
    """What of a list is not recorded: "the list of rerank is incomplete (ranks 1 to 27 are missing)"."""
    if stage.hits is None or stage.completeness is Completeness.NOT_RECORDED:
        return f"the list of {name} is not recorded"
    if stage.completeness is Completeness.TOP_MISSING:
        ranks = f"ranks 1 to {stage.missing_top:,} are missing" if stage.missing_top > 1 else "rank 1 is missing"
        return f"the list of {name} is incomplete ({ranks if stage.missing_top else 'its best ranks are missing'})"
    if stage.completeness is Completeness.TRUNCATED:
        whole = f"of {stage.length:,} " if stage.length and stage.length > len(stage.hits) else ""
        return f"the list of {name} is incomplete ({count(len(stage.hits), 'hit')} {whole}recorded)"
    if stage.completeness is Completeness.PARTLY_READABLE:
        return f"the list of {name} is incomplete (it holds hits that are not readable)"
    return f"the list of {name} is {stage.completeness.value}"


def stopped(name: str, stage: Stage) -> str:
    """ "dense stopped with TimeoutError: no answer in 2 s"."""
    error = " ".join((stage.error or "").split())
    shown = error if len(error) <= _ERROR_CHARS else f"{error[:_ERROR_CHARS].rstrip()}..."
    return f"{name} stopped with {shown.rstrip('.') or 'an error'}"


def nowhere(name: str, ranked: RankedList) -> str:
    """ "not in bm25 (50 hits)"."""
    return f"not in {name} ({count(ranked.listed, 'hit')})"


def position(place: int, of: int) -> str:
    """ "position 2 of 5 in the prompt"."""
    return f"position {place:,} of {of:,} in the prompt"
