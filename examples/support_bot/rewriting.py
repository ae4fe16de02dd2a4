"""Follow-up questions made to stand alone, so that a search needs no history."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .words import words

Turn = dict[str, str]
"""A message of the conversation: {"role": "user", "content": "..."}."""

_LEADS_BACK = re.compile(r"^(and|what about|how about|also|then|ok|yes|no|or)\b", re.IGNORECASE)
_POINTS_BACK = re.compile(r"\b(it|that|this|those|these|they|them|one|ones|there)\b", re.IGNORECASE)
_LEAD_WORDS = re.compile(r"^((and|ok|so|what about|how about|also|then|for|with)\b[\s,]*)+", re.IGNORECASE)
SHORT = 4
"""A question with so few words, stop words not counted, may point back; a longer one stands alone."""


def make_standalone(question: str, history: Sequence[Turn]) -> str:
    """The question with what the user asked before in front of it, if it points back; else the question itself."""
    asked = [turn["content"] for turn in history if turn["role"] == "user"]
    if not asked or not _is_follow_up(question):
        return question
    rest = _LEAD_WORDS.sub("", question).rstrip("?! .")
    return f"{asked[-1].rstrip('?! .')}, {rest}?"


def _is_follow_up(question: str) -> bool:
    few = len(words(question)) <= SHORT
    return few and bool(_LEADS_BACK.search(question) or _POINTS_BACK.search(question))
