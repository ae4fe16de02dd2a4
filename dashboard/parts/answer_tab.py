"""The whole answer, the model, and which of the prompt's chunks it names."""

from __future__ import annotations

import streamlit as st

from ...actions import RequestView
from ...model import StageKind
from .. import amounts
from ..frames.chunk_names import names_of
from ..text import cell, escaped
from . import long_text, tables


def show(view: RequestView) -> None:
    """Answer, generate stages, sources."""
    request = view.recorded.request
    if request.answer is None:
        st.text(f"No answer text: {cell(request.answer_note) or 'not recorded'}.")
    else:
        st.caption(amounts.counted(len(request.answer), "character"))
        with st.container(border=True):
            long_text.show(request.answer, "tab_answer", part=8000, name="answer")
    if request.error:
        st.caption("Error")
        long_text.show(request.error, "tab_error", name="error")
    for stage in view.recorded.stages:
        if stage.kind is StageKind.GENERATE:
            took = f" · {amounts.milliseconds(stage.duration_ms)} ms" if stage.duration_ms is not None else ""
            model = f" · {stage.model}" if stage.model else " · model not recorded"
            st.caption(escaped(f"{stage.name}{model}{took}"))
    _sources(view)


def _sources(view: RequestView) -> None:
    """Counts what stands letter for letter in the answer; nothing is guessed about markers such as [S1]."""
    entries = view.diagnosis.context.entries
    if not entries:
        return
    answer = view.recorded.request.answer or ""
    names = names_of(view.recorded)
    tables.show(
        {
            "#": [entry.position for entry in entries],
            "chunk": [names.short(entry.chunk_id, 360) for entry in entries],
            "its id in the answer": [_times(answer.count(entry.chunk_id)) for entry in entries],
            "its document in the answer": [
                _times(answer.count(entry.doc_id) if entry.doc_id else 0) for entry in entries
            ],
        },
        row_height=28,
        shape={"#": tables.Column(width=36)},
        alt="Chunks of the prompt and whether the answer names them",
    )


def _times(count: int) -> str:
    return f"{count}×" if count else "no"
