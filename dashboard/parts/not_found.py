"""A request that this store does not have: which store it is, why an id can be unknown, and the way back."""

from __future__ import annotations

import streamlit as st

from .. import data, links
from ..text import escaped, literal


def show(asked: str, reason: str) -> None:
    """Explains and offers the list. `reason` is the store's own sentence."""
    state = data.state()
    st.header("This request is not here" if asked else "Which request?", anchor=False)
    if asked:
        st.text(literal(asked[:300]))
        st.warning(escaped(reason), icon=":material/search_off:")
    else:
        st.info("The address names no request. Choose one from the list, or paste its id there.")
    if state.store not in reason:
        st.text(literal(f"This is the store {state.store}."))
    if asked:
        st.markdown(
            "An id can be unknown here because\n\n"
            "- it was recorded into another data folder (look at the hub's `--directory`),\n"
            "- the app's own sampler left it out (Status counts these),\n"
            "- it is so new that it has not been read yet: it takes up to 5 seconds."
        )
    with st.container(horizontal=True):
        st.page_link(links.REQUESTS, label="All requests", icon=":material/arrow_back:")
        st.page_link(links.STATUS, label="Status", icon=":material/sensors:")
