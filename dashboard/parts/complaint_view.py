"""One complaint in full."""

from __future__ import annotations

from datetime import tzinfo

import streamlit as st

from ...model import GoldrankError
from .. import complaints
from ..text import cell, message
from . import complaint_close, complaint_head, complaint_notes, complaint_request, long_text, notices

_PART = 1500


def show(complaint_id: str, zone: tzinfo) -> None:
    """Head, the ticket beside its request, notes and history; an unknown id is explained."""
    try:
        opened = complaints.opened(complaint_id)
    except GoldrankError as error:
        _unknown(complaint_id, str(error))
        return
    row = opened.row
    complaint_head.show(row, zone)
    notices.show()
    left, right = st.columns([4, 7])
    search = row.complaint.request_id is None
    ask = None
    with left.container(border=True, height="stretch", key="complaint_text"):
        st.subheader("What was said", anchor=False)
        long_text.show(row.complaint.text, f"said_{row.complaint.complaint_id}", part=_PART, name="ticket")
        if search:
            ask = complaint_request.understood(row, zone)
    with right.container(border=True, height="stretch", key="complaint_request"):
        if ask is not None:
            complaint_request.likely(ask, zone)
        else:
            complaint_request.linked(row, zone)
    complaint_notes.show(opened, zone)
    complaint_close.show_if_open(row)


def _unknown(complaint_id: str, reason: str) -> None:
    complaint_head.back()
    st.header("This complaint is not here", anchor=False)
    st.text(cell(complaint_id, 300))
    st.warning(message(reason), icon=":material/search_off:")
    st.text("It may be in another data folder, or its help desk has not posted it yet. The queue lists all of them.")
