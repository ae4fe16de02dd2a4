"""Steps: find question and history, rewrites, the queries of retrievers. Rules 10, 19, 22, 28."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from ...model import Message, Span, StageKind
from ..dialects.json_text import load
from ..dialects.messages import last_of
from ..dialects.talk import Asked, question_in
from .step import LISTED, Step, of_kind

SAID_TO_MODEL: Final = "inferred: the last thing that the user said to the model"
FIRST_QUERY: Final = "inferred: the first query of a retriever"
_BULLET: Final = re.compile(r"^\s*(?:\d{1,2}[.)]|[-*•])\s*")
_NAME: Final = re.compile(r"\A[A-Za-z][A-Za-z -]{0,40}:\s+")
_FENCED: Final = re.compile(r"\s*```\w*\n(?P<inside>.*?)\n?```\s*\Z", re.DOTALL)
_OBSERVED: Final = "Observation:"
"""How agents that write their thoughts down (ReAct) tell the model what a tool found."""
_NO_CONTEXT: Final = 40
"""A chunk's text of fewer characters says nothing about whether a message holds chunks."""


class Question(NamedTuple):
    """A question, what was said before it, and how it is known."""

    asked: Asked = Asked()
    source: str | None = None
    """None: recorded as such."""


def find_question_and_history(steps: Sequence[Step], root: Span | None, limit: int | None = None) -> Question:
    """The question is the last thing that the user said in the input of the root (rule 10), or of the one step below a
    root that says nothing. Without one (rule 19) it is the last thing said to the model that answered, where that is
    not the whole prompt with its chunks, nor cut at the `limit` of texts, else the first query. Inferred ones are
    marked."""
    whole = (step.facts.asked_value for step in steps if step.facts.asked_value is not None)
    for value in whole:
        asked = question_in(value)
        if asked.question is not None:
            return Question(asked)
    for step in outermost(steps, root):
        plain = step.facts.asked_text
        asked = question_in(step.facts.given_value) if plain is None else Asked(plain)
        if asked.question is not None:
            return Question(asked)
    said = _said_to_model(steps)
    text = "" if said is None else said.question or ""
    if said is not None and len(text) != limit and not _holds_chunks(text, steps):
        return Question(said, SAID_TO_MODEL)
    query = next((step.query for step in of_kind(steps, *LISTED) if step.query), None)
    if query is not None:
        return Question(Asked(query), FIRST_QUERY)
    return Question(said, SAID_TO_MODEL) if said is not None else Question()


def outermost(steps: Sequence[Step], root: Span | None) -> list[Step]:
    """The steps that speak for the whole request, the outermost first: they only hold others.

    The root; where nobody knows the root (a web server), those right below it (rule 22); then the only step inside.
    """
    if root is None:
        return [step for step in steps if step.facts.app_root and step.kind is None]
    tops = [step for step in steps if step.parent is None and step.key[0] == root.trace_id]
    top = [step for step in tops if step.span is root] or [step for step in tops if step.facts.app_root] or tops
    found = [step for step in top if step.kind is None and not step.facts.setup]
    for step in tuple(found):
        inner = step.children
        while len(inner) == 1 and inner[0].kind is None:
            found.append(inner[0])
            inner = inner[0].children
    return found


def _said_to_model(steps: Sequence[Step]) -> Asked | None:
    calls = sorted((one for one in of_kind(steps, StageKind.GENERATE) if one.prompt), key=lambda one: one.end_ns)
    for step in reversed(calls):
        messages = step.prompt or ()
        place = _last_said(messages)
        if place is not None:
            before = tuple(
                message for message in messages[:place] if message.role in ("user", "assistant") and message.text
            )
            return Asked(question_in(messages[place].text).question, before)
    return None


def _last_said(messages: tuple[Message, ...]) -> int | None:
    """The place of the last thing that the user said; what a tool found, written in the user's name, is none."""
    place = last_of(messages, "user")
    while place is not None and messages[place].text.startswith(_OBSERVED):
        place = last_of(messages[:place], "user")
    return place


def _holds_chunks(text: str, steps: Sequence[Step]) -> bool:
    """Whether a message is a whole prompt: a retrieved text stands in it, or the beginning of one, if it was cut."""
    return any(
        doc.text is not None and len(doc.text) >= _NO_CONTEXT and doc.text[:_NO_CONTEXT] in text
        for step in steps
        if step.kind in LISTED
        for doc in step.docs or ()
    )


def find_rewrites(steps: Sequence[Step]) -> None:
    """Rule 10: a model call that ended before a retriever began, and whose answer is that retriever's query or has it
    as a line, wrote the query: it is a rewrite and no answer. So is one whose answer was embedded before a search."""
    searches = [step for step in of_kind(steps, *LISTED, StageKind.TOOL) if step.query]
    last = max((step.span.start_ns for step in of_kind(steps, *LISTED)), default=0)
    searches += [step for step in of_kind(steps, StageKind.EMBED) if step.query and step.end_ns <= last]
    for call in of_kind(steps, StageKind.GENERATE):
        if not call.text:
            continue
        lines = _lines(call.text)
        asked = {step.query for step in searches if step.span.start_ns >= call.end_ns}
        queries = tuple(line for line in dict.fromkeys(lines) if line in asked)
        if queries:
            call.kind, call.queries = StageKind.REWRITE, queries


def _lines(text: str) -> list[str]:
    """An answer as the queries that it may be: whole, or line by line, with or without numbers and bullets, a name
    before it ("Standalone question: ..."), or a JSON list, maybe in a code fence."""
    fenced = _FENCED.match(text)
    loaded = load(fenced["inside"] if fenced is not None else text)
    if isinstance(loaded, dict):
        loaded = next((item for item in loaded.values() if isinstance(item, list)), list(loaded.values()))
    if isinstance(loaded, list):
        return [item.strip() for item in loaded if isinstance(item, str)]
    lines = [line.strip() for line in text.splitlines()]
    bare = [_BULLET.sub("", line).strip().strip('"').strip() for line in lines]
    named = [_NAME.sub("", line).strip().strip('"').strip() for line in bare]
    return [text.strip(), *(one for three in zip(lines, bare, named, strict=True) for one in three if one)]


def find_queries(steps: Sequence[Step], question: str | None) -> None:
    """Rule 28: a retriever whose query was not sent has the one of the retriever around it, else the text embedded just
    before it, else the one query of those beside it, else the question where no model was called before. Marked
    inferred. Of a call with several queries nothing is inferred."""
    for step in of_kind(steps, *LISTED):
        if step.query is not None or "queries" in step.facts.notes or (step.documents is None and step.has_failed):
            continue
        found = _around(step) or _embedded(step, steps) or _beside(step, steps)
        if found is None and question and step.kind is StageKind.RETRIEVE and not _may_be_rewritten(step, steps):
            found = question, "the question of the request"
        if found is not None:
            step.query = found[0]
            step.notes["query"] = f"inferred: {found[1]}"


def _may_be_rewritten(step: Step, steps: Sequence[Step]) -> bool:
    calls = of_kind(steps, StageKind.REWRITE, StageKind.GENERATE)
    return any(call.end_ns <= step.span.start_ns for call in calls)


def _around(step: Step) -> tuple[str, str] | None:
    query = next(
        (above.query for above in step.above() if above.kind in (*LISTED, StageKind.TOOL) and above.query), None
    )
    return None if query is None else (query, "that of the step around it")


def _embedded(step: Step, steps: Sequence[Step]) -> tuple[str, str] | None:
    if step.kind is not StageKind.RETRIEVE:
        return None
    family = {step, step.parent}
    texts = [
        one
        for one in of_kind(steps, StageKind.EMBED)
        if one.query and one.parent in family and (one.parent is step or one.end_ns <= step.span.start_ns)
    ]
    return (texts[-1].query or "", "the text that was embedded for it") if texts else None


def _beside(step: Step, steps: Sequence[Step]) -> tuple[str, str] | None:
    queries = {
        one.query for one in of_kind(steps, *LISTED) if one.parent is step.parent and one is not step and one.query
    }
    return (queries.pop() or "", "that of the steps beside it") if len(queries) == 1 else None


def history_of(question: Question) -> tuple[Message, ...]:
    """What was said before the question."""
    return question.asked.history
