"""Does a question refer back to what was said before? A cautious test on English words, used only for a warning."""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?", re.UNICODE)
_OPENERS = ("and ", "but ", "or ", "so ", "also ", "then ", "what about", "how about", "what if i ", "same for", "ok ")
_REPLIES = frozenset(
    {"yes", "no", "yep", "yeah", "nope", "ok", "okay", "sure", "please", "exactly", "right", "correct"}
)
_POINTERS = frozenset(
    {"it", "its", "that", "this", "those", "these", "they", "them", "their", "one", "ones", "there", "he", "she"}
)
_SHORT_WORDS = 8
"""A pointing word in a longer question usually points at something inside it ("is it possible to ...")."""
_EMPTY_IT = re.compile(r"\b(?:is|was|does|can|will) it (?:possible|true|allowed|take|cost|mean|necessary|ok|okay)\b")


def refers_back(question: str) -> bool:
    """True for "And a windscreen?", "yes please", "How much is that?"; False for "Is it possible to pay by card?"."""
    folded = " ".join(question.casefold().split())
    words = _WORD.findall(folded)
    if not words:
        return False
    if folded.startswith(_OPENERS) or (len(words) <= 3 and words[0] in _REPLIES):
        return True
    if len(words) > _SHORT_WORDS or _EMPTY_IT.search(folded):
        return False
    return any(word in _POINTERS for word in words)
