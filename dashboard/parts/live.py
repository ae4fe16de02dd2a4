"""Keeps a page in step with what arrives: looks every few seconds, and draws the page anew when there is news."""

from __future__ import annotations

import streamlit as st

from ...store import RequestFilter, RequestPage
from .. import data

EVERY_S = 3
"""A request is listed within 5 seconds of being recorded: the ingester takes less than one of them."""


def mark_of(page: RequestPage) -> str:
    """What changes when a request arrives or changes: the numbers and the newest id."""
    newest = page.rows[0].request_id if page.rows else ""
    return f"{page.stored} {page.matching} {newest}"


@st.fragment(run_every=EVERY_S)
def watch(which: RequestFilter, seen: str) -> None:
    """Draws the page anew once the list is not what was `seen` any more."""
    if mark_of(data.page_of_requests(which, limit=1, offset=0)) != seen:
        st.rerun()
