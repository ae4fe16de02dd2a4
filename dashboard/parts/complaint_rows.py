"""The stored complaints: each with the beginning of its text and the way to its request."""

from __future__ import annotations

from datetime import tzinfo

import streamlit as st

from ...actions import ComplaintPage, ComplaintRow
from .. import data, links, marks, times
from ..text import cell, escaped

PAGE_SIZE = 12


def show(page: ComplaintPage, zone: tzinfo) -> None:
    """The rows, with a link each."""
    for row in page.rows:
        _show(row, zone)


def _show(row: ComplaintRow, zone: tzinfo) -> None:
    complaint = row.complaint
    with st.container(horizontal=True, gap="xsmall", height=32, border=False, vertical_alignment="center", wrap=False):
        st.text(cell(complaint.complaint_id, 40), width=92, wrap=False)
        st.text(times.minute(complaint.at_ns, zone), width=92, wrap=False)
        st.text(cell(complaint.text), width="stretch", wrap=False)
        with st.container(width=150, horizontal=True, gap="xsmall"):
            if row.verdict:
                st.badge(escaped(marks.verdict_words(row.verdict)), color=marks.verdict_colour(row.verdict))
            if row.promoted:
                st.badge("in a set", color="gray")
            st.text("")
        request_id = row.request_id or data.named_request(complaint.text)
        if request_id:
            st.page_link(
                links.REQUEST,
                label="Open request",
                icon=":material/arrow_forward:",
                query_params=links.to_request(request_id),
                help=escaped(f"Open the request of {cell(complaint.complaint_id, 40)}"),
                width=130,
            )
        else:
            st.text("names no request", width=130, wrap=False)
