"""The list of complaints: filtered, each with its state, and how many there are in each."""

from __future__ import annotations

from typing import Any

import duckdb

from ...model import Complaint
from ...model.complaint import ComplaintState
from ..complaints import ComplaintFacts, ComplaintFactsPage, ComplaintFilter
from .encoding import loads
from .like import every_word
from .row import rows_of

_QUESTION_LENGTH = 300

_COLUMNS = f"""
select c.body, c.request_id, c.state, r.request_id, left(r.question, {_QUESTION_LENGTH}), coalesce(s.verdict, ''),
    coalesce(s.labelled or s.inherited, false), c.promoted
"""
_JOINED = """
left join requests r on r.request_id = c.request_id
left join request_states s on s.request_id = c.request_id
order by c.at_ns desc, c.complaint_id
"""


def complaint_page(
    cursor: duckdb.DuckDBPyConnection, which: ComplaintFilter, *, limit: int, offset: int
) -> ComplaintFactsPage:
    """A page of the list with its numbers."""
    beside, values = _conditions(which)
    narrowed, more = _narrowed(which)
    where = " and ".join([*beside, *narrowed]) or "true"
    rows = rows_of(
        cursor,
        f"with c as (select * from complaint_states c where {where} "
        f"order by c.at_ns desc, c.complaint_id limit ? offset ?) {_COLUMNS} from c {_JOINED}",
        [*values, *more, limit, offset],
    )
    states = rows_of(
        cursor,
        f"select c.state, count(*), count(*) filter (where {' and '.join(narrowed) or 'true'}) "
        f"from complaint_states c where {' and '.join(beside) or 'true'} group by all",
        [*more, *values],
    )
    counts = {state: count for state, count, _ in states}
    stored = rows_of(cursor, "select count(*), list(distinct owner order by owner) from current_complaints")
    return ComplaintFactsPage(
        rows=tuple(_facts(row) for row in rows),
        matching=sum(matching for _, _, matching in states),
        stored=stored[0][0],
        states={state: counts[state] for state in ComplaintState if state in counts},
        owners=tuple(owner for owner in stored[0][1] or () if owner),
    )


def complaint_facts(cursor: duckdb.DuckDBPyConnection, complaint_id: str) -> ComplaintFacts | None:
    """One complaint with its state."""
    rows = rows_of(
        cursor,
        f"with c as (select * from complaint_states where complaint_id = ?) {_COLUMNS} from c {_JOINED}",
        [complaint_id],
    )
    return _facts(rows[0]) if rows else None


def _conditions(which: ComplaintFilter) -> tuple[list[str], list[Any]]:
    """What narrows the list and its numbers alike."""
    found, values = every_word(which.words, "c.said", "c.complaint_id", "c.who")
    conditions, bound = list(found), list[Any](values)
    for sql, value in (
        ("lower(c.owner) = lower(?)", which.owner or None),
        ("c.app = ?", which.app or None),
        ("c.environment = ?", which.environment or None),
        ("c.at_ns >= ?", which.since_ns),
        ("c.at_ns < ?", which.until_ns),
    ):
        if value is not None:
            conditions.append(sql)
            bound.append(value)
    return conditions, bound


def _narrowed(which: ComplaintFilter) -> tuple[list[str], list[Any]]:
    """What narrows the list alone: the numbers say what else there is."""
    conditions, bound = list[str](), list[Any]()
    if which.open is not None:
        conditions.append(f"c.closed is {'' if which.open else 'not '}null")
    if which.states:
        conditions.append("c.state in (select unnest(?::varchar[]))")
        bound.append([state.value for state in which.states])
    return conditions, bound


def _facts(row: tuple[Any, ...]) -> ComplaintFacts:
    body, request_id, state, stored, question, verdict, labelled, promoted = row
    return ComplaintFacts(
        complaint=Complaint.model_validate({**loads(body), "request_id": request_id}),
        state=ComplaintState(state),
        stored_request=stored,
        question=question,
        verdict=verdict,
        labelled=labelled,
        promoted=promoted,
    )
