"""Requests on DuckDB: the list, one request, ids, and what diagnosis said of it."""

from __future__ import annotations

from typing import Any

from ...model import RULES_VERSION, Diagnosis, IdMention, RecordedRequest
from ..requests import Facets, Neighbours, RequestFilter, RequestPage, RequestRow, SpanPage, SpanRow
from .database import Database
from .diagnoses import diagnosis_of, save_diagnosis
from .encoding import loads_optional
from .filters import filtered
from .mentions import meant
from .recorded import recorded_request
from .row import first_row, number
from .spans import SPAN_COLUMNS, received

_QUESTION_LENGTH = 300

_PAGE = f"""
with chosen as (
    select r.rid, count(*) over () as matching {{filtered}} order by r.start_ns desc, r.request_id limit ? offset ?
)
select r.request_id, r.start_ns, left(r.question, {_QUESTION_LENGTH}), r.user_id, r.session, r.app, r.app_version,
    r.environment, r.outcome, r.end_ns, s.verdict, s.gold_path, s.labelled, s.inherited, r.missing, r.replay_of,
    (select list(c.complaint_id order by c.at_ns, c.complaint_id) from current_complaints c
        where c.request_id = r.request_id and c.source <> 'feedback'),
    r.replay_of is null and r.request_id in (select request_id from current_feedback where score < 0),
    t.state, t.assigned_to,
    chosen.matching
from chosen join requests r on r.rid = chosen.rid join request_states s on s.rid = chosen.rid
left join current_triages t on t.request_id = r.request_id
order by r.start_ns desc, r.request_id
"""

_PLACE = """
with chosen as (select r.start_ns, r.request_id {filtered}),
here as (select start_ns, request_id from requests where request_id = ?)
select
    (select count(*) from chosen),
    (select count(*) from chosen c, here h
        where c.start_ns > h.start_ns or (c.start_ns = h.start_ns and c.request_id < h.request_id)),
    (select count(*) from chosen c, here h where c.request_id = h.request_id),
    (select c.request_id from chosen c, here h
        where c.start_ns > h.start_ns or (c.start_ns = h.start_ns and c.request_id < h.request_id)
        order by c.start_ns, c.request_id desc limit 1),
    (select c.request_id from chosen c, here h
        where c.start_ns < h.start_ns or (c.start_ns = h.start_ns and c.request_id > h.request_id)
        order by c.start_ns desc, c.request_id limit 1)
"""


class DuckRequests:
    """`store.Requests` on DuckDB."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def page(self, which: RequestFilter, *, limit: int, offset: int = 0) -> RequestPage:
        chosen = filtered(which)
        with self._database.reading() as cursor:
            stored = number(cursor, "select count(*) from requests")
            rows = cursor.execute(_PAGE.format(filtered=chosen.sql), [*chosen.values, limit, offset]).fetchall()
            if rows:
                matching = rows[0][-1]
            elif offset:  # the page lies behind the end
                matching = number(cursor, f"select count(*) {chosen.sql}", chosen.values)
            else:
                matching = 0
        return RequestPage(rows=tuple(_row(row) for row in rows), matching=matching, stored=stored)

    def get(self, request_id: str, *, texts: bool = True) -> RecordedRequest | None:
        with self._database.reading() as cursor:
            return recorded_request(cursor, request_id, texts=texts)

    def resolve(self, mention: IdMention) -> tuple[str, ...]:
        with self._database.reading() as cursor:
            return meant(cursor, mention)

    def neighbours(self, request_id: str, which: RequestFilter) -> Neighbours:
        chosen = filtered(which)
        with self._database.reading() as cursor:
            row = first_row(cursor, _PLACE.format(filtered=chosen.sql), [*chosen.values, request_id])
        matching, before, here, newer, older = row or (0, 0, 0, None, None)
        return Neighbours(place=before + 1 if here else None, matching=matching, newer=newer, older=older)

    def spans(self, request_id: str, *, limit: int, offset: int = 0) -> SpanPage:
        with self._database.reading() as cursor:
            total = number(
                cursor,
                "select count(*) from spans s join requests q on q.rid = s.rid where q.request_id = ?",
                [request_id],
            )
            rows = cursor.execute(
                f"select {SPAN_COLUMNS} from spans s join requests q on q.rid = s.rid "
                "join resources r on r.resource_key = s.resource_key "
                "where q.request_id = ? order by s.start_ns, s.span_id limit ? offset ?",
                [request_id, limit, offset],
            ).fetchall()
            found = received(cursor, rows)
        return SpanPage(
            rows=tuple(
                SpanRow(
                    span_id=span.span_id,
                    parent_span_id=span.parent_span_id,
                    name=span.name,
                    start_ns=span.start_ns,
                    end_ns=span.end_ns or None,
                    attributes=span.attributes,
                )
                for span in found
            ),
            total=total,
        )

    def facets(self) -> Facets:
        with self._database.reading() as cursor:
            apps = cursor.execute("select distinct app from requests order by app").fetchall()
            environments = cursor.execute("select distinct environment from requests order by environment").fetchall()
            users = number(cursor, "select count(distinct user_id) from requests")
            verdicts = cursor.execute(
                "select s.verdict, count(*) from request_states s join requests r on r.rid = s.rid "
                "where s.verdict <> '' and r.replay_of is null group by all order by all"
            ).fetchall()
        return Facets(
            apps=tuple(app for (app,) in apps if app),
            environments=tuple(environment for (environment,) in environments if environment),
            users=users,
            verdicts=dict(verdicts),
        )

    def labelled_ids(self, among: tuple[str, ...] | None = None) -> tuple[str, ...]:
        wanted = "" if among is None else "request_id in (select unnest(?::varchar[])) and"
        with self._database.reading() as cursor:
            rows = cursor.execute(
                # The condition is one of the two texts above.
                f"select request_id from request_states where {wanted} (labelled or inherited) order by rid",
                [] if among is None else [list(among)],
            ).fetchall()
        return tuple(request_id for (request_id,) in rows)

    def may_be_labelled(self, among: tuple[str, ...]) -> tuple[str, ...]:
        if not among:
            return ()
        with self._database.reading() as cursor:
            rows = cursor.execute(
                "select request_id from requests where (request_id in (select unnest($1::varchar[])) "
                "and (replay_of is not null or request_id in (select request_id from labels) "
                "or case_key in (select case_key from cases))) or replay_of in (select unnest($1::varchar[]))",
                [list(among)],
            ).fetchall()
        return tuple(request_id for (request_id,) in rows)

    def judged_by_older_rules(self) -> tuple[str, ...]:
        with self._database.reading() as cursor:
            rows = cursor.execute(
                "select r.request_id from diagnoses d join requests r on r.rid = d.rid where d.rules_version <> ? "
                "order by r.start_ns desc, r.request_id",
                [RULES_VERSION],
            ).fetchall()
        return tuple(request_id for (request_id,) in rows)

    def with_case_key(self, case_key: str) -> tuple[str, ...]:
        with self._database.reading() as cursor:
            rows = cursor.execute(
                "select request_id from requests where case_key = ? order by start_ns desc, request_id", [case_key]
            ).fetchall()
        return tuple(request_id for (request_id,) in rows)

    def replays_of(self, request_ids: tuple[str, ...]) -> tuple[str, ...]:
        found: dict[str, None] = {}
        with self._database.reading() as cursor:
            newest = list(request_ids)
            while newest:
                rows = cursor.execute(
                    "select request_id from requests where replay_of in (select unnest(?::varchar[])) "
                    "order by start_ns desc, request_id",
                    [newest],
                ).fetchall()
                newest = [one for (one,) in rows if one not in found and one not in request_ids]
                found.update(dict.fromkeys(newest))
        return tuple(found)

    def save_diagnosis(self, diagnosis: Diagnosis, recorded: RecordedRequest | None = None) -> None:
        with self._database.changing() as cursor:
            save_diagnosis(cursor, diagnosis, recorded)

    def diagnosis(self, request_id: str) -> Diagnosis | None:
        with self._database.reading() as cursor:
            return diagnosis_of(cursor, request_id)


def _row(row: tuple[Any, ...]) -> RequestRow:
    start_ns, end_ns, tickets, thumbs_down = row[1], row[9], row[16] or (), row[17]
    return RequestRow(
        request_id=row[0],
        start_ns=start_ns,
        question=row[2],
        user=row[3],
        session=row[4],
        app=row[5],
        app_version=row[6],
        environment=row[7],
        outcome=row[8],
        duration_ms=None if end_ns is None else max(0, end_ns - start_ns) / 1e6,
        verdict=row[10],
        gold_path=row[11],
        labelled=row[12],
        inherited=row[13],
        complaints=(*tickets, "thumbs down") if thumbs_down else tuple(tickets),
        missing=tuple(loads_optional(row[14]) or ()),
        replay_of=row[15],
        queue=row[18] or "",
        assigned_to=row[19],
    )
