"""What diagnosis said of a request: the whole of it to show, and rows to filter and count by."""

from __future__ import annotations

from typing import NamedTuple

import duckdb

from ...model import Diagnosis, GoldOutcome, NotFound, PointState, RecordedRequest, Verdict
from .columns import insert
from .encoding import dumps, loads
from .known import rid_of
from .row import first_row
from .texts import texts_of

_CUT = "✕"
_DELIVERED = "✓"


class _DiagnosisRow(NamedTuple):
    rid: int
    verdict: str
    gold_path: str
    rules_version: int
    prompt_stage: str | None
    """The stage whose messages are the prompt that `Context.prompt_text` repeats; it is not kept twice."""
    body: str


class _FindingRow(NamedTuple):
    rid: int
    kind: str
    verdict: str | None
    label_id: str | None
    stage_id: str | None
    detail: str
    certainty: str
    rules_version: int


class _GoldRankRow(NamedTuple):
    rid: int
    label_id: str
    stage_id: str
    rank: int | None
    matched_by: str | None


def save_diagnosis(
    cursor: duckdb.DuckDBPyConnection, diagnosis: Diagnosis, recorded: RecordedRequest | None = None
) -> None:
    """Replaces what is stored of this request."""
    found = first_row(
        cursor,
        "select r.rid, d.rid from requests r left join diagnoses d on d.rid = r.rid where r.request_id = ?",
        [diagnosis.request_id],
    )
    if found is None:
        raise NotFound(f"No request {diagnosis.request_id} is stored, so its diagnosis cannot be kept.")
    rid = int(found[0])
    if found[1] is not None:
        for table in ("diagnoses", "findings", "gold_ranks"):
            cursor.execute(f"delete from {table} where rid = ?", [rid])
    insert(cursor, "diagnoses", [_diagnosis_row(cursor, rid, diagnosis, recorded)])
    insert(cursor, "findings", _finding_rows(rid, diagnosis))
    insert(
        cursor,
        "gold_ranks",
        [
            _GoldRankRow(rid, outcome.label_id, point.stage_id, point.rank, point.matched_by)
            for outcome in diagnosis.outcomes
            for point in outcome.path
        ],
    )


def diagnosis_of(cursor: duckdb.DuckDBPyConnection, request_id: str) -> Diagnosis | None:
    """The diagnosis as it was saved, or None."""
    rid = rid_of(cursor, request_id)
    row = first_row(cursor, "select rid, prompt_stage, body from diagnoses where rid = ?", [rid])
    if row is None:
        return None
    body = loads(row[2])
    if row[1] is not None:
        body["context"]["prompt_text"] = _prompt_of(cursor, row[0], row[1])
    return Diagnosis.model_validate(body)


def gold_path(diagnosis: Diagnosis) -> str:
    """The gold's ranks in one line: "1 · 14 → 2 → 9 ✕5".

    Stages that run beside each other are joined by a dot, later ones by an arrow; "–" is absent, "?" unknown,
    "✕5" lost where five are taken, "✓" delivered. Of several golds the headline's. Empty without any.
    """
    outcome = next(
        (outcome for outcome in diagnosis.outcomes if outcome.finding.verdict is diagnosis.headline.verdict),
        diagnosis.outcomes[0] if diagnosis.outcomes else None,
    )
    if outcome is None:
        return ""
    line = ""
    previous = -1
    for point in outcome.path:
        level = diagnosis.flow.level.get(point.stage_id, 0)
        if line:
            line += " · " if level == previous else " → "
        line += _place(point.state, point.distinct_rank if point.distinct_rank is not None else point.rank)
        previous = level
    return f"{line} {_ending(outcome)}".strip()


def _place(state: PointState, rank: int | None) -> str:
    if state is PointState.FOUND:
        return str(rank)
    return {PointState.ABSENT: "–", PointState.UNKNOWN: "?", PointState.FAILED: "failed"}[state]


def _ending(outcome: GoldOutcome) -> str:
    if outcome.finding.verdict in {Verdict.DELIVERED, Verdict.IGNORED}:
        return _DELIVERED
    if outcome.finding.verdict in {Verdict.UNKNOWN, Verdict.REACHED_LAST_LIST}:
        return "?"
    return _CUT if outcome.takes is None else f"{_CUT}{outcome.takes}"


def _diagnosis_row(
    cursor: duckdb.DuckDBPyConnection, rid: int, diagnosis: Diagnosis, recorded: RecordedRequest | None
) -> _DiagnosisRow:
    body = diagnosis.model_dump(mode="json")
    context = diagnosis.context
    prompt_stage = None
    if context.prompt_text and context.prompt_text == _stage_prompt(cursor, rid, context.stage_id, recorded):
        prompt_stage = context.stage_id
        body["context"]["prompt_text"] = None
    return _DiagnosisRow(
        rid=rid,
        verdict=diagnosis.headline.verdict.value,
        gold_path=gold_path(diagnosis),
        rules_version=diagnosis.rules_version,
        prompt_stage=prompt_stage,
        body=dumps(body),
    )


def _finding_rows(rid: int, diagnosis: Diagnosis) -> list[_FindingRow]:
    version = diagnosis.rules_version
    headline = diagnosis.headline
    rows = [
        _FindingRow(rid, "headline", headline.verdict, None, None, headline.sentence, headline.certainty.value, version)
    ]
    rows.extend(
        _FindingRow(
            rid=rid,
            kind="outcome",
            verdict=outcome.finding.verdict.value,
            label_id=outcome.label_id,
            stage_id=outcome.lost_at,
            detail=outcome.finding.sentence,
            certainty=outcome.finding.certainty.value,
            rules_version=version,
        )
        for outcome in diagnosis.outcomes
    )
    rows.extend(
        _FindingRow(rid, "leak", None, None, place.stage_id, f"{leak.chunk_id}: {leak.reason}", "recorded", version)
        for leak in diagnosis.leaks
        for place in leak.stages
    )
    rows.extend(
        _FindingRow(rid, modifier.kind, None, None, modifier.stage_id, modifier.text, modifier.certainty.value, version)
        for modifier in diagnosis.modifiers
    )
    return rows


def _stage_prompt(
    cursor: duckdb.DuckDBPyConnection, rid: int, stage_id: str | None, recorded: RecordedRequest | None
) -> str | None:
    """As `_prompt_of`, without asking the store where the request is at hand."""
    if recorded is None:
        return _prompt_of(cursor, rid, stage_id)
    messages = next((stage.prompt for stage in recorded.stages if stage.stage_id == stage_id), None)
    return None if messages is None else "\n\n".join(message.text for message in messages)


def _prompt_of(cursor: duckdb.DuckDBPyConnection, rid: int, stage_id: str | None) -> str | None:
    """The messages of a stage's prompt joined by a blank line."""
    row = first_row(cursor, "select prompt from stages where rid = ? and stage_id = ?", [rid, stage_id])
    if row is None or row[0] is None:
        return None
    keys = [key for _, key in loads(row[0])]
    texts = texts_of(cursor, keys)
    return "\n\n".join(texts[key] for key in keys)
