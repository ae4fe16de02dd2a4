"""Requests on DuckDB: the list, one request, ids, and what diagnosis said of it."""

from __future__ import annotations

from typing import NamedTuple

import duckdb

from ...model import RULES_VERSION, Diagnosis, IdMention, RecordedRequest
from ..requests import Facets, Neighbours, RequestFilter, RequestPage, RequestRow, SpanPage, SpanRow
from .database import Database
from .diagnoses import diagnosis_of, save_diagnosis
from .encoding import loads_optional
from .known import remember, rid_of
from .listing import Listing
from .mentions import meant
from .recorded import recorded_request
from .row import number, rows_of
from .spans import SPAN_COLUMNS, received
from .states import LABELLED

_QUESTION_LENGTH = 300

_ROWS = f"""
with chosen as materialized (
    select rid, request_id, start_ns, left(question, {_QUESTION_LENGTH}) as question, user_id, session, app,
        app_version, environment, outcome, end_ns, missing, replay_of, case_key
    from requests where rid in (select unnest(?::bigint[]))
)
select c.*, d.verdict, coalesce(d.gold_path, ''),
    c.request_id in (select request_id from current_labels where not removed),
    coalesce(c.case_key in (select case_key from current_cases where not archived), false),
    (select list(t.complaint_id order by t.at_ns, t.complaint_id) from current_complaints t
        where t.request_id = c.request_id and t.source <> 'feedback'),
    c.replay_of is null and c.request_id in (select request_id from current_feedback where score < 0),
    q.state, q.assigned_to
from chosen c left join diagnoses d on d.rid = c.rid left join current_triages q on q.request_id = c.request_id
order by c.start_ns desc, c.request_id
"""
_INHERITING = f"select rid from ({LABELLED}) where rid in (select unnest(?::bigint[]))"


class _Row(NamedTuple):
    """A row of _ROWS."""

    rid: int
    request_id: str
    start_ns: int
    question: str | None
    user: str | None
    session: str | None
    app: str
    app_version: str | None
    environment: str
    outcome: str
    end_ns: int | None
    missing: str | None
    replay_of: str | None
    case_key: str | None
    verdict: str | None
    gold_path: str
    labelled: bool
    has_case: bool
    tickets: list[str] | None
    thumbs_down: bool
    state: str | None
    assigned_to: str | None


_VERDICTS = f"""
with labelled as materialized ({LABELLED}),
counted as (
    select coalesce(d.verdict, 'no_label') as verdict, count(*) as n
    from requests r join labelled l on l.rid = r.rid left join diagnoses d on d.rid = r.rid
    where r.replay_of is null group by all
)
select verdict, n from counted where verdict <> 'no_label'
union all
select 'no_label', n from (
    select (select count(*) from requests where replay_of is null) - (select coalesce(sum(n), 0) from counted) as n
) where n > 0
order by all
"""
"""A request with labels and no verdict yet counts nowhere."""


class DuckRequests:
    """`store.Requests` on DuckDB."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def page(self, which: RequestFilter, *, limit: int, offset: int = 0) -> RequestPage:
        with self._database.reading() as cursor:
            stored = number(cursor, "select count(*) from requests")
            listed = Listing.of(cursor, which)
            rids = [one.rid for one in listed.slice(cursor, offset, offset + limit)]
            rows = [_Row(*row) for row in rows_of(cursor, _ROWS, [rids])] if rids else []
            inheriting = {row.rid for row in rows if row.has_case} | _inheriting_replays(cursor, rows)
        remember((row.request_id, row.rid) for row in rows)
        shown = tuple(_shown(row, inherited=row.rid in inheriting and not row.labelled) for row in rows)
        return RequestPage(rows=shown, matching=len(listed), stored=stored)

    def get(self, request_id: str, *, texts: bool = True) -> RecordedRequest | None:
        with self._database.reading() as cursor:
            return recorded_request(cursor, request_id, texts=texts)

    def resolve(self, mention: IdMention) -> tuple[str, ...]:
        with self._database.reading() as cursor:
            return meant(cursor, mention)

    def neighbours(self, request_id: str, which: RequestFilter) -> Neighbours:
        with self._database.reading() as cursor:
            listed = Listing.of(cursor, which)
            rid = rid_of(cursor, request_id)
            if rid is None:
                return Neighbours(place=None, matching=len(listed), newer=None, older=None)
            start_ns = number(cursor, "select start_ns from requests where rid = ?", [rid])
            place = listed.place(cursor, start_ns, request_id)
            newer = listed.slice(cursor, place.before - 1, place.before)
            behind = place.before + place.is_there
            older = listed.slice(cursor, behind, behind + 1)
        return Neighbours(
            place=place.before + 1 if place.is_there else None,
            matching=len(listed),
            newer=newer[0].request_id if newer else None,
            older=older[0].request_id if older else None,
        )

    def spans(self, request_id: str, *, limit: int, offset: int = 0) -> SpanPage:
        with self._database.reading() as cursor:
            rid = rid_of(cursor, request_id)
            if rid is None:
                return SpanPage(rows=(), total=0)
            total = number(cursor, "select count(*) from spans where rid = ?", [rid])
            rows = rows_of(
                cursor,
                f"select {SPAN_COLUMNS} from (select * from spans where rid = ?) s "
                "join resources r on r.resource_key = s.resource_key "
                "order by s.start_ns, s.span_id limit ? offset ?",
                [rid, limit, offset],
            )
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
            apps = rows_of(cursor, "select distinct app from requests order by app")
            environments = rows_of(cursor, "select distinct environment from requests order by environment")
            users = number(cursor, "select count(distinct user_id) from requests")
            verdicts = rows_of(cursor, _VERDICTS)
        return Facets(
            apps=tuple(app for (app,) in apps if app),
            environments=tuple(environment for (environment,) in environments if environment),
            users=users,
            verdicts=dict(verdicts),
        )

    def labelled_ids(self, among: tuple[str, ...] | None = None) -> tuple[str, ...]:
        wanted, values = (
            ("", []) if among is None else ("and request_id in (select unnest(?::varchar[]))", [list(among)])
        )
        with self._database.reading() as cursor:
            rows = rows_of(
                cursor,
                # The condition is one of the two texts above.
                f"select request_id from requests where rid in ({LABELLED}) {wanted} order by rid",
                values,
            )
        return tuple(request_id for (request_id,) in rows)

    def may_be_labelled(self, among: tuple[str, ...]) -> tuple[str, ...]:
        if not among:
            return ()
        with self._database.reading() as cursor:
            rows = rows_of(
                cursor,
                "select request_id from requests where (request_id in (select unnest($1::varchar[])) "
                "and (replay_of is not null or request_id in (select request_id from labels) "
                "or case_key in (select case_key from cases))) or replay_of in (select unnest($1::varchar[]))",
                [list(among)],
            )
        return tuple(request_id for (request_id,) in rows)

    def judged_by_older_rules(self) -> tuple[str, ...]:
        with self._database.reading() as cursor:
            rows = rows_of(
                cursor,
                "select r.request_id from diagnoses d join requests r on r.rid = d.rid where d.rules_version <> ? "
                "order by r.start_ns desc, r.request_id",
                [RULES_VERSION],
            )
        return tuple(request_id for (request_id,) in rows)

    def with_case_key(self, case_key: str) -> tuple[str, ...]:
        with self._database.reading() as cursor:
            rows = rows_of(
                cursor,
                "select request_id from requests where case_key = ? order by start_ns desc, request_id",
                [case_key],
            )
        return tuple(request_id for (request_id,) in rows)

    def replays_of(self, request_ids: tuple[str, ...]) -> tuple[str, ...]:
        found: dict[str, None] = {}
        with self._database.reading() as cursor:
            newest = list(request_ids)
            while newest:
                rows = rows_of(
                    cursor,
                    "select request_id from requests where replay_of in (select unnest(?::varchar[])) "
                    "order by start_ns desc, request_id",
                    [newest],
                )
                newest = [one for (one,) in rows if one not in found and one not in request_ids]
                found.update(dict.fromkeys(newest))
        return tuple(found)

    def save_diagnosis(self, diagnosis: Diagnosis, recorded: RecordedRequest | None = None) -> None:
        with self._database.changing() as cursor:
            save_diagnosis(cursor, diagnosis, recorded)

    def diagnosis(self, request_id: str) -> Diagnosis | None:
        with self._database.reading() as cursor:
            return diagnosis_of(cursor, request_id)


def _inheriting_replays(cursor: duckdb.DuckDBPyConnection, rows: list[_Row]) -> set[int]:
    """Those that replay a request which has labels."""
    replays = [row.rid for row in rows if row.replay_of is not None]
    return {rid for (rid,) in rows_of(cursor, _INHERITING, [replays])} if replays else set()


def _shown(row: _Row, *, inherited: bool) -> RequestRow:
    verdict = row.verdict if row.verdict not in (None, "no_label") else ""
    return RequestRow(
        request_id=row.request_id,
        start_ns=row.start_ns,
        question=row.question,
        user=row.user,
        session=row.session,
        app=row.app,
        app_version=row.app_version,
        environment=row.environment,
        outcome=row.outcome,
        duration_ms=None if row.end_ns is None else max(0, row.end_ns - row.start_ns) / 1e6,
        verdict=verdict or "" if row.labelled or inherited else "no_label",
        gold_path=row.gold_path,
        labelled=row.labelled,
        inherited=inherited,
        complaints=(*(row.tickets or ()), "thumbs down") if row.thumbs_down else tuple(row.tickets or ()),
        missing=tuple(loads_optional(row.missing) or ()),
        replay_of=row.replay_of,
        queue=row.state or "",
        assigned_to=row.assigned_to,
    )
