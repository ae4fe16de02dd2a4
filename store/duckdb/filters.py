"""A filter of the list of requests as SQL."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..requests import RequestFilter
from .like import escaped
from .words import words

FILTERED = """
from requests r join request_states s on s.rid = r.rid
where """


class Conditions(NamedTuple):
    """A WHERE clause over requests `r` and request_states `s`, and the values to bind, in order."""

    sql: str
    values: list[Any]


def conditions_of(which: RequestFilter) -> Conditions:
    """The filter as conditions; an empty one lets everything through."""
    found: list[tuple[str, list[Any]]] = []
    if which.app:
        found.append(("r.app = ?", [which.app]))
    if which.environment:
        found.append(("r.environment = ?", [which.environment]))
    if which.user:
        found.append(("lower(r.user_id) = lower(?)", [which.user]))
    if which.outcome is not None:
        found.append(("r.outcome = ?", [which.outcome.value]))
    if which.verdict:
        found.append(("s.verdict = ?", [which.verdict]))
    if which.labelled is not None:
        found.append(("s.labelled = ?", [which.labelled]))
    if which.complained is not None:
        found.append(("s.complained = ?", [which.complained]))
    if which.since_ns is not None:
        found.append(("r.start_ns >= ?", [which.since_ns]))
    if which.until_ns is not None:
        found.append(("r.start_ns < ?", [which.until_ns]))
    found.extend(_has_word(word) for word in which.words.split())
    if not found:
        return Conditions("true", [])
    return Conditions(" and ".join(sql for sql, _ in found), [value for _, values in found for value in values])


def _has_word(word: str) -> tuple[str, list[Any]]:
    """That `word` stands in the question or in the answer, also as a part of a word.

    The vocabulary says which words hold its letters; only the requests that have one of them are looked at.
    """
    pattern = f"%{escaped(word)}%"
    sql = "(r.question ilike ? escape '\\' or r.answer ilike ? escape '\\')"
    values: list[Any] = [pattern, pattern]
    pieces = words(word)
    # Only plain words are looked up: folding may change other letters, and then ILIKE alone decides.
    if word.isascii() and pieces:
        longest = max(pieces, key=len)
        sql += " and r.rid in (select w.rid from words w join vocabulary v on v.h = w.h where contains(v.word, ?))"
        values.append(longest)
    return f"({sql})", values
