"""The table of hits since each names a version of a chunk, and how the older table becomes it."""

from __future__ import annotations

from typing import Final, NamedTuple

import duckdb

from .columns import insert
from .numbers import digest_of

LARGEST_RANK: Final = 2**62
"""Larger ones are cut: what is added to them and taken away again stays within 64 bits."""
_PORTION: Final = 10_000
"""Requests whose hits are moved at a time: memory is limited."""

_TABLES: Final = """
alter table hits rename to old_hits;

-- A chunk as lists showed it: with the text and the description that it had then.
create table chunk_versions(
    version_key bigint not null, digest blob not null, chunk_key bigint not null, text_key bigint,
    meta_key bigint not null, text_state varchar not null
);
-- `stage` is the stage's place among the request's, `place` the hit's among the list's, both 0-based. `rank_ahead` says
-- by how much the rank is larger than in a list without a hole: nearly always 0.
create table hit_rows(
    rid bigint not null, stage integer not null, place integer not null, rank_ahead bigint not null,
    version_key bigint not null, score double
);
-- Of a list the kind of all its scores, or a JSON list with one for each hit.
alter table stages add column score_kinds varchar;
"""

_OLD_VERSIONS: Final = "select distinct chunk_key, text_key, meta_key, text_state from old_hits order by all"

_MOVE_HITS: Final = f"""
insert into hit_rows
    select h.rid, s.place, h.place, least(greatest(h.rank, -{LARGEST_RANK}), {LARGEST_RANK}) - h.place - 1,
        v.version_key, h.score
    from (select * from old_hits where rid between $first and $last) h
    join (select rid, stage_id, min(place) as place from stages where rid between $first and $last group by all) s
        on s.rid = h.rid and s.stage_id = h.stage_id
    join chunk_versions v on v.chunk_key = h.chunk_key and v.text_key is not distinct from h.text_key
        and v.meta_key = h.meta_key and v.text_state = h.text_state
    order by h.rid, s.place, h.place
"""
_NAME_KINDS: Final = """
update stages set score_kinds = listed.kinds from (
    select rid, stage_id, case when count(distinct score_kind) = 1 then any_value(score_kind)
        else to_json(list(score_kind order by place))::varchar end as kinds
    from old_hits where rid between $first and $last group by rid, stage_id
) listed where listed.rid = stages.rid and listed.stage_id = stages.stage_id
"""
_VIEW: Final = """
drop table old_hits;

-- One row a hit, with all that it says. Rows are written to `hit_rows`.
create view hits as
    select h.rid, s.stage_id, h.place, h.place + 1 + h.rank_ahead as rank, v.chunk_key, v.text_key, v.meta_key,
        h.score,
        case when starts_with(s.score_kinds, '[') then json_extract_string(s.score_kinds, '$[' || h.place || ']')
            else s.score_kinds end as score_kind,
        v.text_state
    from hit_rows h join stages s on s.rid = h.rid and s.place = h.stage
    join chunk_versions v on v.version_key = h.version_key;
"""


class _Version(NamedTuple):
    """A row of `chunk_versions` as it was then: an upgrade does not change with the rows of later releases."""

    version_key: int
    digest: bytes
    chunk_key: int
    text_key: int | None
    meta_key: int
    text_state: str


def move_hits(cursor: duckdb.DuckDBPyConnection) -> None:
    """Makes numbers of what was spelled out in each hit."""
    cursor.execute(_TABLES)
    old = cursor.execute(_OLD_VERSIONS).fetchall()
    insert(cursor, "chunk_versions", [_Version(key, digest_of(*one), *one) for key, one in enumerate(old, 1)])
    rids = [rid for (rid,) in cursor.execute("select rid from requests order by rid").fetchall()]
    for start in range(0, len(rids), _PORTION):
        portion = rids[start : start + _PORTION]
        for sql in (_MOVE_HITS, _NAME_KINDS):
            cursor.execute(sql, {"first": portion[0], "last": portion[-1]})
    cursor.execute(_VIEW)
