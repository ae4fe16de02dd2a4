"""Steps: one recorded request, a stage at a time."""

from __future__ import annotations

import streamlit as st
from goldrank.dashboard import links, replays
from goldrank.dashboard.parts import not_found, request_head, step_card
from goldrank.dashboard.text import escaped
from goldrank.model import GoldrankError, short_id

asked = st.query_params.get(links.REQUEST_ID, "")
try:
    found = replays.steps_of(asked)
except GoldrankError:
    not_found.show(asked)
    st.stop()
request = found.request

with st.container(horizontal=True, vertical_alignment="center"):
    st.page_link(
        links.REQUEST,
        label=f"Request {short_id(request.request_id)}",
        icon=":material/arrow_back:",
        query_params=links.to_request(request.request_id),
        width="content",
    )
    number = step_card.choose(found)
st.header(request_head.heading(request), anchor=False)
st.caption(escaped(found.headline.sentence))
if not found.steps:
    st.info(
        "No stage of this request was recorded: there is nothing to step through. Decorate the steps of the app.",
        icon=":material/steps:",
    )
    st.stop()
step_card.overview(found, number)
step_card.show(found, found.steps[number - 1])
