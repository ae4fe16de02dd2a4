"""Replay: run one recorded request again on today's app, with one thing changed."""

from __future__ import annotations

import streamlit as st
from goldrank.dashboard import links, replays, viewer
from goldrank.dashboard.parts import not_found, notices, replay_form, replay_result, request_head
from goldrank.dashboard.text import escaped
from goldrank.model import GoldrankError, short_id

asked = st.query_params.get(links.REQUEST_ID, "")
try:
    view = replays.view(asked)
except GoldrankError:
    not_found.show(asked)
    st.stop()
request = view.recorded.request

st.page_link(
    links.REQUEST,
    label=f"Request {short_id(request.request_id)}",
    icon=":material/arrow_back:",
    query_params=links.to_request(request.request_id),
    width="content",
)
st.header(request_head.heading(request), anchor=False)
st.caption(escaped(view.diagnosis.headline.sentence))
notices.show()
target = replays.target()
if not target:
    replay_form.without_app(request.request_id)
else:
    done = replay_form.show(view, target)
    if done is not None:
        st.session_state[replay_result.KEY] = (request.request_id, done)
kept = st.session_state.get(replay_result.KEY)
if kept is not None and kept[0] == request.request_id:
    replay_result.show(kept[1])
replay_result.earlier(request.request_id, viewer.zone())
