"""The whole answer, the model, and which of the prompt's chunks it cites."""

from __future__ import annotations

import streamlit as st

from ...actions import RequestView
from ...model import StageKind
from .. import amounts
from ..frames.chunk_names import names_of
from ..frames.citations import citations
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
            took = f" · {amounts.milliseconds(stage.duration_ms)} ms" if stage.duration_ms else ""
            model = f" · {stage.model}" if stage.model else " · model not recorded"
            st.caption(escaped(f"{stage.name}{model}{took}"))
    _sources(view)


def _sources(view: RequestView) -> None:
    """Every chunk of the prompt, and whether the answer cites it."""
    found = citations(view.diagnosis.context, view.recorded.request.answer or "")
    if not found:
        return
    names = names_of(view.recorded)
    st.caption("The chunks of the prompt, and whether the answer cites them")
    tables.show(
        {
            "#": [one.entry.position for one in found],
            "chunk": [names.short(one.entry.chunk_id, 520) for one in found],
            "in the answer": [cell(one.words, 120) for one in found],
        },
        row_height=28,
        shape={
            "#": tables.Column(width=36),
            "chunk": tables.Column(width=520),
            "in the answer": tables.Column(width=560),
        },
        alt="Chunks of the prompt and whether the answer cites them",
    )
