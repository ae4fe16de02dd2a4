"""Steps: find context, find answer, find errors. Rules 9, 18."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from ...model import Span, StageKind
from ..dialects.facts import REDACTED
from ..dialects.failures import ERROR_STATUS, error_of
from ..dialects.talk import answer_in, query_in
from ..tree import Tree, span_key
from .asking import outermost
from .step import LISTED, Step, failure_of, of_kind

FROM_MODEL: Final = "inferred: what the last model call answered"
_THOUGHT: Final = re.compile(r"Thought:.*?^(?:Final )?Answer:\s*(?P<answer>\S.*)\Z", re.DOTALL | re.MULTILINE)
"""Agents that write their thoughts down (ReAct) end so."""


class Answer(NamedTuple):
    """An answer and how it is known."""

    text: str | None = None
    source: str | None = None
    """None: recorded as the answer."""
    note: str | None = "not recorded"
    """Why there is none."""


def find_context(steps: Sequence[Step]) -> None:
    """Rule 9: what reached the prompt is found in its own text, so the call that wrote the answer must hold it.

    A call that was recorded without its messages keeps none: the rendered template before it is a stage of its own
    (assemble), and diagnosis reads that one then. A rendered template that is the prompt, letter for letter, is not
    looked at twice.
    """
    prompts = {
        message.text for step in of_kind(steps, StageKind.GENERATE, StageKind.REWRITE) for message in step.prompt or ()
    }
    for step in of_kind(steps, StageKind.ASSEMBLE):
        if step.text in prompts:
            step.notes["prompt"] = "the text that was sent to the model"


def find_answer(steps: Sequence[Step], root: Span | None) -> Answer:
    """The output of the root, or of what speaks for it; else what the last model call that wrote no query answered.

    A step inside that hands on what it was given answers nothing, and neither does one inside a root that failed. While
    the root is missing, a call after which something was searched is taken for no answer: the work goes on.
    """
    whole = [step.facts.answered_value for step in steps if step.facts.answered_value is not None]
    said = next((text for value in whole if (text := answer_in(value)) is not None), None)
    if said is not None:
        return Answer(said, None, None)
    speakers = outermost(steps, root)
    failed = any(step.has_failed for step in speakers)
    for step in speakers:
        text = step.facts.text or answer_in(step.facts.made_value)
        inner = step.parent is not None
        if text is not None and not (inner and (failed or text == query_in(step.facts.given_value))):
            return Answer(text, None, None)
    searched = max((step.span.start_ns for step in of_kind(steps, *LISTED)), default=0) if root is None else 0
    calls = [step for step in of_kind(steps, StageKind.GENERATE) if step.text and step.end_ns > searched]
    calls = [step for step in calls if not any(above.kind in LISTED for above in step.above())]  # it judges passages
    calls += [step for step in of_kind(steps, StageKind.RETRIEVE) if step.text]  # one call that searched and answered
    if calls and not failed:
        text = max(calls, key=lambda step: step.end_ns).text or ""
        thought = _THOUGHT.match(text)
        return Answer(text if thought is None else thought["answer"], FROM_MODEL, None)
    hidden = any(step.facts.made_value == REDACTED for step in speakers)
    return Answer(note="redacted" if hidden else "not recorded")


def failed_below(steps: Sequence[Step], root: Span | None, answer: Answer) -> bool:
    """Whether a request failed though its root says nothing of it: the root is a web server's, which answered with some
    page all the same; everything right below it failed, and nothing was answered."""
    if root is None or root.status or not root.end_ns or answer.text is not None:
        return False
    tops = [step for step in steps if step.parent is None]
    return bool(tops) and all(step.span is not root and step.has_failed for step in tops)


def has_failed_root(steps: Sequence[Step], root: Span | None) -> bool:
    """Whether the writer of the root says in its own words that it failed."""
    return any(step.span is root and step.facts.error is not None for step in steps)


def find_error(steps: Iterable[Step], spans: Iterable[Span], tree: Tree) -> str | None:
    """Rule 18: the error of a request is that of its deepest failed span; those around it only repeat it."""
    said = {step.key: failure_of(step) for step in steps if step.facts.error is not None}
    failed = [span for span in spans if span.status == ERROR_STATUS or span_key(span) in said]
    if not failed:
        return None
    deepest = max(failed, key=lambda span: (_depth(span, tree), -span.start_ns, span.span_id))
    return said.get(span_key(deepest)) or error_of(deepest)


def _depth(span: Span, tree: Tree) -> int:
    depth, key = 0, span_key(span)
    while key in tree.parents:
        key = tree.parents[key]
        depth += 1
    return depth
