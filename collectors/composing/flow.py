"""Step: find flow. Which list went into a step, where the step itself recorded what it was given."""

from __future__ import annotations

from collections.abc import Sequence

from ...model import StageInput
from ..dialects.facts import DocList
from .step import LISTED, Step, doc_keys, of_kind


def find_flow(steps: Sequence[Step]) -> None:
    """A list that a step was given is the latest earlier list that begins with the same documents (rules 7, 8: of a
    reranker the list before it). Where one of them is found nowhere, nothing is said; diagnosis derives what it can."""
    listed = [step for step in of_kind(steps, *LISTED) if step.docs]
    for step in listed:
        inputs = [_source(given, step, listed) for given in step.given if given.docs]
        found = [one for one in inputs if one is not None]
        if inputs and len(found) == len(inputs):
            step.inputs = tuple(dict.fromkeys(found))


def _source(given: DocList, step: Step, listed: Sequence[Step]) -> StageInput | None:
    wanted = doc_keys(given.docs or ())
    if None in wanted:
        return None
    for other in reversed(listed):
        if other is step or other.span.start_ns > step.span.start_ns or other in step.above():
            continue
        keys = doc_keys(other.docs or ())
        if keys[: len(wanted)] == wanted:
            depth = len(wanted) if len(wanted) < len(keys) else None
            return StageInput(stage_id=other.stage_id, depth=depth)
    return None
