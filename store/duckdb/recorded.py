"""Rows as the request that was recorded: the way back of `recording`."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import duckdb

from ...model import Hit, Message, RecordedRequest, Request, Stage, StageInput
from .encoding import loads, loads_optional
from .extra import with_extra
from .row import first_row
from .rows import RequestRecord, StageRecord
from .texts import texts_of

_REQUEST = ", ".join(f'"{name}"' for name in RequestRecord._fields)
_STAGE = ", ".join(f'"{name}"' for name in StageRecord._fields)

_HITS = """
select h.stage_id, h.rank, c.chunk_id, h.meta_key, h.score, h.score_kind, h.text_key, t.text_hash, h.text_state
from (select * from hits where rid = ?) h
join chunks c on c.chunk_key = h.chunk_key
left join (select text_key, text_hash from texts) t on t.text_key = h.text_key
order by h.stage_id, h.place
"""
_METAS = """
select m.meta_key, m.doc_id, m.parent_id, m.id_source, m.index_name, m.metadata, m.extra
from metas m where m.meta_key in (select meta_key from hits where rid = ?)
"""


def recorded_request(cursor: duckdb.DuckDBPyConnection, request_id: str, *, texts: bool) -> RecordedRequest | None:
    """The request as it was composed. Without `texts`, hits have none and texts of stages and prompts are empty."""
    found = first_row(
        cursor,
        f"select {_REQUEST} from requests where request_id = ?",
        [request_id],
    )
    if found is None:
        return None
    row = RequestRecord(*found)
    records = [
        StageRecord(*stage)
        for stage in cursor.execute(
            f"select {_STAGE} from stages where rid = ? order by place",
            [row.rid],
        ).fetchall()
    ]
    bodies = texts_of(cursor, _numbers_of(records)) if texts else {}
    hits = _hits(cursor, row.rid, texts=texts)
    return RecordedRequest(
        request=_request(row),
        stages=tuple(_stage(record, hits.get(record.stage_id, ()), bodies) for record in records),
    )


def _request(row: RequestRecord) -> Request:
    groups = loads_optional(row.groups)
    return Request(
        request_id=row.request_id,
        trace_id=row.trace_id,
        provisional=row.provisional,
        app=row.app,
        environment=row.environment,
        app_version=row.app_version,
        question=row.question,
        question_source=row.question_source,
        history=tuple(Message(role=role, text=text) for role, text in loads_optional(row.history) or ()),
        answer=row.answer,
        answer_note=row.answer_note,
        user=row.user_id,
        session=row.session,
        tenant=row.tenant,
        groups=None if groups is None else tuple(groups),
        as_of=row.as_of,
        outcome=row.outcome,
        error=row.error,
        start_ns=row.start_ns,
        end_ns=row.end_ns,
        replay_of=row.replay_of,
        notes=loads_optional(row.notes) or {},
        attributes=loads_optional(row.attributes) or {},
        missing=tuple(loads_optional(row.missing) or ()),
        repaired=row.repaired,
        **with_extra(row.extra),
    )


def _stage(row: StageRecord, hits: tuple[Hit, ...], bodies: dict[int, str]) -> Stage:
    prompt = loads_optional(row.prompt)
    context = loads_optional(row.declared_context)
    return Stage(
        stage_id=row.stage_id,
        kind=row.kind,
        name=row.name,
        parent_id=row.parent_id,
        parent_missing=row.parent_missing,
        start_ns=row.start_ns,
        end_ns=row.end_ns,
        clock_note=row.clock_note,
        outcome=row.outcome,
        error=row.error,
        query=row.query,
        queries=tuple(loads_optional(row.queries) or ()),
        technique=row.technique,
        top_k=row.top_k,
        filters=loads_optional(row.filters),
        index=row.index_name,
        index_version=row.index_version,
        embedding_model=row.embedding_model,
        model=row.model,
        settings=loads_optional(row.settings) or {},
        hits=hits if row.has_list else None,
        length=row.length,
        missing_top=row.missing_top,
        completeness=row.completeness,
        shape=row.shape,
        inputs=tuple(StageInput(stage_id=source, depth=depth) for source, depth in loads_optional(row.inputs) or ()),
        flow_source=row.flow_source,
        text=None if row.text_key is None else bodies.get(row.text_key, ""),
        prompt=None if prompt is None else tuple(Message(role=role, text=bodies.get(key, "")) for role, key in prompt),
        declared_context=None if context is None else tuple(context),
        **with_extra(row.extra),
    )


def _hits(cursor: duckdb.DuckDBPyConnection, rid: int, *, texts: bool) -> dict[str, tuple[Hit, ...]]:
    """Stage id -> its hits in the order recorded."""
    metas = {row[0]: _described(row) for row in cursor.execute(_METAS, [rid]).fetchall()}
    rows = cursor.execute(_HITS, [rid]).fetchall()
    bodies = texts_of(cursor, {row[6] for row in rows if row[6] is not None}) if texts else {}
    found: dict[str, list[Hit]] = defaultdict(list)
    for row in rows:
        found[row[0]].append(
            Hit(
                rank=row[1],
                chunk_id=row[2],
                score=row[4],
                score_kind=row[5],
                text=bodies.get(row[6]),
                text_hash=row[7],
                text_state=row[8],
                **metas[row[3]],
            )
        )
    return {stage_id: tuple(hits) for stage_id, hits in found.items()}


def _described(row: tuple[Any, ...]) -> dict[str, Any]:
    """The fields of a hit that its description holds."""
    return {
        "doc_id": row[1],
        "parent_id": row[2],
        "id_source": row[3],
        "index": row[4],
        "metadata": loads_optional(row[5]) or {},
        **with_extra(row[6]),
    }


def _numbers_of(records: list[StageRecord]) -> set[int]:
    """The numbers of the texts of stages and prompts."""
    found = {record.text_key for record in records if record.text_key is not None}
    for record in records:
        if record.prompt is not None:
            found.update(key for _, key in loads(record.prompt) if key is not None)
    return found
