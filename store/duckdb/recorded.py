"""Rows as the request that was recorded: the way back of `recording`."""

from __future__ import annotations

from collections import defaultdict
from typing import Any, NamedTuple

import duckdb

from ...model import Hit, Message, RecordedRequest, Request, Stage, StageInput
from .encoding import loads, loads_optional
from .extra import with_extra
from .known import likely_rid, rid_of
from .row import first_row, rows_of
from .rows import RequestRecord, StageRecord
from .texts import ANSWER_KEY, StoredText, stored_hashes, stored_texts

_REQUEST = ", ".join(f'"{name}"' for name in RequestRecord._fields)
_STAGE = ", ".join(f'"{name}"' for name in StageRecord._fields)

_HITS = """
select h.stage, h.place, h.place + 1 + h.rank_ahead, c.chunk_id, v.meta_key, h.score, v.text_key, v.text_state
from (select * from hit_rows where rid = ?) h join chunk_versions v on v.version_key = h.version_key
join chunks c on c.chunk_key = v.chunk_key
"""
_METAS = """
select m.meta_key, m.doc_id, m.parent_id, m.id_source, m.index_name, m.metadata, m.extra
from metas m where m.meta_key in (select unnest(?::bigint[]))
"""


class _HitRow(NamedTuple):
    stage: int
    """0-based place of its stage."""
    place: int
    rank: int
    chunk_id: str
    meta_key: int
    score: float | None
    text_key: int | None
    text_state: str


def recorded_request(cursor: duckdb.DuckDBPyConnection, request_id: str, *, texts: bool) -> RecordedRequest | None:
    """The request as it was composed. Without `texts`, hits have none and texts of stages and prompts are empty."""
    row = _request_row(cursor, likely_rid(request_id))
    if row is None or row.request_id != request_id:
        row = _request_row(cursor, rid_of(cursor, request_id))
    if row is None:
        return None
    stages = rows_of(cursor, f"select {_STAGE} from stages where rid = ?", [row.rid])
    records = sorted((StageRecord(*stage) for stage in stages), key=lambda record: record.place)
    rows = [_HitRow(*hit) for hit in rows_of(cursor, _HITS, [row.rid])]
    keys = {hit.text_key for hit in rows if hit.text_key is not None}
    known = stored_texts(cursor, keys | _numbers_of(records)) if texts else stored_hashes(cursor, keys)
    kinds = {record.place: record.score_kinds for record in records}
    hits = _hits(rows, kinds, _metas(cursor, {hit.meta_key for hit in rows}), known)
    bodies = {key: text.text or "" for key, text in known.items()}
    if texts and row.answer is not None:
        bodies[ANSWER_KEY] = row.answer
    return RecordedRequest(
        request=_request(row),
        stages=tuple(_stage(record, hits.get(record.place, ()), bodies) for record in records),
    )


def _request_row(cursor: duckdb.DuckDBPyConnection, rid: int | None) -> RequestRecord | None:
    found = None if rid is None else first_row(cursor, f"select {_REQUEST} from requests where rid = ?", [rid])
    return None if found is None else RequestRecord(*found)


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


def _hits(
    rows: list[_HitRow],
    kinds: dict[int, str | None],
    metas: dict[int, dict[str, Any]],
    texts: dict[int, StoredText],
) -> dict[int, tuple[Hit, ...]]:
    """Place of a stage -> its hits in the order recorded. `kinds` holds the `score_kinds` of each stage, by place."""
    mixed = {stage: loads(kind) for stage, kind in kinds.items() if kind is not None and kind.startswith("[")}
    nothing = StoredText(None, None)
    found: dict[int, list[Hit]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: row.place):
        text = nothing if row.text_key is None else texts[row.text_key]
        found[row.stage].append(
            Hit(
                rank=row.rank,
                chunk_id=row.chunk_id,
                score=row.score,
                score_kind=mixed[row.stage][row.place] if row.stage in mixed else kinds[row.stage],
                text=text.text,
                text_hash=text.text_hash,
                text_state=row.text_state,
                **metas[row.meta_key],
            )
        )
    return {stage: tuple(hits) for stage, hits in found.items()}


def _metas(cursor: duckdb.DuckDBPyConnection, keys: set[int]) -> dict[int, dict[str, Any]]:
    """Number -> the fields of a hit that its description holds."""
    if not keys:
        return {}
    rows = rows_of(cursor, _METAS, [sorted(keys)])
    return {row[0]: _described(row) for row in rows}


def _described(row: tuple[Any, ...]) -> dict[str, Any]:
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
    found = {record.text_key for record in records if record.text_key is not None} - {ANSWER_KEY}
    for record in records:
        if record.prompt is not None:
            found.update(key for _, key in loads(record.prompt) if key is not None)
    return found
