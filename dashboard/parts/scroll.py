"""Brings the reader to the tabs where a link names one: they stand below the fold."""

from __future__ import annotations

import streamlit as st

from .. import links

_SEEN = "scrolled_for"
_KEY = "to_tabs"
_SCRIPT = """
export default function () {
    const tabs = document.querySelector("[data-testid=stTabs]");
    const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (tabs) setTimeout(() => tabs.scrollIntoView({ behavior: still ? "instant" : "smooth", block: "start" }), 200);
}
"""


def to_tabs_if_linked(request_id: str) -> None:
    """Once a session and request, and only where the address named a tab when the page was opened."""
    seen = st.session_state.get(_SEEN)
    if seen is None:
        st.session_state[_SEEN] = request_id if links.TAB in st.query_params else ""
    if st.session_state[_SEEN] == request_id:
        st.components.v2.component(_KEY, js=_SCRIPT)(key=_KEY, height=1)
