"""Stages that failed for good: no retry succeeded, and the error is counted where it arose."""

from __future__ import annotations

from collections.abc import Sequence

from ..model import Stage
from .flow import Graph
from .lists import has_failed


def failures(graph: Graph) -> list[Stage]:
    """Failed stages without a list, in the flow's order.

    Left out: those that a later try (same kind, name and query) made good, and those around a failed stage, which
    only pass its error on.
    """
    stages = [graph.stages[stage_id] for stage_id in graph.flow.order]
    failed = [stage for stage in stages if has_failed(stage) and stage.hits is None and not _made_good(stage, stages)]
    passed_on = {outer for stage in failed for outer in graph.around[stage.stage_id]}
    return [stage for stage in failed if stage.stage_id not in passed_on]


def _made_good(stage: Stage, stages: Sequence[Stage]) -> bool:
    return any(
        (other.kind, other.name, other.query) == (stage.kind, stage.name, stage.query)
        and other.start_ns >= stage.start_ns
        and other.stage_id != stage.stage_id
        and not has_failed(other)
        for other in stages
    )
