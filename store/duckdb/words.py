"""Words of a text, for search: lower case, without accents' encodings or inflection, CJK in pairs of characters."""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections import Counter
from functools import lru_cache

_CJK_LETTERS = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_WORD = re.compile(rf"[{_CJK_LETTERS}]+|[^\W_{_CJK_LETTERS}]+")
_ASCII = {code: chr(code).lower() if chr(code).isalnum() else " " for code in range(128)}
"""For `str.translate`: with it an ASCII text splits into its words in half the time that a pattern takes."""
_CJK = re.compile(f"[{_CJK_LETTERS}]")
_LONGEST = 64
"""Longer runs of letters (base64, say) are cut: nobody types them."""

_STEPS = (
    ("ational", "ate"),
    ("ization", "ize"),
    ("isation", "ise"),
    ("ations", ""),
    ("ation", ""),
    ("ments", ""),
    ("ment", ""),
    ("ings", ""),
    ("ing", ""),
    ("edly", ""),
    ("ied", "y"),
    ("ies", "y"),
    ("ed", ""),
    ("ly", ""),
    ("sses", "ss"),
    ("xes", "x"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("s", ""),
)
"""Endings of English, longest first. Light on purpose: ranking decides, and too much joins different words."""

_SHORTEST_STEM = 3


def words(text: str) -> list[str]:
    """Words as a person would find them, in order, with repetitions: case folded, letters and digits only."""
    if text.isascii():
        return text.translate(_ASCII).split()
    folded = unicodedata.normalize("NFKC", text).casefold()
    found: list[str] = []
    for run in _WORD.findall(folded):
        found.extend(_pairs(run) if _CJK.match(run) else [run])
    return found


def stems(text: str) -> list[str]:
    """The words without their inflection: "Refunds" and "refunded" give "refund"."""
    return [stem(word[:_LONGEST]) for word in words(text)]


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """`word` without a usual English ending; words with digits and short words as they are."""
    if len(word) <= _SHORTEST_STEM or not word.isascii() or not word.isalpha():
        return word
    for ending, instead in _STEPS:
        if not word.endswith(ending) or len(word) - len(ending) < _SHORTEST_STEM:
            continue
        if ending == "s" and word.endswith(("ss", "us", "is")):
            continue
        return _settle(word[: len(word) - len(ending)] + instead)
    return _settle(word)


def word_hash(word: str) -> int:
    """32 bits that stand for a word in the tables. Two words may share them; a match is checked where it matters."""
    return zlib.crc32(word.encode("utf-8", "replace"))


def counted(found: list[str]) -> dict[str, int]:
    """Word -> how often."""
    return dict(Counter(found))


def _settle(root: str) -> str:
    """Joins what endings leave apart: cancel(l)ed, cancel(l)ing, charge and charg(ing), policy and polici."""
    if len(root) > _SHORTEST_STEM and root[-1] == root[-2] and root[-1] not in "aeiouls":
        root = root[:-1]
    if len(root) > _SHORTEST_STEM and root.endswith("ll"):
        root = root[:-1]
    if len(root) > _SHORTEST_STEM and root.endswith("e"):
        root = root[:-1]
    return root[:-1] + "i" if len(root) > _SHORTEST_STEM and root.endswith("y") else root


def _pairs(run: str) -> list[str]:
    """Overlapping pairs of characters: languages written without spaces have no word bounds to find."""
    return [run] if len(run) == 1 else [run[at : at + 2] for at in range(len(run) - 1)]
