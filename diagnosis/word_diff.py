"""Two texts by words: what is in both, what went, what came."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Final

from ..model.comparison import TextDiffPart

_LONGEST: Final = 3_000
"""Words of one changed passage that are compared one by one; a longer one is shown as gone and come, whole."""


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


def _by_lines(then: str, now: str) -> Iterator[tuple[str, str]]:
    old, new = then.splitlines(keepends=True), now.splitlines(keepends=True)
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        before, after = "".join(old[a:b]), "".join(new[c:d])
        if tag == "equal":
            yield " ", before
        elif tag == "replace":
            yield from _by_words(before, after)
        else:
            yield from (("-", before), ("+", after))


def _by_words(then: str, now: str) -> Iterator[tuple[str, str]]:
    old, new = re.findall(r"\s+|\w+|[^\w\s]", then), re.findall(r"\s+|\w+|[^\w\s]", now)
    if len(old) > _LONGEST or len(new) > _LONGEST:
        yield from (("-", then), ("+", now))
        return
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            yield " ", "".join(old[a:b])
        else:
            yield from (("-", "".join(old[a:b])), ("+", "".join(new[c:d])))
