"""Words of a text, as the legs and the reranker count them."""

from __future__ import annotations

import re

_WORD = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_STOP_WORDS = """
a about an and any are as at be been but by can could did do does for from get had has have how i if in into is it its
just me my no not of on or our please so than that the their them then there these they this to up us was we were what
when where which who why will with would you your
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())


def words(text: str) -> list[str]:
    """Lower-case words without stop words, the plural s taken off; a code such as e-4012 stays one word."""
    return [_stem(word) for word in _WORD.findall(text.lower().replace("'s", "")) if word not in STOP_WORDS]


def meanings(text: str) -> list[str]:
    """Words as a model of meaning sees them: every digit becomes 0, since it cannot tell one number from another."""
    return [re.sub(r"\d", "0", word) for word in words(text)]


def _stem(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word
