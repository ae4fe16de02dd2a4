"""A filter of the list of requests as SQL."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...model.external_id import trace_id_of
from ..requests import RequestFilter
from .like import escaped
from .words import words


class Filtered(NamedTuple):
    """FROM and WHERE of the requests `r` that a filter lets through, and the values to bind, in order."""

    sql: str
    values: list[Any]


def filtered(which: RequestFilter) -> Filtered:
    """The filter as SQL. What is known beside the recording is joined as `s` only where the filter asks for it."""
    found = _conditions(which)
    states = " join request_states s on s.rid = r.rid" if any("s." in sql for sql, _ in found) else ""
    where = " and ".join(sql for sql, _ in found) or "true"
    values = [value for _, values in found for value in values]
    return Filtered(f"from requests r{states} where {where}", values)


def _conditions(which: RequestFilter) -> list[tuple[str, list[Any]]]:
    """Each condition with the values to bind."""
    named = (
        ("r.app = ?", which.app),
        ("r.environment = ?", which.environment),
        ("lower(r.user_id) = lower(?)", which.user),
        ("r.outcome = ?", which.outcome.value if which.outcome is not None else ""),
        ("s.verdict = ?", which.verdict),
        ("r.replay_of = ?", which.replay_of),
        ("r.request_id in (select request_id from current_triages where assigned_to = ?)", which.assigned_to),
    )
    known = (
        ("(s.labelled or s.inherited) = ?", which.labelled),
        ("s.complained = ?", which.complained),
        ("(r.replay_of is not null) = ?", which.replays),
        ("r.start_ns >= ?", which.since_ns),
        ("r.start_ns < ?", which.until_ns),
    )
    found: list[tuple[str, list[Any]]] = [(sql, [value]) for sql, value in named if value]
    found += [(sql, [value]) for sql, value in known if value is not None]
    if which.queue:
        found.append(_in_queue(which.queue))
    found.extend(_has_word(word) for word in which.words.split())
    return found


def _in_queue(queue: str) -> tuple[str, list[Any]]:
    if queue == "open":
        return "r.request_id not in (select request_id from current_triages where state is not null)", []
    return "r.request_id in (select request_id from current_triages where state = ?)", [queue]


def _has_word(word: str) -> tuple[str, list[Any]]:
    """That `word` stands in the question or in the answer, also as a part of a word, or is the id in the app's own log.

    The vocabulary says which words hold its letters; only the requests that have one of them are looked at.
    """
    pattern = f"%{escaped(word)}%"
    sql = "(r.question ilike ? escape '\\' or r.answer ilike ? escape '\\')"
    values: list[Any] = [pattern, pattern]
    own_id = trace_id_of(word)
    pieces = words(word)
    # Only plain words are looked up: folding may change other letters, and then ILIKE alone decides.
    if not (word.isascii() and pieces):
        return f"({sql} or r.trace_id = ?)", [*values, own_id]
    # CASE looks at texts only after the word is known to be there; with AND all texts would be looked at first.
    known = "r.rid in (select w.rid from words w join vocabulary v on v.h = w.h where contains(v.word, ?))"
    found = f"(case when {known} then {sql} else false end or r.trace_id = ?)"
    return found, [max(pieces, key=len), *values, own_id]
