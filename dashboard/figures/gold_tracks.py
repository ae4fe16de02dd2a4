"""What the gold path figure draws: columns, and the tracks of gold, delivered and forbidden chunks through them."""

from __future__ import annotations

from enum import Enum, auto
from typing import Final, NamedTuple

from ...model import Diagnosis, FlowSource, GoldOutcome, Outcome, PointState, RecordedRequest, Stage, StageKind

PROMPT: Final = "prompt"
"""Column id of the context."""
MOST_GOLDS: Final = 5
MOST_DELIVERED: Final = 10
_LEG_STEP: Final = 0.62
_LEVEL_STEP: Final = 1.0
_MAKE_THE_PROMPT: Final = (StageKind.ASSEMBLE, StageKind.GENERATE)


class ColumnState(Enum):
    """What there is to draw of a list."""

    LIST = auto()
    EMPTY = auto()
    FAILED = auto()
    NOT_RECORDED = auto()


class Column(NamedTuple):
    """One stage with a list (or one that should have had one), or the prompt."""

    column_id: str
    name: str
    note: str
    """Second line of the header: "50 hits", "takes 5", "failed"."""
    state: ColumnState
    depth: int
    """Deepest recorded rank; 0 without hits."""
    reach: int
    """How deep it was asked to be, or truly was; at least `depth`."""
    missing_top: int
    x: float


class Spot(NamedTuple):
    """Where a chunk stands in a column. Without a rank it is not in the list, or (`unsure`) not in what is recorded."""

    column_id: str
    rank: int | None
    unsure: bool = False


class Line(NamedTuple):
    """From one column to the next one of the flow; `derived` lines are dotted."""

    source_id: str
    target_id: str
    derived: bool


class GoldTrack(NamedTuple):
    """One gold on its way."""

    label_id: str
    letter: str
    name: str
    spots: tuple[Spot, ...]
    cut_after: str | None
    """Column from which it did not go on, when a cut or the prompt builder left it out."""
    cut_at: int | None
    """How many go on there."""


class ChunkTrack(NamedTuple):
    """A delivered or forbidden chunk on its way."""

    chunk_id: str
    spots: tuple[Spot, ...]


class GoldPath(NamedTuple):
    """Everything that the figure and its table show."""

    columns: tuple[Column, ...]
    lines: tuple[Line, ...]
    golds: tuple[GoldTrack, ...]
    delivered: tuple[ChunkTrack, ...]
    forbidden: tuple[ChunkTrack, ...]

    @property
    def deepest(self) -> int:
        """The deepest rank on the axis, at least 5. What was only asked for counts up to twice what was returned."""
        recorded = max((column.depth for column in self.columns), default=0)
        asked = max((column.reach for column in self.columns), default=0)
        return max(5, recorded, min(asked, 2 * recorded) if recorded else min(asked, 50))

    def column(self, column_id: str) -> Column | None:
        """The column with that id."""
        return next((column for column in self.columns if column.column_id == column_id), None)


def gold_path(recorded: RecordedRequest, diagnosis: Diagnosis) -> GoldPath:
    """The path of every gold through the lists of the request, in the flow's order."""
    stages = _listed(recorded, diagnosis)
    columns = _columns(stages, diagnosis)
    lines = _lines(columns, stages, recorded, diagnosis)
    return GoldPath(
        columns=columns,
        lines=lines,
        golds=tuple(_gold(outcome, place, columns, diagnosis) for place, outcome in enumerate(diagnosis.outcomes)),
        delivered=_delivered(stages, columns, diagnosis),
        forbidden=_forbidden(stages, columns, diagnosis),
    )


def _listed(recorded: RecordedRequest, diagnosis: Diagnosis) -> list[Stage]:
    """The stages with a column: those with a list, and retrievers and list makers that have none but should."""
    by_id = {stage.stage_id: stage for stage in recorded.stages}
    order = [by_id[stage_id] for stage_id in diagnosis.flow.order if stage_id in by_id]
    order += [stage for stage in recorded.stages if stage.stage_id not in diagnosis.flow.order]
    return [stage for stage in order if stage.has_list or _should_have_a_list(stage)]


def _should_have_a_list(stage: Stage) -> bool:
    return stage.kind in {StageKind.RETRIEVE, StageKind.FUSE, StageKind.FILTER, StageKind.RERANK} and not stage.text


def _is_the_context(stage: Stage, diagnosis: Diagnosis) -> bool:
    """Whether the list of an assemble stage is what the prompt column shows already."""
    if stage.kind is not StageKind.ASSEMBLE or not diagnosis.context.known:
        return False
    held = [entry.chunk_id for entry in diagnosis.context.entries]
    return stage.stage_id == diagnosis.context.stage_id or [hit.chunk_id for hit in stage.hits or ()] == held


def _columns(stages: list[Stage], diagnosis: Diagnosis) -> tuple[Column, ...]:
    shown = [stage for stage in stages if not _is_the_context(stage, diagnosis)]
    columns: list[Column] = []
    x = 0.0
    level: int | None = None
    for stage in shown:
        its_level = diagnosis.flow.level.get(stage.stage_id, 0)
        if columns:
            x += _LEG_STEP if its_level == level else _LEVEL_STEP
        level = its_level
        columns.append(_column(stage, x))
    if diagnosis.context.known:
        held = len(diagnosis.context.entries)
        state = ColumnState.LIST if held else ColumnState.EMPTY
        x += _LEVEL_STEP if columns else 0
        columns.append(Column(PROMPT, "prompt", f"takes {held}", state, held, held, 0, x))
    return tuple(columns)


def _column(stage: Stage, x: float) -> Column:
    depth = max((hit.rank for hit in stage.hits or ()), default=0)
    reach = max(depth, stage.length or 0, stage.top_k or 0)
    if stage.outcome is Outcome.ERROR and not stage.hits:
        state, note = ColumnState.FAILED, "failed"
    elif stage.hits is None:
        state, note = ColumnState.NOT_RECORDED, "not recorded"
    elif not stage.hits:
        state, note = ColumnState.EMPTY, "0 hits"
    else:
        state, note = ColumnState.LIST, f"{len(stage.hits):,} {'hit' if len(stage.hits) == 1 else 'hits'}"
    return Column(stage.stage_id, stage.name, note, state, depth, reach, stage.missing_top, x)


def _lines(
    columns: tuple[Column, ...], stages: list[Stage], recorded: RecordedRequest, diagnosis: Diagnosis
) -> tuple[Line, ...]:
    shown = {column.column_id for column in columns}
    contexts = {stage.stage_id for stage in stages if _is_the_context(stage, diagnosis)}
    contexts |= {stage.stage_id for stage in recorded.stages if stage.kind in _MAKE_THE_PROMPT and not stage.has_list}
    lines: dict[tuple[str, str], Line] = {}
    for edge in diagnosis.flow.edges:
        target = PROMPT if edge.target_id in contexts and PROMPT in shown else edge.target_id
        if edge.source_id in shown and target in shown:
            derived = edge.flow_source is FlowSource.DERIVED
            lines.setdefault((edge.source_id, target), Line(edge.source_id, target, derived))
    if PROMPT in shown and not any(line.target_id == PROMPT for line in lines.values()):
        for stage_id in _last_before_the_prompt(columns, lines, diagnosis):
            lines[stage_id, PROMPT] = Line(stage_id, PROMPT, derived=True)
    return tuple(lines.values())


def _last_before_the_prompt(
    columns: tuple[Column, ...], lines: dict[tuple[str, str], Line], diagnosis: Diagnosis
) -> list[str]:
    """Where no line leads into the prompt: the last lists from which its chunks are known to come."""
    sources = {source for source, _ in lines}
    came_from = {place.stage_id for entry in diagnosis.context.entries for place in entry.came_from}
    return [c.column_id for c in columns if c.column_id in came_from and c.column_id not in sources]


def _gold(outcome: GoldOutcome, place: int, columns: tuple[Column, ...], diagnosis: Diagnosis) -> GoldTrack:
    points = {point.stage_id: point for point in outcome.path}
    spots = []
    for column in columns:
        if column.column_id == PROMPT:
            spots.append(Spot(PROMPT, outcome.position))
        elif (point := points.get(column.column_id)) is not None and point.state is not PointState.FAILED:
            spots.append(Spot(column.column_id, point.rank, unsure=point.state is PointState.UNKNOWN))
    lost_into_prompt = outcome.position is None and outcome.lost_at_context and diagnosis.context.known
    return GoldTrack(
        label_id=outcome.label_id,
        letter=chr(ord("A") + place % 26),
        name=outcome.name,
        spots=tuple(spots),
        cut_after=outcome.last_list if lost_into_prompt else None,
        cut_at=outcome.takes if lost_into_prompt else None,
    )


def _ranks(stages: list[Stage]) -> dict[str, dict[str, int]]:
    """Stage id -> chunk id -> rank of its first place."""
    ranks: dict[str, dict[str, int]] = {}
    for stage in stages:
        places = ranks.setdefault(stage.stage_id, {})
        for hit in stage.hits or ():
            places.setdefault(hit.chunk_id, hit.rank)
    return ranks


def _delivered(stages: list[Stage], columns: tuple[Column, ...], diagnosis: Diagnosis) -> tuple[ChunkTrack, ...]:
    gold = {point.chunk_id for outcome in diagnosis.outcomes for point in outcome.path if point.chunk_id}
    ranks = _ranks(stages)
    tracks: list[ChunkTrack] = []
    for entry in diagnosis.context.entries:
        if entry.chunk_id in gold or len(tracks) == MOST_DELIVERED:
            continue
        spots = [
            Spot(column.column_id, rank)
            for column in columns
            if (rank := ranks.get(column.column_id, {}).get(entry.chunk_id)) is not None
        ]
        tracks.append(ChunkTrack(entry.chunk_id, (*spots, Spot(PROMPT, entry.position))))
    return tuple(tracks)


def _forbidden(stages: list[Stage], columns: tuple[Column, ...], diagnosis: Diagnosis) -> tuple[ChunkTrack, ...]:
    ranks = _ranks(stages)
    positions = {entry.chunk_id: entry.position for entry in diagnosis.context.entries}
    tracks = []
    for leak in diagnosis.leaks:
        spots = [
            Spot(column.column_id, rank)
            for column in columns
            if (rank := ranks.get(column.column_id, {}).get(leak.chunk_id)) is not None
        ]
        if leak.chunk_id in positions:
            spots.append(Spot(PROMPT, positions[leak.chunk_id]))
        tracks.append(ChunkTrack(leak.chunk_id, tuple(spots)))
    return tuple(tracks)
