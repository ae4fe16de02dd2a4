"""Cohere's reranker as OpenLLMetry sends it: in the keys of a model call.

The documents are the prompts, in their order, and the query is the last one, of a user; each answer names a document by
its place among them, from 0 on, with its score.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from ...model import ScoreKind, Span, TextState
from .documents import read_score
from .facts import Doc
from .lists import by_rank
from .numbered import numbered
from .values import as_text

_ANSWER: Final = re.compile(r"Doc (?P<place>\d{1,6}), Score: (?P<score>[^\s]+)(?:\n(?P<text>.*))?\Z", re.DOTALL)
_KEYS: Final = (("gen_ai.prompt", "gen_ai.completion"), ("llm.prompts", "llm.completions"))


def read_rerank(span: Span) -> dict[str, Any]:
    """Query, the list that was given, and the list that was made, as far as they are there."""
    for of_prompts, of_answers in _KEYS:
        prompts, answers = numbered(span.attributes, of_prompts), numbered(span.attributes, of_answers)
        if prompts or answers:
            texts = {place: text for place, row in prompts.items() if (text := as_text(row.get("content"))) is not None}
            return _read(texts, prompts, answers, dropped=span.dropped_attributes > 0)
    return {}


def _read(
    texts: dict[int, str], prompts: Mapping[int, Any], answers: Mapping[int, Any], *, dropped: bool
) -> dict[str, Any]:
    last = max(prompts, default=-1)
    asked = texts.pop(last, None) if prompts and prompts[last].get("role") == "user" else None
    found: dict[str, Any] = {"query": asked} if asked else {}
    if texts and sorted(texts) == list(range(len(texts))):
        found["given"] = (by_rank({place + 1: _doc(text) for place, text in texts.items()}, dropped=dropped),)
    made = {place + 1: _made(as_text(row.get("content")) or "", texts) for place, row in answers.items()}
    return found | ({"documents": by_rank(made, dropped=dropped)} if made else {})


def _made(answer: str, texts: Mapping[int, str]) -> Doc:
    """One document of the new list; its text is the one that was given at its place."""
    match = _ANSWER.match(answer)
    if match is None:
        return Doc()
    text = match["text"] or texts.get(int(match["place"]))
    score, note = read_score(match["score"])
    return _doc(text)._replace(score=score, score_kind=ScoreKind.RERANK.value, score_note=note)


def _doc(text: str | None) -> Doc:
    return Doc() if text is None else Doc(text=text, text_state=TextState.KNOWN.value)
