"""Notes on a complaint, and what became of it."""

from __future__ import annotations

from datetime import tzinfo

import streamlit as st

from ...actions.open_complaint import OpenedComplaint
from .. import amounts, complaints, times
from ..frames import complaint_history
from ..text import cell, escaped
from . import long_text, notices

_TEXT = "note_text"


def show(opened: OpenedComplaint, zone: tzinfo) -> None:
    """Two cards side by side."""
    left, right = st.columns(2)
    complaint = opened.row.complaint
    with left.container(border=True, height="stretch", key="complaint_notes"):
        st.subheader("Notes", anchor=False)
        for number, note in enumerate(complaint.notes):
            st.caption(escaped(f"{cell(note.who, 60)} · {times.minute(note.at_ns, zone)}"))
            long_text.show(note.text, f"note_{complaint.complaint_id}_{number}", name="note")
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.text_input("Add a note", key=_TEXT, placeholder="What was found, what was tried", width="stretch")
            st.button("Add", key="add_note", icon=":material/add:", on_click=_add, args=(complaint.complaint_id,))
    with right.container(border=True, height="stretch", key="complaint_history"):
        lines = complaint_history.history(opened.history, zone)
        st.subheader("History", anchor=False)
        st.caption(f"{amounts.counted(len(lines), 'change')}, oldest first")
        for line in lines:
            st.text(line)


def _add(complaint_id: str) -> None:
    if notices.guarded(lambda: complaints.note(complaint_id, st.session_state.get(_TEXT) or "")):
        st.session_state[_TEXT] = ""
