"""The stored complaints: each with the beginning of its text and the way to its request."""

from __future__ import annotations

from datetime import tzinfo

import streamlit as st

from ...actions import ComplaintPage, ComplaintRow
from .. import amounts, data, links, marks, times
from ..text import cell, escaped
from . import pager

FEW = 4
"""Rows that are shown until all are asked for: the list of requests stays in sight below them."""
PAGE_SIZE = 12
_REQUEST_WIDTH = 250
_ALL = "all_complaints"


def card(newest: ComplaintPage, zone: tzinfo) -> None:
    """The newest few; all of them, a page at a time, where they are asked for."""
    with st.container(border=True, gap="xsmall", key="complaints"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f":material/support: **Complaints** :small[{amounts.count(newest.total)}]", width="stretch")
            if newest.total > FEW:
                st.toggle(f"Show all {amounts.count(newest.total)}", key=_ALL, bind="query-params")
            st.page_link(links.COMPLAINTS, label="Queue", icon=":material/arrow_forward:", width="content")
        rows = st.container(gap=None)
        page = newest
        if newest.total > FEW and st.session_state.get(_ALL):
            number = pager.choose(newest.total, PAGE_SIZE, "complaints_page")
            page = data.complaints(limit=PAGE_SIZE, offset=(number - 1) * PAGE_SIZE)
        with rows:
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
        request_id = row.request_id or row.named_id
        if request_id:
            st.page_link(
                links.REQUEST,
                label=escaped(f"request {row.request_words}" if row.request_id else row.request_words),
                icon=":material/arrow_forward:",
                query_params=links.to_request(request_id),
                width=_REQUEST_WIDTH,
            )
        else:
            st.text(row.request_words, width=_REQUEST_WIDTH, wrap=False)
