"""What the steps of the pass work on: one entry for each span of a request that a dialect knows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from ...model import Message, Outcome, Span, StageInput, StageKind
from ..dialects.facts import Doc, DocList, Facts
from ..dialects.failures import NO_WORDS, error_of
from ..tree import SpanKey

LISTED: Final = frozenset({StageKind.RETRIEVE, StageKind.FUSE, StageKind.FILTER, StageKind.RERANK})
"""Kinds that make a list."""
METHODS: Final = (
    *(".task", ".workflow", ".run", ".retrieve", "._retrieve", ".aretrieve", "._aretrieve"),
    *(".forward", ".aforward", ".__call__", ".acall"),
)
"""Endings of span names that name a method and not the step."""
OPERATIONS: Final = ("vector_db_retrieve ", "execute_task ", "execute_tool ", "invoke_workflow ", "invoke_agent ")
"""Beginnings of span names that say what the step does."""


@dataclass(slots=True, eq=False)
class Step:
    """A span on its way to a stage. The steps of the pass change it; the span and its facts stay as they were read."""

    key: SpanKey
    span: Span
    facts: Facts
    stage_id: str
    kind: StageKind | None
    """None: it only holds others and becomes no stage."""
    name: str
    query: str | None = None
    queries: tuple[str, ...] = ()
    documents: DocList | None = None
    given: tuple[DocList, ...] = ()
    prompt: tuple[Message, ...] | None = None
    text: str | None = None
    inputs: tuple[StageInput, ...] = ()
    notes: dict[str, Any] = field(default_factory=dict)
    parent: Step | None = None
    children: list[Step] = field(default_factory=list)

    @property
    def docs(self) -> tuple[Doc, ...] | None:
        """Its documents; None where no list is known."""
        return None if self.documents is None else self.documents.docs

    @property
    def has_failed(self) -> bool:
        """Whether its span says so, or its writer in other words."""
        return self.span.status == _ERROR or self.facts.error is not None

    @property
    def order(self) -> tuple[int, str, str]:
        """By start, then by ids: the same whatever came first."""
        return self.span.start_ns, self.span.trace_id, self.stage_id

    @property
    def end_ns(self) -> int:
        """Its end; its start where no end came."""
        return self.span.end_ns or self.span.start_ns

    def above(self) -> Iterator[Step]:
        """What is around it, the nearest first."""
        step = self.parent
        while step is not None:
            yield step
            step = step.parent

    def below(self) -> Iterator[Step]:
        """What is inside it, outer before inner."""
        waiting = list(reversed(self.children))
        while waiting:
            step = waiting.pop()
            yield step
            waiting += reversed(step.children)


_ERROR: Final = 2


def make_step(key: SpanKey, span: Span, facts: Facts) -> Step:
    """A step with what its own span says."""
    return Step(
        key=key,
        span=span,
        facts=facts,
        stage_id=span.span_id,
        kind=facts.kind,
        name=short_name(facts.name or span.name),
        query=facts.query,
        documents=facts.documents,
        given=facts.given,
        prompt=facts.prompt,
        text=facts.text,
        notes=dict(facts.notes),
    )


def short_name(name: str) -> str:
    """The name of a step without the method that ran and the operation that it was."""
    short = name
    for operation in OPERATIONS:
        short = short.removeprefix(operation)
    for method in METHODS:
        short = short.removesuffix(method)
    return short.strip() or name


def listed_inside(step: Step) -> list[Step]:
    """The nearest steps inside that make lists, in order; what is inside those is theirs."""
    found: list[Step] = []
    waiting = list(step.children)
    while waiting:
        one = waiting.pop()
        if one.kind in LISTED:
            found.append(one)
        else:
            waiting += one.children
    return sorted(found, key=lambda one: one.order)


def doc_key(doc: Doc) -> str | None:
    """By what a document is the same in two lists of one request; None: nothing is known of it."""
    return doc.chunk_id or (None if doc.text is None else f"text:{doc.text}")


def doc_keys(docs: Sequence[Doc]) -> list[str | None]:
    """The keys of a list, in order."""
    return [doc_key(doc) for doc in docs]


def same_docs(one: Sequence[Doc], two: Sequence[Doc]) -> bool:
    """Whether two lists hold the same documents at the same places, each by id or by text."""
    return len(one) == len(two) and all(
        (a.chunk_id is not None and a.chunk_id == b.chunk_id) or (a.text is not None and a.text == b.text)
        for a, b in zip(one, two, strict=True)
    )


def of_kind(steps: Iterable[Step], *kinds: StageKind) -> list[Step]:
    """The steps of these kinds, by start."""
    return sorted((step for step in steps if step.kind in kinds), key=lambda step: step.order)


def outcome_of(step: Step) -> Outcome:
    """The end of a step by the status of its span, or by what its writer says; without an end it is incomplete."""
    if step.span.end_ns == 0:
        return Outcome.INCOMPLETE
    return Outcome.ERROR if step.has_failed else Outcome.OK


def failure_of(step: Step) -> str | None:
    """What went wrong in a step; None where nothing did."""
    said = error_of(step.span)
    return step.facts.error if said is None or (said == NO_WORDS and step.facts.error) else said
