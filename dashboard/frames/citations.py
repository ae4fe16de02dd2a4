"""Which chunks of the prompt the answer cites: by the mark that a chunk has in the prompt, by its id or document."""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from ...model import Context, ContextEntry

NOT_CITED = "not cited"
_WORDS = r"(?:source|document|doc|passage|chunk|context|quelle)"
_MARK = re.compile(
    rf"""^[-*•>\#\s]*(?:
        \[(?P<square>[^\[\]\n]{{1,40}})\]
        | 【(?P<lens>[^【】\n]{{1,40}})】
        | <[^<>\n]*?\b(?:id|index|number)\s*=\s*["']?(?P<tag>[^"'\s<>]{{1,40}})
        | {_WORDS}\s*\#?\s*(?P<word>\d{{1,3}})\b
        | \(?(?P<number>[A-Za-z]?\d{{1,3}})[.):]
    )""",
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
"""A mark at the beginning of a line: "[S1]", "【1】", '<doc id="1">', "Source 1:", "1."."""
_CITED = re.compile(
    rf"\[(?P<square>[^\[\]\n]{{1,60}})\]|【(?P<lens>[^【】\n]{{1,60}})】"
    rf"|\((?P<round>[A-Za-z]{{1,3}}\d{{1,3}})\)|\b{_WORDS}\s*\#?\s*(?P<word>\d{{1,3}})\b",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"\s*(?:[,;|]|\band\b|\bund\b)\s*", re.IGNORECASE)
_RANGE = re.compile(r"([A-Za-z]{0,3})(\d{1,3})\s*[-–]\s*\1(\d{1,3})")
_LONGEST_RANGE = 20


class Citation(NamedTuple):
    """What the answer says of one chunk of the prompt."""

    entry: ContextEntry
    words: str
    """ "cited as [S1]", "its id stands in the answer", "not cited"."""


def citations(context: Context, answer: str) -> tuple[Citation, ...]:
    """One for each chunk of the prompt, in its order. Only marks that stand before the chunk in the prompt count;
    where no marks are known, a number that fits the place is named as a guess."""
    cited = _cited(answer)
    marks = _marks(context)
    return tuple(Citation(entry, _words(entry, answer, cited, marks)) for entry in context.entries)


def _words(entry: ContextEntry, answer: str, cited: Counter[str], marks: dict[int, str] | None) -> str:
    mark = (marks or {}).get(entry.position)
    times = cited[_plain(mark)] if mark else 0
    if times:
        return f"cited as [{mark}]" + (f", {times} times" if times > 1 else "")
    if entry.chunk_id in answer:
        return "its id stands in the answer"
    if entry.doc_id and entry.doc_id in answer:
        return "its document is named in the answer"
    if marks is None:
        guess = next((one for one in (f"s{entry.position}", str(entry.position)) if cited[one]), None)
        if guess:
            return f"perhaps cited as [{guess.upper()}], its place in the prompt"
    return NOT_CITED


def _marks(context: Context) -> dict[int, str] | None:
    """Position of a chunk -> its mark in the prompt as written; None where none are known."""
    text = context.prompt_text
    placed = sorted((entry.span, entry.position) for entry in context.entries if entry.span is not None)
    if text is None or not placed:
        return None
    marks: dict[int, str] = {}
    before = 0
    for (start, end), position in placed:
        paragraph = text[before:start].rstrip().rpartition("\n\n")[2]
        found = list(_MARK.finditer(paragraph))
        if found:
            marks[position] = _inside(found[-1])
        before = max(before, end)
    return marks or None


def _cited(answer: str) -> Counter[str]:
    """Marks in the answer -> how often: "[S1, S3]" are two, "[1-3]" three."""
    found: Counter[str] = Counter()
    for match in _CITED.finditer(answer):
        for part in _BETWEEN.split(_inside(match)):
            whole = _RANGE.fullmatch(part.strip())
            if whole and 0 < int(whole[3]) - int(whole[2]) < _LONGEST_RANGE:
                found.update(_plain(f"{whole[1]}{one}") for one in range(int(whole[2]), int(whole[3]) + 1))
            else:
                found[_plain(part)] += 1
    return found


def _inside(match: re.Match[str]) -> str:
    return next(text for text in match.groupdict().values() if text).strip()


def _plain(mark: str) -> str:
    """As two marks are compared: "Source 1", "^1", "1†docs" and "1" are one."""
    text = mark.partition("†")[0].strip().lstrip("^#").casefold()
    return re.sub(rf"^{_WORDS}\s*\#?\s*", "", text) or text
