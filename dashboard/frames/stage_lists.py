"""The lists of a request side by side: rank, chunk, and the score or the change of rank."""

from __future__ import annotations

from typing import NamedTuple

from ...model import ChunkMark, Completeness, Diagnosis, Hit, InPrompt, Outcome, RecordedRequest, Stage, StageKind
from .. import amounts, marks

UP = "▲"
DOWN = "▼"
NEW = "new"
CANNOT_TELL = "?"


class ListRow(NamedTuple):
    """One hit as shown."""

    rank: int
    chunk_id: str
    score: str
    change: str
    """Against the best rank among the lists that went in: "▲2", "▼3", "=", "new"; "?" where those are incomplete."""
    marks: tuple[ChunkMark, ...]


class StageList(NamedTuple):
    """One stage's list with what stands above it."""

    stage_id: str
    name: str
    kind: str
    note: str
    """"50 hits of 50 asked · 12 ms"."""
    trouble: str
    """What is wrong with the list; empty when nothing is."""
    gold_ranks: tuple[int, ...]
    has_changes: bool
    """False for a list that nothing is known to have gone into: it has scores only."""
    has_scores: bool
    rows: tuple[ListRow, ...]
    error: str = ""
    """What the stage failed with, as recorded."""


def stage_lists(recorded: RecordedRequest, diagnosis: Diagnosis) -> tuple[StageList, ...]:
    """Every stage with a list, or that should have one, in the flow's order; the prompt last where it is known."""
    by_id = {stage.stage_id: stage for stage in recorded.stages}
    order = [by_id[stage_id] for stage_id in diagnosis.flow.order if stage_id in by_id]
    order += [stage for stage in recorded.stages if stage.stage_id not in diagnosis.flow.order]
    shown = [stage for stage in order if stage.has_list or _lost_its_list(stage)]
    lists = [_stage_list(stage, by_id, diagnosis) for stage in shown]
    prompt = _prompt_list(shown, diagnosis)
    return (*lists, prompt) if prompt else tuple(lists)


def _lost_its_list(stage: Stage) -> bool:
    listing = stage.kind in {StageKind.RETRIEVE, StageKind.FUSE, StageKind.FILTER, StageKind.RERANK}
    return listing and not stage.text


def _stage_list(stage: Stage, by_id: dict[str, Stage], diagnosis: Diagnosis) -> StageList:
    hits = stage.hits or ()
    decimals = amounts.score_decimals([hit.score for hit in hits if hit.score is not None])
    parents = [
        by_id[e.source_id] for e in diagnosis.flow.edges if e.target_id == stage.stage_id and e.source_id in by_id
    ]
    parents = [parent for parent in parents if parent.has_list]
    best = _best_ranks(parents)
    whole = all(parent.completeness in _ALL_RANKS for parent in parents)
    rows = tuple(
        ListRow(
            rank=hit.rank,
            chunk_id=hit.chunk_id,
            score=amounts.score(hit.score, decimals),
            change=_change(hit, best, whole=whole) if parents else "",
            marks=marks.ordered(diagnosis.marks.get(hit.chunk_id, ())),
        )
        for hit in hits
    )
    return StageList(
        stage_id=stage.stage_id,
        name=stage.name,
        kind=stage.kind.value,
        note=list_note(stage),
        trouble=list_trouble(stage),
        gold_ranks=_gold_ranks(stage.stage_id, diagnosis),
        has_changes=bool(parents),
        has_scores=any(hit.score is not None for hit in hits),
        rows=rows,
        error=stage.error or "",
    )


_ALL_RANKS = {Completeness.COMPLETE, Completeness.TEXT_NOT_RECEIVED}


def _best_ranks(parents: list[Stage]) -> dict[str, int]:
    best: dict[str, int] = {}
    for parent in parents:
        for hit in parent.hits or ():
            best[hit.chunk_id] = min(hit.rank, best.get(hit.chunk_id, hit.rank))
    return best


def _change(hit: Hit, best: dict[str, int], *, whole: bool) -> str:
    before = best.get(hit.chunk_id)
    if before is None:
        return NEW if whole else CANNOT_TELL
    return rank_change(before, hit.rank)


def rank_change(before: int, after: int) -> str:
    """ "▲2" from 5 to 3, "▼3" from 1 to 4, "=" where nothing moved."""
    if before == after:
        return "="
    return f"{UP}{before - after}" if before > after else f"{DOWN}{after - before}"


def _gold_ranks(stage_id: str, diagnosis: Diagnosis) -> tuple[int, ...]:
    ranks = {
        point.rank
        for outcome in diagnosis.outcomes
        for point in outcome.path
        if point.stage_id == stage_id and point.rank is not None
    }
    return tuple(sorted(ranks))


def list_note(stage: Stage) -> str:
    """ "50 hits of 50 asked · 12 ms"."""
    if stage.hits is None:
        parts = ["no list recorded"]
    else:
        asked = f" of {stage.top_k:,} asked" if stage.top_k else ""
        parts = [amounts.counted(len(stage.hits), "hit") + asked]
    if stage.duration_ms:
        parts.append(f"{amounts.milliseconds(stage.duration_ms)} ms")
    return " · ".join(parts)


def list_trouble(stage: Stage) -> str:
    """What is known to be wrong with the list, in a few words; empty when nothing is."""
    if stage.outcome is Outcome.ERROR:
        return "failed"
    if stage.outcome is not Outcome.OK:
        return marks.outcome_words(stage.outcome)
    if stage.completeness is Completeness.TOP_MISSING:
        return f"ranks 1–{stage.missing_top} missing" if stage.missing_top > 1 else "rank 1 missing"
    if stage.completeness is Completeness.TRUNCATED:
        of = f" of {stage.length:,}" if stage.length else ""
        return f"cut after rank {max((hit.rank for hit in stage.hits or ()), default=0):,}{of}"
    words = {
        Completeness.REDACTED: "hidden by redaction",
        Completeness.SUPPRESSED: "recording was suppressed",
        Completeness.PARTLY_READABLE: "some hits are not readable",
        Completeness.TEXT_NOT_RECEIVED: "some texts never came",
        Completeness.NOT_RECORDED: "list not recorded",
    }
    return words.get(stage.completeness, "")


def _prompt_list(shown: list[Stage], diagnosis: Diagnosis) -> StageList | None:
    """The context as a list, unless the list of an assemble stage shows the same."""
    context = diagnosis.context
    if not context.known:
        return None
    held = [entry.chunk_id for entry in context.entries]
    for stage in shown:
        same = stage.kind is StageKind.ASSEMBLE and [hit.chunk_id for hit in stage.hits or ()] == held
        if same or stage.stage_id == context.stage_id:
            return None
    rows = tuple(
        ListRow(
            rank=entry.position,
            chunk_id=entry.chunk_id,
            score="" if entry.form is InPrompt.WHOLE else entry.form.value,
            change="",
            marks=marks.ordered(diagnosis.marks.get(entry.chunk_id, ())),
        )
        for entry in context.entries
    )
    positions = sorted({o.position for o in diagnosis.outcomes if o.position is not None})
    return StageList(
        stage_id="prompt",
        name="prompt",
        kind="context",
        note=f"{amounts.counted(len(rows), 'chunk')} in the prompt",
        trouble="",
        gold_ranks=tuple(positions),
        has_changes=False,
        has_scores=False,
        rows=rows,
    )


def first_rows(shown: StageList, count: int = 10) -> tuple[ListRow, ...]:
    """The first `count` recorded rows."""
    return shown.rows[:count]


def around_gold(shown: StageList, reach: int = 4) -> tuple[ListRow, ...]:
    """The rows within `reach` ranks of a gold; the first ten where none is in the list."""
    if not shown.gold_ranks:
        return first_rows(shown)
    return tuple(row for row in shown.rows if any(abs(row.rank - rank) <= reach for rank in shown.gold_ranks))
