"""Step: find flow. Which list went into a step, where the step itself recorded what it was given."""

from __future__ import annotations

from collections.abc import Sequence

from ...model import StageInput
from ..dialects.facts import DocList
from .step import LISTED, Step, doc_keys, of_kind, same_docs


def find_flow(steps: Sequence[Step]) -> None:
    """A list that a step was given is the latest earlier list that begins with the same documents (rules 7, 8: of a
    reranker the list before it), rather one with the same scores too. Two lists that a step was given come from two
    steps, also where these found the same. Where one of them is found nowhere, nothing is said; diagnosis derives
    what it can."""
    listed = [step for step in of_kind(steps, *LISTED) if step.docs]
    for step in listed:
        wanted = [given for given in step.given if given.docs]
        found: list[StageInput] = []
        for given in wanted:
            taken = {one.stage_id for one in found}
            free = [other for other in listed if other.stage_id not in taken]
            source = _source(given, step, free) or _source(given, step, listed)
            if source is not None:
                found.append(source)
        if wanted and len(found) == len(wanted):
            step.inputs = tuple(dict.fromkeys(found))


def _source(given: DocList, step: Step, listed: Sequence[Step]) -> StageInput | None:
    wanted = doc_keys(given.docs or ())
    if None in wanted:
        return None
    bare = any(doc.chunk_id is None for doc in given.docs or ())  # such a one is known by its text
    scores = [doc.score for doc in given.docs or ()]
    latest: StageInput | None = None
    for other in reversed(listed):
        if other is step or other.span.start_ns > step.span.start_ns or other in step.above():
            continue
        docs = other.docs or ()
        if doc_keys(docs)[: len(wanted)] == wanted or (bare and same_docs(docs[: len(wanted)], given.docs or ())):
            depth = len(wanted) if len(wanted) < len(docs) else None
            found = StageInput(stage_id=other.stage_id, depth=depth)
            if None not in scores and [doc.score for doc in docs[: len(wanted)]] == scores:
                return found
            latest = latest or found
    return latest
