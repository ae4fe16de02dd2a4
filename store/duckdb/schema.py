"""The tables. A migration that was released is never edited: add the next one below it."""

from __future__ import annotations

import os
from datetime import date

import duckdb

from .answer_schema import ANSWERS_AT_HAND
from .complaint_schema import COMPLAINTS_LIVE
from .erasure_schema import ERASURE
from .hit_schema import move_hits
from .migrations import Migrations
from .receivers import RECEIVERS

MIGRATIONS = Migrations()

_TABLES = """
create table resources(resource_key bigint not null, digest blob not null, body varchar not null);

create table spans(
    trace_id varchar not null, span_id varchar not null, parent_span_id varchar, rid bigint not null,
    name varchar not null, kind integer not null, start_ns bigint not null, end_ns bigint not null,
    status integer not null, status_message varchar, resource_key bigint not null, scope varchar not null,
    attributes varchar not null using compression zstd, events varchar using compression zstd, links varchar,
    dropped_attributes bigint not null, dropped_events bigint not null, repaired boolean not null
);

create table requests(
    rid bigint not null, request_id varchar not null, trace_id varchar not null, provisional boolean not null,
    app varchar not null, environment varchar not null, app_version varchar,
    question varchar, question_source varchar, history varchar, answer varchar, answer_note varchar,
    user_id varchar, session varchar, tenant varchar, groups varchar, as_of varchar,
    outcome varchar not null, error varchar, start_ns bigint not null, end_ns bigint, replay_of varchar,
    notes varchar, attributes varchar, missing varchar, repaired boolean not null,
    case_key varchar, extra varchar
);

create table stages(
    rid bigint not null, place integer not null, stage_id varchar not null, kind varchar not null,
    name varchar not null, parent_id varchar, parent_missing boolean not null, start_ns bigint not null,
    end_ns bigint, clock_note varchar, outcome varchar not null, error varchar, query varchar, queries varchar,
    technique varchar, top_k bigint, filters varchar, index_name varchar, index_version varchar,
    embedding_model varchar, model varchar, settings varchar, has_list boolean not null, length bigint,
    missing_top bigint not null, completeness varchar not null, shape varchar, inputs varchar,
    flow_source varchar not null, text_key bigint, prompt varchar, declared_context varchar, extra varchar
);

create table hits(
    rid bigint not null, stage_id varchar not null, place integer not null, rank bigint not null,
    chunk_key bigint not null, text_key bigint, meta_key bigint not null, score double,
    score_kind varchar not null, text_state varchar not null
);

create table chunks(
    chunk_key bigint not null, digest blob not null, app varchar not null, index_name varchar,
    chunk_id varchar not null, name_key bigint not null
);
create table texts(
    text_key bigint not null, digest blob not null, text_hash varchar, text varchar, parts varchar
);
create table metas(
    meta_key bigint not null, digest blob not null, doc_id varchar, parent_id varchar, id_source varchar not null,
    index_name varchar, metadata varchar, extra varchar
);

create table passages(
    passage_key bigint not null, digest blob not null, chunk_key bigint not null, text_key bigint, doc_id varchar,
    words integer not null
);
create table passage_words(h uinteger not null, passage_key bigint not null, tf integer not null);
create table words(h uinteger not null, rid bigint not null, tf integer not null);
create table vocabulary(h uinteger not null, word varchar not null);

create table corpora(
    corpus_key bigint not null, app varchar not null, environment varchar not null, index_name varchar not null,
    version varchar not null, parts integer not null, loaded_ns bigint not null
);
create table corpus_parts(corpus_key bigint not null, part integer not null, digest blob not null);
create table corpus_chunks(
    corpus_key bigint not null, part integer not null, chunk_key bigint not null, text_key bigint,
    searchable_key bigint, meta_key bigint not null, section_path varchar, parent_id varchar,
    previous_id varchar, next_id varchar
);

create table labels(
    place bigint not null, label_id varchar not null, revision integer not null, request_id varchar not null,
    app varchar not null, environment varchar not null, judgement varchar not null, grade integer, evidence integer,
    level varchar not null, chunk_id varchar, doc_id varchar, who varchar not null, at_ns bigint not null,
    removed boolean not null, body varchar not null
);
create table cases(
    place bigint not null, case_id varchar not null, revision integer not null, eval_set varchar not null,
    case_key varchar not null, app varchar not null, question varchar not null, archived boolean not null,
    created_ns bigint not null, found_by varchar not null, body varchar not null
);
create table complaints(
    place bigint not null, complaint_id varchar not null, request_id varchar, app varchar not null,
    at_ns bigint not null, body varchar not null
);
create table feedback(
    place bigint not null, feedback_id varchar not null, request_id varchar not null, app varchar not null,
    score double not null, at_ns bigint not null, body varchar not null
);

create table diagnoses(
    rid bigint not null, verdict varchar not null, gold_path varchar not null, rules_version integer not null,
    prompt_stage varchar, body varchar not null
);
create table findings(
    rid bigint not null, kind varchar not null, verdict varchar, label_id varchar, stage_id varchar,
    detail varchar not null, certainty varchar not null, rules_version integer not null
);
create table gold_ranks(
    rid bigint not null, label_id varchar not null, stage_id varchar not null, rank bigint, matched_by varchar
);

create table ingested(segment varchar not null, upto bigint not null);
create table drops(app varchar not null, pid bigint not null, reason varchar not null, spans bigint not null,
    at_ns bigint not null);
create table bad_frames(segment varchar not null, position bigint not null, reason varchar not null,
    saved_as varchar, at_ns bigint not null);
"""

_VIEWS = """
create view current_labels as
    select *, min(place) over (partition by label_id) as first_place from labels
    qualify row_number() over (partition by label_id order by revision desc) = 1;
create view current_cases as
    select * from cases qualify row_number() over (partition by case_id order by revision desc) = 1;
create view current_complaints as
    select * from complaints qualify row_number() over (partition by complaint_id order by place desc) = 1;
create view current_feedback as
    select * from feedback qualify row_number() over (partition by feedback_id order by place desc) = 1;

-- What a list of requests shows beside the recording. Labels of a request's own come before inherited ones.
create view request_states as
    with own as (select distinct request_id from current_labels where not removed),
    inheritable as (select distinct case_key from current_cases where not archived),
    complained as (
        select request_id from current_complaints where request_id is not null
        union select request_id from current_feedback where score < 0
    )
    select r.rid, r.request_id,
        own.request_id is not null as labelled,
        own.request_id is null and inheritable.case_key is not null as inherited,
        complained.request_id is not null as complained,
        case when own.request_id is null and inheritable.case_key is null then 'no_label'
             when d.verdict is null or d.verdict = 'no_label' then ''
             else d.verdict end as verdict,
        coalesce(d.gold_path, '') as gold_path
    from requests r
    left join own on own.request_id = r.request_id
    left join inheritable on inheritable.case_key = r.case_key
    left join complained on complained.request_id = r.request_id
    left join diagnoses d on d.rid = r.rid;
"""

_QUEUE_AND_BATCHES = """
create table triages(
    place bigint not null, request_id varchar not null, revision integer not null, state varchar,
    assigned_to varchar, at_ns bigint not null, body varchar not null
);
create view current_triages as
    select * from triages qualify row_number() over (partition by request_id order by place desc) = 1;

create table replay_batches(
    place bigint not null, batch_id varchar not null, at_ns bigint not null, body varchar not null
);
create table replay_results(
    place bigint not null, batch_id varchar not null, request_id varchar not null, outcome varchar not null,
    at_ns bigint not null, body varchar not null
);
create view current_replay_results as
    select * from replay_results qualify row_number() over (partition by batch_id, request_id order by place desc) = 1;
"""

_REPLAYS_INHERIT = """
create or replace view request_states as
    with recursive replays as (select rid, request_id, replay_of from requests where replay_of is not null),
    origins(rid, origin, steps) as (
        select rid, replay_of, 1 from replays
        union all
        select o.rid, q.replay_of, o.steps + 1 from origins o join replays q on q.request_id = o.origin
        where o.steps < 16
    ),
    own as (select distinct request_id from current_labels where not removed),
    inheritable as (select distinct case_key from current_cases where not archived),
    -- Replays of a request that has labels of its own, or a case.
    replayed as (
        select o.rid from origins o where o.origin in (select request_id from own)
        union
        select o.rid from origins o join requests q on q.request_id = o.origin
        where q.case_key in (select case_key from inheritable)
    ),
    complained as (select distinct request_id from current_complaints where request_id is not null),
    disliked as (select distinct request_id from current_feedback where score < 0)
    select r.rid, r.request_id,
        own.request_id is not null as labelled,
        own.request_id is null and (inheritable.case_key is not null or replayed.rid is not null) as inherited,
        complained.request_id is not null or (disliked.request_id is not null and r.replay_of is null) as complained,
        case when not labelled and not inherited then 'no_label'
             when d.verdict is null or d.verdict = 'no_label' then ''
             else d.verdict end as verdict,
        coalesce(d.gold_path, '') as gold_path
    from requests r
    left join own on own.request_id = r.request_id
    left join inheritable on inheritable.case_key = r.case_key
    left join replayed on replayed.rid = r.rid
    left join complained on complained.request_id = r.request_id
    left join disliked on disliked.request_id = r.request_id
    left join diagnoses d on d.rid = r.rid;
"""

_SAVED_FILTERS = """
create table saved_filters(
    place bigint not null, name varchar not null, params varchar not null, who varchar not null, at_ns bigint not null,
    removed boolean not null
);
create view current_saved_filters as
    select * from saved_filters qualify row_number() over (partition by name order by place desc) = 1;
"""


_ID_ENDS = """
alter table requests add column id_end bigint;
update requests set id_end = ('0x' || right(request_id, 15))::bigint
    where regexp_full_match(right(request_id, 15), '[0-9a-f]{15}');
"""

_ID_BEGINNINGS = """
alter table requests add column id_begin bigint;
update requests set id_begin = ('0x' || left(request_id, 8))::bigint
    where regexp_full_match(left(request_id, 8), '[0-9a-f]{8}');
"""


@MIGRATIONS.step(date(2026, 11, 30), "the tables of the first release")
def first_tables(cursor: duckdb.DuckDBPyConnection) -> None:
    """Spans, requests, chunks, what people said, what was derived, and how far the spool was read."""
    cursor.execute(_TABLES)
    cursor.execute(_VIEWS)


@MIGRATIONS.step(date(2026, 11, 30), "a queue that people work through, and batches of replays")
def queue_and_batches(cursor: duckdb.DuckDBPyConnection) -> None:
    """What was put off, who looks at what, and what came of requests that were run again."""
    cursor.execute(_QUEUE_AND_BATCHES)


@MIGRATIONS.step(date(2026, 11, 30), "replays inherit from what they replay, and open no complaint")
def replays_inherit(cursor: duckdb.DuckDBPyConnection) -> None:
    """What a list says of a request: a replay is labelled as what it replays is."""
    cursor.execute(_REPLAYS_INHERIT)


@MIGRATIONS.step(date(2026, 11, 30), "complaints have an owner, a closing and a state")
def complaints_live(cursor: duckdb.DuckDBPyConnection) -> None:
    """Columns that lists of complaints are filtered by, and a view that says how far each has come."""
    cursor.execute(COMPLAINTS_LIVE)


@MIGRATIONS.step(date(2026, 11, 30), "lists of requests are kept under a name")
def saved_filters(cursor: duckdb.DuckDBPyConnection) -> None:
    """Filters that people save."""
    cursor.execute(_SAVED_FILTERS)


@MIGRATIONS.step(date(2026, 11, 30), "what was erased does not come back")
def erasure(cursor: duckdb.DuckDBPyConnection) -> None:
    """Tombstones of what was pruned and forgotten, and whether the file still has to be rewritten."""
    cursor.execute(ERASURE)
    cursor.execute("insert into erasure_state values (?, false)", [os.urandom(32)])


@MIGRATIONS.step(date(2026, 11, 30), "receivers report what they took and refused")
def receivers(cursor: duckdb.DuckDBPyConnection) -> None:
    """Counts by receiver, for Status."""
    cursor.execute(RECEIVERS)


@MIGRATIONS.step(date(2026, 11, 30), "a hit is one number of a chunk as it was shown, and takes a third of the bytes")
def chunk_versions(cursor: duckdb.DuckDBPyConnection) -> None:
    """Chunk, text and description of a hit become one number, and its stage is named by place."""
    move_hits(cursor)


@MIGRATIONS.step(date(2026, 11, 30), "a request is found by its id without reading all ids")
def id_ends(cursor: duckdb.DuckDBPyConnection) -> None:
    """The end of each request id as a number."""
    cursor.execute(_ID_ENDS)


@MIGRATIONS.step(date(2026, 11, 30), "answers are searched without unpacking them, and kept once")
def answers_at_hand(cursor: duckdb.DuckDBPyConnection) -> None:
    """The answers of all requests, not packed."""
    cursor.execute(ANSWERS_AT_HAND)


@MIGRATIONS.step(date(2026, 12, 1), "a request is found by the digits that pages show without reading all ids")
def id_beginnings(cursor: duckdb.DuckDBPyConnection) -> None:
    """The first eight digits of each request id as a number."""
    cursor.execute(_ID_BEGINNINGS)
