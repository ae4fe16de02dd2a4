"""Two texts by words: what is in both, what went, what came."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final

from ..model.comparison import TextDiffPart

_PIECE: Final = re.compile(r"\s+|\w+|[^\w\s]")
_LONGEST: Final = 3_000
"""Words of one changed passage that are compared one by one; a longer one is shown as gone and come, whole."""
_ALIKE: Final = 0.4
"""Share of the words that two passages have in common, from which on comparing them one by one can be read."""


def text_diff(then: str, now: str) -> tuple[TextDiffPart, ...]:
    """Runs of words with " " (in both), "-" (only then), "+" (only now), in order; joined by "" they give the texts.

    First by lines, then by words inside lines that changed, so that a long prompt takes no longer than its change.
    """
    parts: list[TextDiffPart] = []
    for sign, text in _by_lines(then, now):
        if not text:
            continue
        if parts and parts[-1].sign == sign:
            parts[-1] = TextDiffPart(sign=sign, text=parts[-1].text + text)
        else:
            parts.append(TextDiffPart(sign=sign, text=text))
    return tuple(parts)


def runs(then: Sequence[str], now: Sequence[str]) -> Iterator[tuple[str, Sequence[str]]]:
    """Runs of pieces in order, each with " " (in both), "-" (only then) or "+" (only now); none is empty."""
    for tag, a, b, c, d in SequenceMatcher(None, then, now, autojunk=False).get_opcodes():
        if tag == "equal":
            yield " ", then[a:b]
            continue
        if b > a:
            yield "-", then[a:b]
        if d > c:
            yield "+", now[c:d]


def _by_lines(then: str, now: str) -> Iterator[tuple[str, str]]:
    gone = ""
    for sign, lines in runs(then.splitlines(keepends=True), now.splitlines(keepends=True)):
        text = "".join(lines)
        if sign == "+" and gone:
            yield from _by_words(gone, text)
            gone = ""
            continue
        yield "-", gone
        gone = text if sign == "-" else ""
        if sign != "-":
            yield sign, text
    yield "-", gone


def _by_words(then: str, now: str) -> Iterator[tuple[str, str]]:
    old, new = _PIECE.findall(then), _PIECE.findall(now)
    if len(old) > _LONGEST or len(new) > _LONGEST or not _is_alike(old, new):
        yield from (("-", then), ("+", now))
        return
    for sign, pieces in runs(old, new):
        yield sign, "".join(pieces)


def _is_alike(then: Sequence[str], now: Sequence[str]) -> bool:
    """Whether one is a change of the other. Two other sentences share an "a" and a "the"."""
    old, new = (Counter(piece.casefold() for piece in pieces if piece[0].isalnum()) for pieces in (then, now))
    most = max(old.total(), new.total())
    return most <= 1 or (old & new).total() >= _ALIKE * min(old.total(), new.total()) > 0
