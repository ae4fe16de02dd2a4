"""The key "/" goes into the search for passages, Escape leaves a field: Streamlit has shortcuts for buttons alone."""

from __future__ import annotations

import streamlit as st

_KEY = "search_key"
_SCRIPT = """
const isField = (one) => one && (one.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(one.tagName));
export default function () {
    // One listener a page load, however often the component is mounted.
    if (document.body.dataset.searchKey) return;
    document.body.dataset.searchKey = "on";
    window.addEventListener("keydown", (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const at = document.activeElement;
        const card = document.querySelector(".st-key-mark_gold");
        if (event.key === "/" && !isField(at)) {
            const field = card && card.querySelector("input[type=text]");
            if (!field) return;
            event.preventDefault();
            field.focus();
            field.select();
        } else if (isField(at) && (event.key === "Escape" || (event.key === "Enter" && card && card.contains(at)))) {
            // After the search has been sent, so that the number keys choose among what was found.
            setTimeout(() => at.blur(), 0);
        }
    });
}
"""


def listen() -> None:
    """Adds the two keys to the page; drawing it again adds nothing."""
    st.components.v2.component(_KEY, js=_SCRIPT)(key=_KEY, height=1)
