"""Whether an answer used a passage, as far as its words tell: expected phrases, else citations."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..model import Context, ContextEntry

_MARKER = re.compile(r"([\[(【])([^\[\]()【】\n]{1,120})[\])】]")
_NUMBERED = re.compile(r"[A-Za-z]{0,2}(\d{1,3})")
_SEPARATOR = re.compile(r"\s*[,;]\s*")
_TELLING = 4
"""Characters of a chunk id that may stand in an answer without brackets."""


class Citations(NamedTuple):
    """Which chunks of the context an answer cites."""

    this: bool
    others: tuple[str, ...]
    """Chunk ids, in the context's order."""


def missing_phrases(answer: str, expected: Sequence[str]) -> list[str]:
    """The phrases that the answer does not contain: case and white space do not matter, word boundaries do."""
    folded = _fold(answer)
    return [phrase for phrase in expected if not _has_words(folded, _fold(phrase))]


def citations(answer: str, context: Context, position: int) -> Citations:
    """What the answer cites: by the markers of the prompt, or by chunk ids.

    Where no prompt is recorded, [2] and [S2] are taken for the second chunk of the context.
    """
    markers = _markers(context)
    cited = {
        part
        for match in _MARKER.finditer(answer)
        for part in _SEPARATOR.split(match[2].strip())
        if match[1] != "(" or not part.isdigit()  # "(1) call, (2) write" counts ways, not sources
    }
    this, others = False, []
    for entry in context.entries:
        named = any(_cites(answer, cited, chunk_id) for chunk_id in (entry.chunk_id, *entry.ambiguous_with))
        if named or (markers.get(entry.position, ()) and cited & set(markers[entry.position])):
            this = this or entry.position == position
            others.append(entry)
    beside = dict.fromkeys(entry.chunk_id for entry in others if entry.position != position)
    return Citations(this, tuple(beside))


def _fold(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _has_words(text: str, phrase: str) -> bool:
    if not phrase:
        return True
    before = r"(?<!\w)" if phrase[0].isalnum() else ""
    after = r"(?!\w)" if phrase[-1].isalnum() else ""
    return re.search(before + re.escape(phrase) + after, text) is not None


def _cites(answer: str, cited: set[str], chunk_id: str) -> bool:
    if _NUMBERED.fullmatch(chunk_id):
        return False
    if chunk_id in cited:
        return True
    bounded = rf"(?<![\w#/.-]){re.escape(chunk_id)}(?![\w#/-])"
    return len(chunk_id) >= _TELLING and not chunk_id.isalpha() and re.search(bounded, answer) is not None


def _markers(context: Context) -> Mapping[int, tuple[str, ...]]:
    """Position -> the markers that the prompt puts before that chunk."""
    if context.prompt_text is None:
        return {entry.position: (str(entry.position), f"S{entry.position}") for entry in context.entries}
    placed = [entry for entry in context.entries if entry.span is not None]
    found: dict[int, tuple[str, ...]] = {}
    end = 0
    for entry in placed:
        if entry.position not in found:
            marker = _marker_before(context.prompt_text, entry, end)
            if marker is not None:
                found[entry.position] = (marker,)
        end = max(end, entry.span[1] if entry.span else 0)
    return found


def _marker_before(prompt: str, entry: ContextEntry, end: int) -> str | None:
    """The last bracketed marker between the chunk before and this one, at most 200 characters away."""
    start = entry.span[0] if entry.span else 0
    found = list(_MARKER.finditer(prompt, max(end, start - 200), start))
    names = [match[2].strip() for match in found]
    numbered = [name for name in names if _NUMBERED.fullmatch(name)]
    return (numbered or names or [None])[-1]
