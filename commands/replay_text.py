"""Replays and comparisons in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from ..actions.compare import Compared
from ..actions.replay import Replayed
from ..actions.replay_batch import BatchState
from ..model import short_id
from ..model.batch import WORST_FIRST
from ..model.comparison import Difference, Move, StagePair
from ..model.replay import PlaceRan, ReplayOutcome, ReplayStatus
from .table import Column
from .terminal import Terminal

_MOVES_SHOWN = 6
_BATCH = (
    Column("request"),
    Column("outcome"),
    Column("then"),
    Column("now"),
    Column("replay"),
    Column("what happened", shrinks=True),
)


def run_text(replayed: Replayed) -> str:
    """One run: how it ended, what moved, what ran live though it was pinned, what nothing took."""
    return "\n".join(_run_lines(replayed))


def _run_lines(replayed: Replayed) -> Iterator[str]:
    outcome = replayed.outcome
    if outcome.status is not ReplayStatus.DONE:
        yield f"The replay {_ended(outcome)} after {outcome.seconds:.1f} s."
        if outcome.detail:
            yield outcome.detail
    if replayed.compared is not None:
        yield from compared_lines(replayed.compared)
    elif outcome.status is ReplayStatus.DONE:
        yield outcome.detail or "The app answered, and nothing was recorded."
    yield from _stage_lines(outcome)
    yield from outcome.unused
    if outcome.warm:
        yield "It ran in a process that had run other replays; what those left behind may have helped."
    if outcome.output.strip() and outcome.status is not ReplayStatus.DONE:
        yield "What the app printed:"
        yield outcome.output.rstrip()


def _stage_lines(outcome: ReplayOutcome) -> Iterator[str]:
    """Calls that were something else than usual; what is the same of several calls is said once, with how many."""
    lines: Counter[str] = Counter()
    for stage in outcome.stages:
        if stage.ran is PlaceRan.UNMATCHED or stage.note:
            ran = "ran live" if stage.ran is PlaceRan.UNMATCHED else stage.ran.value
            lines[f"{stage.name}: {ran}{f': {stage.note}' if stage.note else ''}"] += 1
    yield from (f"{line} ({count} times)" if count > 1 else line for line, count in lines.items())


def _ended(outcome: ReplayOutcome) -> str:
    return {
        ReplayStatus.FAILED: "failed",
        ReplayStatus.TIMED_OUT: "ran out of time",
        ReplayStatus.CRASHED: "crashed",
        ReplayStatus.REFUSED: "was refused",
        ReplayStatus.DONE: "ended",
    }[outcome.status]


def compared_lines(compared: Compared) -> Iterator[str]:
    """Two requests: the sentence, what differs, and each stage that did something else."""
    said = compared.comparison
    yield said.sentence
    yield f"then: {compared.then.request_id}  {compared.then_headline.verdict.words}"
    yield f"now:  {compared.now.request_id}  {compared.now_headline.verdict.words}"
    for gold in said.golds[1:]:
        yield gold.sentence
    yield from _difference_lines(said.differences, "")
    for pair in said.stages:
        if pair.differs:
            yield from _pair_lines(pair)
    if not said.answer_same:
        yield "answer then: " + (compared.then.answer or "(none)")
        yield "answer now:  " + (compared.now.answer or "(none)")


def _pair_lines(pair: StagePair) -> Iterator[str]:
    if pair.then_id is None or pair.now_id is None:
        yield f"{pair.name}: only {'now' if pair.then_id is None else 'then'}"
        return
    yield f"{pair.name}{' (pinned)' if pair.pinned else ''}: {_moved(pair)}"
    yield from _difference_lines(pair.differences, "  ")


def _difference_lines(differences: Sequence[Difference], indent: str) -> Iterator[str]:
    for one in differences:
        yield f"{indent}{one.what}: {one.then or '(not recorded)'} -> {one.now or '(not recorded)'}"


def _moved(pair: StagePair) -> str:
    moved = [move for move in pair.moves if move.move is not Move.SAME]
    if not moved:
        return "the same list" if pair.moves else "another text"
    first = sorted(moved, key=lambda move: (not move.gold, move.now or move.then or 0))[:_MOVES_SHOWN]
    shown = [f"{'★ ' if move.gold else ''}{move.chunk_id} {move.then or '–'} → {move.now or '–'}" for move in first]
    more = f", and {len(moved) - len(first):,} more" if len(moved) > len(first) else ""
    return f"{', '.join(shown)}{more}"


def batch_table(terminal: Terminal, state: BatchState) -> None:
    """One line a request, what is broken first, and the counts."""
    results = sorted(state.results, key=lambda result: WORST_FIRST.index(result.outcome))
    terminal.table(
        _BATCH,
        [
            (
                short_id(one.request_id),
                one.outcome.words,
                one.then_verdict.replace("_", " "),
                one.now_verdict.replace("_", " "),
                short_id(one.replay_id) if one.replay_id else "",
                one.sentence,
            )
            for one in results
        ],
    )
    counts = [f"{state.row.counts[one]:,} {one.words}" for one in WORST_FIRST if one in state.row.counts]
    left = f" · {len(state.missing):,} not run yet" if state.missing else ""
    terminal.line(f"{' · '.join(counts) or 'nothing ran'}{left} · {state.row.batch.batch_id}")
