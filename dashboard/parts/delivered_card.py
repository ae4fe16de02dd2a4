"""What the prompt held instead, and where each chunk came from."""

from __future__ import annotations

import streamlit as st

from ...actions import RequestView
from ...model import ChunkMark
from .. import marks
from ..frames.chunk_names import names_of
from ..frames.delivered import DeliveredRow, context_source, delivered_rows, delivered_title
from ..text import cell, escaped
from . import tables


def show(view: RequestView, *, wide: bool = False) -> None:
    """The card. `wide`: it has the page's whole width."""
    with st.container(border=True, height="stretch"):
        st.markdown(f"**{delivered_title(view.diagnosis)}** :small[{context_source(view.diagnosis)}]")
        rows = delivered_rows(view.recorded, view.diagnosis)
        if not view.diagnosis.context.known:
            st.text("What reached the prompt is not recorded.")
            st.text("Decorate the step that builds the prompt (@goldrank.assemble), or the one that calls the model.")
            st.text("In a log that is imported it is a column: context_ids, or prompt.")
        elif not rows:
            st.text("None of the chunks of the lists is in the prompt.")
        else:
            _table(view, rows, wide=wide)
        for note in view.diagnosis.context.notes:
            st.caption(escaped(note))
        if view.diagnosis.context.earlier_only:
            names = ", ".join(view.diagnosis.context.earlier_only)
            st.caption(escaped(f"Only in an earlier prompt: {names}"))


def _table(view: RequestView, rows: tuple[DeliveredRow, ...], *, wide: bool) -> None:
    names = names_of(view.recorded)
    chips = {mark.value: style.colour for mark, style in marks.MARKS.items()}
    tables.show(
        {
            "#": [row.position for row in rows],
            "chunk": [names.short(row.chunk_id, 420 if wide else 160) for row in rows],
            "came from": [cell(row.came_from, 80) for row in rows],
            "marks": [_marks(row) for row in rows],
        },
        shape={
            "#": tables.Column(width=36),
            "chunk": tables.Column(width=420 if wide else 160),
            "came from": tables.Column(width=430 if wide else 150),
            "marks": tables.Column(
                width=220 if wide else 118, chips=chips | {row.form: "gray" for row in rows if row.form}
            ),
        },
        row_height=32,
        alt="The chunks of the prompt and where each came from",
    )


def _marks(row: DeliveredRow) -> list[str]:
    """The heaviest mark and how many more; a chunk that is only in part there says so."""
    shown = [mark.value for mark in row.marks if mark is not ChunkMark.SAME_TEXT]
    return shown[:1] + ([row.form] if row.form else [])
