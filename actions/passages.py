"""From the names that people type or click to labelled passages."""

from __future__ import annotations

from ..model import (
    Chunk,
    Hit,
    Judgement,
    Label,
    LabelTarget,
    Level,
    RecordedRequest,
    TextState,
    UsageError,
    text_hash,
)
from ..store import Store

DOCUMENT_PREFIX = "doc:"
"""Marks a document where a person types the name of a passage: `doc:refunds`."""

ASKED = "asked"
"""Stands in the place of a person where a gold was only asked about."""


def asked_labels(store: Store, recorded: RecordedRequest, gold: tuple[LabelTarget, ...]) -> tuple[Label, ...]:
    """Gold labels for passages that nobody has labelled, each with an evidence number of its own. Nothing is saved."""
    return tuple(
        Label(
            label_id=f"asked-{number}",
            request_id=recorded.request.request_id,
            app=recorded.request.app,
            environment=recorded.request.environment,
            judgement=Judgement.GOLD,
            grade=1,
            evidence=number,
            target=complete_target(store, recorded, target),
            who=ASKED,
            at_ns=recorded.request.start_ns,
        )
        for number, target in enumerate(dict.fromkeys(gold), start=1)
    )


def named_target(name: str) -> LabelTarget:
    """The passage that a typed name means: a chunk id, or a document after `doc:`. Ids are taken letter for letter."""
    if not name.strip() or name == DOCUMENT_PREFIX:
        raise UsageError(f"A passage is named by its chunk id, or as doc:ID for a whole document; found {name!r}.")
    if name.startswith(DOCUMENT_PREFIX):
        return LabelTarget(level=Level.DOCUMENT, doc_id=name.removeprefix(DOCUMENT_PREFIX))
    return LabelTarget(level=Level.CHUNK, chunk_id=name)


def complete_target(store: Store, recorded: RecordedRequest, target: LabelTarget) -> LabelTarget:
    """The target with document, index and text filled in where they are absent and known.

    The request's own lists speak first: what the reader judged is what stood there then. A chunk that is in none of
    them is looked for in the indexes that were searched, before all others of the app: ids may be the same there.
    """
    if target.level is Level.DOCUMENT:
        return target
    if not target.chunk_id:
        if not (target.quote or target.text):
            raise UsageError(
                "A label at chunk level needs a chunk id, or the words of a passage that nobody wrote yet."
            )
        return target
    hit, index = _hit_of(recorded, target.chunk_id, target.index)
    index = target.index or index
    chunk = _seen(store, recorded, target.chunk_id, index)
    whole = hit.text if hit and hit.text_state is not TextState.CUT else None
    text = _first(target.text, whole, chunk.text if chunk else None, hit.text if hit else None)
    return target.model_copy(
        update={
            "index": _first(index, chunk.index if chunk else None),
            "doc_id": _first(target.doc_id, hit.doc_id if hit else None, chunk.doc_id if chunk else None),
            "text": text,
            "text_hash": _first(target.text_hash, text_hash(text) if text is not None else None),
        }
    )


def _seen(store: Store, recorded: RecordedRequest, chunk_id: str, index: str | None) -> Chunk | None:
    searched = dict.fromkeys(stage.index for stage in recorded.stages if stage.index)
    places = (index,) if index else (*searched, None)
    found = (store.chunks.get(recorded.request.app, chunk_id, index=place) for place in places)
    return next((chunk for chunk in found if chunk is not None), None)


def _hit_of(recorded: RecordedRequest, chunk_id: str, index: str | None) -> tuple[Hit | None, str | None]:
    """The hit of the chunk that knows most, with its index: a whole text before a cut one before none."""
    best: tuple[Hit | None, str | None] = (None, None)
    for stage in recorded.stages:
        for hit in stage.hits or ():
            where = hit.index or stage.index
            if hit.chunk_id != chunk_id or (index and where and where != index):
                continue
            if best[0] is None or _knows(hit) > _knows(best[0]):
                best = (hit, where or best[1])
    return best


def _knows(hit: Hit) -> int:
    if hit.text is None:
        return 0
    return 1 if hit.text_state is TextState.CUT else 2


def _first(*values: str | None) -> str | None:
    return next((value for value in values if value is not None), None)
