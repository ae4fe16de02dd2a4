"""Compare: two requests side by side, of any origin."""

from __future__ import annotations

import streamlit as st
from goldrank.dashboard import links, replays, viewer
from goldrank.dashboard.parts import comparison
from goldrank.dashboard.text import escaped
from goldrank.model import GoldrankError, short_id

then, now = (st.query_params.get(name, "") for name in (links.THEN, links.NOW))
st.title("Compare two requests", anchor=False)
reason = then_id = ""
try:
    if then and not now:
        found = replays.neighbour(then)
        reason = f"The nearest request that passes: {found.reason}." if found.request_id else found.reason
        now = found.request_id or ""
        then_id = then
    compared = replays.compared(then, now) if then and now else None
except GoldrankError as error:
    compared, reason = None, str(error)
if reason:
    st.info(escaped(reason), icon=":material/near_me:")
if compared is None:
    comparison.choose(then)
    if then_id:
        st.page_link(
            links.REQUEST,
            label=f"Request {short_id(then_id)}",
            icon=":material/arrow_back:",
            query_params=links.to_request(then_id),
            width="content",
        )
    st.stop()
comparison.heads(compared, viewer.zone())
comparison.verdict(compared)
comparison.differences(compared.comparison.differences)
comparison.stages(compared.comparison)
comparison.texts(compared)
