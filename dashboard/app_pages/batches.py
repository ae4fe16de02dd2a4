"""Replays: many requests at once on today's app, and what became of each."""

from __future__ import annotations

import streamlit as st
from goldrank.dashboard import links, replays, viewer
from goldrank.dashboard.parts import batch_form, batch_state, notices
from goldrank.model import GoldrankError

st.title("Replays", anchor=False)
notices.show()
target = replays.target()
asked = st.query_params.get(links.BATCH, "")
if asked:
    try:
        batch_state.show(asked, target, viewer.zone())
    except GoldrankError as error:
        notices.failed(str(error))
        notices.show()
        st.page_link(links.BATCHES, label="All replays", icon=":material/arrow_back:", query_params={})
    st.stop()
batch_form.show(target)
batch_state.listing(replays.batches(), viewer.zone())
