"""Saving judgements from anywhere on a request's page: one press saves, and the page answers at once."""

from __future__ import annotations

from functools import partial

import streamlit as st

from ...actions import LabelsSaved, NewLabel, target_name
from ...actions.label import same_target
from ...model import Chunk, Judgement, LabelTarget, Level, normalise_text
from .. import data, links, queue
from . import notices, pressing, undoing

_SENTENCE_WORDS = 5
"""From so many words on, a searched text that stands in the chunk is kept as the sentence that answers."""


def chunk_target(chunk: Chunk, searched: str = "") -> LabelTarget:
    """The chunk as a label's target; what was searched for is its quote where it is a sentence of the chunk."""
    quote = " ".join(searched.split())
    held = chunk.text is not None and normalise_text(quote).casefold() in normalise_text(chunk.text).casefold()
    return LabelTarget(
        level=Level.CHUNK,
        chunk_id=chunk.chunk_id,
        doc_id=chunk.doc_id,
        index=chunk.index,
        quote=quote if held and len(quote.split()) >= _SENTENCE_WORDS else None,
    )


def document_target(chunk: Chunk) -> LabelTarget:
    """The chunk's document as a label's target."""
    return LabelTarget(level=Level.DOCUMENT, doc_id=chunk.doc_id, index=chunk.index)


def save(
    request_id: str,
    target: LabelTarget,
    judgement: Judgement = Judgement.GOLD,
    grade: int = 1,
    evidence: int | None = None,
) -> None:
    """Saves one judgement (a callback); the drawer closes, and the verdict speaks for itself."""
    label = NewLabel(judgement=judgement, target=target, grade=grade, evidence=evidence)
    act = partial(undoing.remembering, request_id, lambda: _say(data.save(request_id, label)))
    if notices.guarded(act):
        close_drawer()


def save_first(request_id: str, target: LabelTarget) -> None:
    """Saves the first gold of a request that shows none yet (a callback of buttons with number keys).

    A press that comes after another passage was marked is refused: it was made for the page as it was before.
    """
    if not pressing.counts(request_id):
        return
    with queue.ONE_AT_A_TIME:
        marked = queue.golds(request_id)
        if not marked or any(same_target(one, target) for one in marked):
            save(request_id, target)
            return
    notices.failed(
        f"{target_name(target)} was not marked: {target_name(marked[0]) or 'a passage'} is gold already. "
        "Undo that, or mark another one on the Labels tab."
    )


def take_back(request_id: str, label_id: str) -> None:
    """Removes one label (a callback)."""
    act = partial(undoing.remembering, request_id, lambda: _say(data.take_back(request_id, label_id)))
    if notices.guarded(act):
        close_drawer()


def undo(request_id: str) -> None:
    """Undoes the newest change (a callback)."""
    notices.guarded(lambda: _say(data.undo(request_id)))


def close_drawer() -> None:
    """Takes the chunk out of the address, and lets a list's cell be chosen again."""
    if links.CHUNK in st.query_params:
        del st.query_params[links.CHUNK]
    st.session_state["lists_turn"] = st.session_state.get("lists_turn", 0) + 1


def _say(saved: LabelsSaved) -> None:
    if saved.warnings:
        notices.failed(" ".join(saved.warnings))
