"""The pass: from the spans of other writers in one request to stages, lists, and what they say of the request.

Run anew from all spans of the request whenever one of them comes; the order in which they came plays no part.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from ...model import Completeness, FlowSource, HitColumns, Outcome, Span, Stage, StageKind, wire
from ..dialects.facts import DocList, Facts
from ..dialects.talk import question_in
from ..dialects.tokens import tokens_of
from ..tree import SpanKey, Tree
from .answering import Answer, failed_below, find_answer, find_context, find_error, has_failed_root
from .asking import Question, find_queries, find_question_and_history, find_rewrites, history_of
from .chunks import columns_of, find_length_limit, indexes_of, share_chunks
from .flow import find_flow
from .kinds import (
    keeps_its_list,
    list_or_unknown,
    name_kinds,
    name_kinds_by_lists,
    open_tools,
    recognise_fuse_and_rerank,
)
from .merging import merge_nested, merge_twins
from .reading import read_steps, split_batches
from .step import LISTED, Step, failure_of, of_kind, outcome_of

LENGTH_HINT: Final = "raise OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT"
_RESOURCE: Final = {"environment": wire.ENVIRONMENT, "app_version": wire.APP_VERSION}
_CALLS: Final = (StageKind.GENERATE, StageKind.REWRITE)
NO_LIST: Final = "what it found is not recorded as a list: return documents with ids, or put @goldrank.retrieve on it"
NO_RETRIEVAL: Final = "no retrieval was recorded: put @goldrank.retrieve on the function that searches"


class Others(NamedTuple):
    """What the spans of other writers say of one request."""

    stages: tuple[tuple[SpanKey, Stage], ...]
    """Each with its outermost span."""
    lists: dict[str, HitColumns]
    """Stage id -> its hits, for every stage with a list."""
    header: dict[str, Any]
    """Fields of the request; those that are not known are absent."""
    missing: tuple[str, ...]
    """What is known to be missing, in words, the name of its stage first."""


def compose_others(
    spans: Sequence[Span], root: Span | None, tree: Tree, own: Sequence[HitColumns] = ()
) -> Others | None:
    """The pass over one request; None where no span of another writer says anything. `own`: our own stages' lists."""
    steps = read_steps(spans, tree)
    if not steps:
        return None
    steps = split_batches(steps)
    name_kinds(steps)
    name_kinds_by_lists(steps)
    steps = merge_nested(merge_twins(steps))
    open_tools(steps)
    recognise_fuse_and_rerank(steps)
    limit = find_length_limit(spans)
    question = find_question_and_history(steps, root, limit)
    find_rewrites(steps)
    find_queries(steps, question.asked.question)
    share_chunks(steps, limit, own)
    find_flow(steps)
    find_context(steps)
    answer = find_answer(steps, root)
    indexes = indexes_of(steps, own)
    found = _build(steps, indexes, question, answer, find_error(steps, spans, tree))
    if _has_no_retrieval(steps, spans):
        found = found._replace(missing=tuple(dict.fromkeys((*found.missing, NO_RETRIEVAL))))
    if failed_below(steps, root, answer) or has_failed_root(steps, root):
        found = found._replace(header=found.header | {"outcome": Outcome.ERROR})
    return found if limit is None else _mark_cut_prompts(found, steps, limit)


def is_setup(spans: Sequence[Span], tree: Tree) -> bool:
    """Rule 22: whether these spans only prepare: nothing was asked, searched or answered, and a dialect says so.

    Embeddings alone fill an index (or are the first of a request to come: then it is one when the others are here).
    """
    found = [facts for span in spans if (facts := tree.facts_of((span.trace_id, span.span_id))) is not None]
    if found and all(facts.kind is StageKind.EMBED for facts in found):
        return True
    if not any(facts.setup for facts in found):
        return False
    if any(facts.kind is not None and facts.kind is not StageKind.EMBED for facts in found):
        return False
    given = [facts.given_value for facts in found if not facts.setup and facts.kind is None]
    return not any(question_in(value).question for value in given if value is not None)


def _build(
    steps: Sequence[Step], indexes: dict[str, str | None], question: Question, answer: Answer, error: str | None
) -> Others:
    stages: list[tuple[SpanKey, Stage]] = []
    lists: dict[str, HitColumns] = {}
    missing: list[str] = []
    for step in steps:
        if step.kind is None:
            continue
        columns = columns_of(step, list_or_unknown(step), indexes) if step.kind in LISTED else None
        if columns is not None:
            lists[step.stage_id] = columns
        stages.append((step.key, _stage(step, has_list=columns is not None)))
        missing += _missing(step)
    return Others(tuple(stages), lists, _header(steps, question, answer, error), tuple(dict.fromkeys(missing)))


def _has_no_retrieval(steps: Sequence[Step], spans: Sequence[Span]) -> bool:
    """Whether a model answered and nobody searched: no step of another writer, and no stage of goldrank's own."""
    if of_kind(steps, *LISTED, StageKind.TOOL) or not of_kind(steps, StageKind.GENERATE):
        return False
    return not any(span.attributes.get(wire.KIND) in _SEARCH_KINDS for span in spans)


_SEARCH_KINDS: Final = frozenset(kind.value for kind in (*LISTED, StageKind.TOOL))


def _mark_cut_prompts(found: Others, steps: Sequence[Step], limit: int) -> Others:
    """Rule 14: of a model call with a text as long as the limit the prompt is not whole."""
    cut = {
        step.stage_id
        for step in of_kind(steps, StageKind.GENERATE, StageKind.REWRITE, StageKind.ASSEMBLE)
        if any(isinstance(value, str) and len(value) == limit for value in step.span.attributes.values())
    }
    stages = tuple(
        (key, stage.model_copy(update={"completeness": Completeness.TRUNCATED}) if stage.stage_id in cut else stage)
        for key, stage in found.stages
    )
    return found._replace(
        stages=stages, missing=(*found.missing, f"texts were cut at {limit} characters: {LENGTH_HINT}")
    )


def _header(steps: Sequence[Step], question: Question, answer: Answer, error: str | None) -> dict[str, Any]:
    found = {
        "question": question.asked.question,
        "question_source": question.source,
        "history": history_of(question),
        "answer": answer.text,
        "session": next((step.facts.session for step in steps if step.facts.session), None),
        "user": next((step.facts.user for step in steps if step.facts.user), None),
        "error": error,
        **{key: _said_where(steps, key) for key in _RESOURCE},
    }
    header: dict[str, Any] = {key: value for key, value in found.items() if value}
    if answer.source is not None:
        header["notes"] = {"answer": answer.source}
    return header | {"answer_note": answer.note}


def _said_where(steps: Sequence[Step], key: str) -> str | None:
    """Environment or version by a key of the writer's own, where the resource, which says it for all, does not."""
    found = next((said for step in steps if (said := getattr(step.facts, key)) is not None), None)
    return None if found is None or any(step.span.resource.get(_RESOURCE[key]) for step in steps) else found


def _stage(step: Step, *, has_list: bool) -> Stage:
    facts, span = step.facts, step.span
    documents = list_or_unknown(step) if step.kind in LISTED else None
    outcome = outcome_of(step)
    notes = dict(step.notes)
    if documents is not None and documents.reason and outcome is not Outcome.ERROR:
        notes["completeness"] = documents.reason
    if step.kind in _CALLS and (tokens := tokens_of(span.attributes)) is not None:
        notes["tokens"] = tokens
    failed = outcome is Outcome.ERROR and not has_list
    return Stage(
        stage_id=step.stage_id,
        kind=step.kind or StageKind.OTHER,
        name=step.name,
        start_ns=span.start_ns,
        end_ns=span.end_ns or None,
        outcome=outcome,
        error=failure_of(step),
        query=step.query,
        queries=step.queries,
        top_k=facts.top_k,
        filters=facts.filters,
        index=facts.searched if step.kind is StageKind.RETRIEVE else None,
        embedding_model=facts.embedding_model,
        model=facts.model,
        settings={},  # given, because a default is copied deeply
        notes=notes,
        hits=() if has_list else None,
        length=None if documents is None else documents.length,
        missing_top=0 if documents is None else documents.missing_top,
        completeness=_completeness(facts, None if failed else documents),
        inputs=step.inputs,
        flow_source=FlowSource.RECORDED if step.inputs else FlowSource.UNKNOWN,
        text=step.text,
        prompt=step.prompt,
    )


def _completeness(facts: Facts, documents: DocList | None) -> Completeness:
    """Of the list; of a model call whether its prompt is whole."""
    if facts.prompt_cut:
        return Completeness.TRUNCATED
    return Completeness.COMPLETE if documents is None else documents.completeness


def _missing(step: Step) -> list[str]:
    """What is not whole about a step's list, in words."""
    if keeps_its_list(step):
        return [f"{step.name}: {NO_LIST}"]
    if step.facts.prompt_cut:
        return [f"{step.name}: {step.facts.prompt_cut}"]
    if step.kind not in LISTED or step.has_failed:
        return []
    reason = list_or_unknown(step).reason
    return [f"{step.name}: {reason}"] if reason else []
