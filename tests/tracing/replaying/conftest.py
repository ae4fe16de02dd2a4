"""What a stage returned, recorded by the real shim, as the pin of a replay."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import goldrank
import pytest
from goldrank.model import Hit, IdSource, ScoreKind, StageKind, TextState, wire
from goldrank.model.replay import Pin


def pin_of(kept: Any, name: str) -> Pin:
    """The pin of a recorded stage, as planning makes it."""
    texts: dict[tuple[str, int], str] = {}
    for span in kept.spans:
        for scope, row in _rows(span):
            if wire.HIT_TEXT in row:
                texts[scope, row[wire.HIT_TEXT_NUMBER]] = row[wire.HIT_TEXT]
    span = kept.span(name)
    said = dict(span.attributes)
    head = json.loads(said[wire.HITS]) if wire.HITS in said else {}
    queries = json.loads(said[wire.QUERIES]) if wire.QUERIES in said else None
    listed = "hits" in head or "cols" in head
    return Pin(
        stage_id=f"{span.context.span_id:016x}",
        kind=StageKind(said[wire.KIND]),
        name=span.name,
        query=said.get(wire.QUERY),
        shape=said.get(wire.SHAPE) or head.get(wire.HITS_SHAPE),
        hits=tuple(_hit(rank, row, scope, texts) for rank, (scope, row) in enumerate(_rows(span), 1))
        if listed
        else None,
        text=said.get(wire.TEXT),
        texts=None if queries is None else tuple(queries),
    )


def _rows(span: Any) -> list[tuple[str, dict[str, Any]]]:
    said = dict(span.attributes)
    if wire.HITS not in said:
        return []
    head = json.loads(said[wire.HITS])
    rows = wire.rows_of(head["cols"]) if "cols" in head else head.get("hits", [])
    return [(head[wire.HITS_SCOPE], row) for row in rows]


def _hit(rank: int, row: dict[str, Any], scope: str, texts: dict[tuple[str, int], str]) -> Hit:
    text = texts.get((scope, row.get(wire.HIT_TEXT_NUMBER, -1)))
    source = IdSource(row.get(wire.HIT_ID_SOURCE, IdSource.FIELD))
    return Hit(
        rank=rank,
        chunk_id=row.get(wire.HIT_ID, "derived"),
        id_source=source if wire.HIT_ID in row else IdSource.DERIVED,
        doc_id=row.get(wire.HIT_DOC),
        parent_id=row.get(wire.HIT_PARENT),
        score=row.get(wire.HIT_SCORE),
        score_kind=ScoreKind(row.get(wire.HIT_SCORE_KIND, ScoreKind.UNKNOWN)),
        text=text,
        text_state=TextState.NOT_CAPTURED if text is None else TextState.KNOWN,
        metadata=row.get(wire.HIT_METADATA, {}),
    )


@pytest.fixture
def pinned(kept: Any) -> Callable[..., Pin]:
    """The pin of a stage that returned `value`."""

    def pin(value: Any, kind: StageKind = StageKind.RETRIEVE) -> Pin:
        def stage() -> Any:
            return value

        kept.spans.clear()
        decorate = getattr(goldrank, kind.value)
        goldrank.request(name="ask")(lambda question: (decorate(name="it")(stage)(), question)[1])("why?")
        return pin_of(kept, "it")

    return pin
