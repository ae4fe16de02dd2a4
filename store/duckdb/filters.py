"""A filter of the list of requests as SQL."""

from __future__ import annotations

from typing import Any, NamedTuple

import duckdb

from ...model.external_id import trace_id_of
from ..requests import RequestFilter
from .like import escaped
from .row import first_row
from .states import COMPLAINED, LABELLED
from .words import words

_MOST_KNOWN = 20_000
"""Up to so many requests that have the words are named one by one."""
_TEXTS = "(r.question ilike ? escape '\\' or r.answer ilike ? escape '\\')"
_KNOWN = """
select w.rid from words w join ({terms}) t on t.h = w.h group by w.rid having count(distinct t.n) = {count}
"""
"""Requests that have words which hold the letters of each term, in one pass over the words."""


class Filtered(NamedTuple):
    """FROM and WHERE of the requests `r` that a filter lets through, and the values to bind, in order."""

    sql: str
    values: list[Any]


def filtered(cursor: duckdb.DuckDBPyConnection, which: RequestFilter) -> Filtered:
    """The filter as SQL."""
    found = _conditions(which)
    if said := which.words.split():
        found.append(_has_words(cursor, said))
    where = " and ".join(sql for sql, _ in found) or "true"
    return Filtered(f"from requests r where {where}", [value for _, values in found for value in values])


def _conditions(which: RequestFilter) -> list[tuple[str, list[Any]]]:
    """Each condition with the values to bind."""
    named = (
        ("r.app = ?", which.app),
        ("r.environment = ?", which.environment),
        ("lower(r.user_id) = lower(?)", which.user),
        ("r.outcome = ?", which.outcome.value if which.outcome is not None else ""),
        ("r.replay_of = ?", which.replay_of),
        ("r.request_id in (select request_id from current_triages where assigned_to = ?)", which.assigned_to),
    )
    known = (
        ("(r.replay_of is not null) = ?", which.replays),
        ("r.start_ns >= ?", which.since_ns),
        ("r.start_ns < ?", which.until_ns),
    )
    found: list[tuple[str, list[Any]]] = [(sql, [value]) for sql, value in named if value]
    found += [(sql, [value]) for sql, value in known if value is not None]
    found += [(_in(LABELLED, wanted=wanted), []) for wanted in (which.labelled,) if wanted is not None]
    found += [(_in(COMPLAINED, wanted=wanted), []) for wanted in (which.complained,) if wanted is not None]
    if which.verdict:
        found.append(_has_verdict(which.verdict))
    if which.queue:
        found.append(_in_queue(which.queue))
    return found


def _in(rids: str, *, wanted: bool) -> str:
    return f"r.rid {'' if wanted else 'not '}in ({rids})"


def _has_verdict(verdict: str) -> tuple[str, list[Any]]:
    """A verdict counts where labels do: without any, a request has none."""
    if verdict == "no_label":
        return _in(LABELLED, wanted=False), []
    return f"{_in(LABELLED, wanted=True)} and r.rid in (select rid from diagnoses where verdict = ?)", [verdict]


def _in_queue(queue: str) -> tuple[str, list[Any]]:
    if queue == "open":
        return "r.request_id not in (select request_id from current_triages where state is not null)", []
    return "r.request_id in (select request_id from current_triages where state = ?)", [queue]


def _has_words(cursor: duckdb.DuckDBPyConnection, said: list[str]) -> tuple[str, list[Any]]:
    """That each word stands in the question or in the answer, also as a part of a word, or is the id in the app's log.

    The vocabulary says which words hold its letters; only the requests that have one of them are looked at.
    """
    patterns = [f"%{escaped(word)}%" for word in said]
    sql = " and ".join([_TEXTS] * len(said))
    values: list[Any] = [pattern for pattern in patterns for _ in range(2)]
    known = _known(said)
    if known is not None:
        rids = cursor.execute(f"{known.sql} limit {_MOST_KNOWN + 1}", known.values).fetchnumpy()["rid"].tolist()
        if len(rids) <= _MOST_KNOWN:
            sql, values = f"r.rid in (select unnest(?::bigint[])) and {sql}", [rids, *values]
        else:
            # CASE looks at texts only after the words are known to be there; with AND all would be looked at first.
            sql, values = f"case when r.rid in ({known.sql}) then {sql} else false end", [*known.values, *values]
    own_ids = [trace_id_of(word) for word in said]
    marks = ", ".join("?" * len(said))
    if first_row(cursor, f"select 1 from requests where trace_id in ({marks}) limit 1", own_ids) is None:
        return sql, values
    each = " and ".join([f"({_TEXTS} or r.trace_id = ?)"] * len(said))
    values += own_ids
    values += [value for pattern, own_id in zip(patterns, own_ids, strict=True) for value in (pattern, pattern, own_id)]
    return f"({sql} or case when r.trace_id in ({marks}) then {each} else false end)", values


def _known(said: list[str]) -> Filtered | None:
    """A query for the requests that may have the words. Only plain ones are looked up: folding may change others."""
    pieces = [max(pieces, key=len) for word in said if word.isascii() and (pieces := words(word))]
    if not pieces:
        return None
    terms = " union all ".join(
        f"select {place} as n, h from vocabulary where contains(word, ?)" for place in range(len(pieces))
    )
    return Filtered(_KNOWN.format(terms=terms, count=len(pieces)), pieces)
