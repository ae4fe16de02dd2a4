"""Which requests an id that was found in a text may mean."""

from __future__ import annotations

import duckdb

from ...model import IdForm, IdMention
from .known import beginning_of, rid_of
from .row import rows_of

_MOST = 20
_NEWEST = f"order by r.start_ns desc, r.request_id limit {_MOST}"

_BY_ID = f"select r.request_id from requests r where r.request_id = ? {_NEWEST}"
_BY_SPAN_OF_TRACE = f"""
select r.request_id from requests r
where r.rid in (select rid from spans where trace_id = ? and span_id = ?) {_NEWEST}
"""
_BY_TRACE = f"""
select r.request_id from requests r
where r.trace_id = ? or r.rid in (select rid from spans where trace_id = ?) {_NEWEST}
"""
_BY_SPAN = f"""
select r.request_id from requests r where r.rid in (select rid from spans where span_id = ?) {_NEWEST}
"""
_BY_BEGINNING = f"""
select r.request_id from requests r where r.id_begin = ? and starts_with(r.request_id, ?) {_NEWEST}
"""
_BY_PREFIX = f"""
select r.request_id from requests r
where starts_with(r.request_id, ?) or r.rid in (
    select rid from spans where starts_with(trace_id, ?) or starts_with(span_id, ?)
) {_NEWEST}
"""


def meant(cursor: duckdb.DuckDBPyConnection, mention: IdMention) -> tuple[str, ...]:
    """Request ids, newest first, at most 20. The first question that has an answer decides."""
    if mention.form is IdForm.REQUEST:
        request_id = f"{mention.trace_id}-{mention.span_id}"
        if rid_of(cursor, request_id) is not None:
            return (request_id,)
    for sql, values in _questions(mention):
        rows = rows_of(cursor, sql, values)
        if rows:
            return tuple(request_id for (request_id,) in rows)
    return ()


def _questions(mention: IdMention) -> list[tuple[str, list[object]]]:
    """What to ask, the most exact first.

    The span of a traceparent may be any span of the request, or one of a web server above it that never came:
    then the trace decides. A request id whose request was joined to another still names one of its spans.
    """
    trace_id, span_id, prefix = mention.trace_id or "", mention.span_id or "", mention.prefix or ""
    if mention.form in {IdForm.REQUEST, IdForm.TRACEPARENT}:
        return [
            (_BY_ID, [f"{trace_id}-{span_id}"]),
            (_BY_SPAN_OF_TRACE, [trace_id, span_id]),
            (_BY_TRACE, [trace_id, trace_id]),
        ]
    if mention.form is IdForm.TRACE:
        return [(_BY_TRACE, [trace_id, trace_id])]
    if mention.form is IdForm.SPAN:
        return [(_BY_SPAN, [span_id]), (_BY_PREFIX, [span_id, span_id, span_id])]
    # Pages show the beginning of the request id; spans are many, and looked through only where no request begins so.
    return [(_BY_BEGINNING, [beginning_of(prefix), prefix]), (_BY_PREFIX, [prefix, prefix, prefix])]
