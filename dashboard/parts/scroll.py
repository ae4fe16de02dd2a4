"""Brings the reader to the tabs where a link names one: they stand below the fold."""

from __future__ import annotations

import streamlit as st

from .. import links

_SEEN = "scrolled_for"
_KEY = "to_tabs"
_SCRIPT = """
let asked = false;
export default function () {
    if (asked) return;
    asked = true;
    const until = performance.now() + 3000;
    let left = false;
    const leave = () => { left = true; };
    for (const name of ["wheel", "touchstart", "mousedown", "keydown"]) {
        window.addEventListener(name, leave, { once: true, passive: true });
    }
    const go = () => {
        if (left || performance.now() > until) return;
        const tabs = document.querySelector("[data-testid=stTabs]");
        if (tabs) {
            tabs.style.scrollMarginTop = "4rem";
            tabs.scrollIntoView({ block: "start" });
        }
        setTimeout(go, 150);
    };
    go();
}
"""
"""For three seconds, as figures and tables above the tabs take their height one after the other; a person who scrolls
or types ends it. The margin is the height of the bar on top."""


def to_tabs_if_linked(request_id: str) -> None:
    """Once a session and request, and only where the address named a tab when the page was opened."""
    seen = st.session_state.get(_SEEN)
    if seen is None:
        st.session_state[_SEEN] = request_id if links.TAB in st.query_params else ""
    if st.session_state[_SEEN] == request_id:
        st.components.v2.component(_KEY, js=_SCRIPT)(key=_KEY, height=1)
