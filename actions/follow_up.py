"""Does a question refer back to what was said before? A cautious test on words, used only for a warning.

English in full; of German, French, Spanish, Italian, Portuguese and Dutch the openers and the replies, which say it
by themselves.
"""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?", re.UNICODE)
_OPENERS = ("and ", "but ", "or ", "so ", "also ", "then ", "what about", "how about", "what if i ", "same for", "ok ")
_OTHER_OPENERS = (
    *("und ", "aber ", "oder ", "also ", "was ist mit ", "wie sieht es mit ", "wie ist es mit ", "gilt das "),
    *("et ", "mais ", "ou bien ", "qu'en est-il ", "qu\u2019en est-il "),
    *("y ", "¿y ", "pero ", "¿pero ", "qué tal con ", "¿qué hay de "),
    *("e ", "maar ", "hoe zit het met "),
)
"""Openers of other languages. Not "ma", "mas" and "en": in another of them these begin any question."""
_REPLIES = frozenset(
    {"yes", "no", "yep", "yeah", "nope", "ok", "okay", "sure", "please", "exactly", "right", "correct"}
    | {"ja", "nein", "genau", "bitte", "gerne", "doch", "oui", "non", "si", "d'accord", "sí", "claro", "vale"}
    | {"sì", "certo", "sim", "não", "nee", "graag"}
)
_POINTERS = frozenset(
    {"it", "its", "that", "this", "those", "these", "they", "them", "their", "one", "ones", "there", "he", "she"}
)
_SHORT_WORDS = 8
"""A pointing word in a longer question usually points at something inside it ("is it possible to ...")."""
_EMPTY_IT = re.compile(r"\b(?:is|was|does|can|will) it (?:possible|true|allowed|take|cost|mean|necessary|ok|okay)\b")


def refers_back(question: str) -> bool:
    """Whether it does.

    True for "And a windscreen?", "yes please", "How much is that?", "Und dort?"; False for "Is it possible to pay?".
    """
    folded = " ".join(question.casefold().split())
    words = _WORD.findall(folded)
    if not words:
        return False
    if folded.startswith((*_OPENERS, *_OTHER_OPENERS)) or (len(words) <= 3 and words[0] in _REPLIES):
        return True
    if len(words) > _SHORT_WORDS or _EMPTY_IT.search(folded):
        return False
    return any(word in _POINTERS for word in words)
