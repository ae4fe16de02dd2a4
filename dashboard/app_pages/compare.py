"""Compare: two requests side by side, of any origin."""

from __future__ import annotations

import streamlit as st
from goldrank.dashboard import data, links, replays, viewer
from goldrank.dashboard.parts import comparison
from goldrank.dashboard.text import escaped
from goldrank.model import GoldrankError, short_id

then, now = (st.query_params.get(name, "") for name in (links.THEN, links.NOW))
back, heading = st.container(), st.container()
reason = ""
try:
    if then and not now:
        found = replays.neighbour(then)
        reason = f"The nearest request that passes: {found.reason}." if found.request_id else found.reason
        now = found.request_id or ""
    compared = replays.compared(then, now) if then and now else None
except GoldrankError as error:
    compared, reason = None, str(error)
heading.title("Compare two requests", anchor=False)
if then and data.meaning(then).request_ids:
    back.page_link(
        links.REQUEST,
        label=f"Request {short_id(then)}",
        icon=":material/arrow_back:",
        query_params=links.to_request(then),
        width="content",
    )
if reason:
    st.info(escaped(reason), icon=":material/near_me:")
if compared is None:
    comparison.choose(then)
    st.stop()
comparison.heads(compared, viewer.zone())
comparison.verdict(compared)
comparison.differences(compared.comparison.differences)
comparison.stages(compared.comparison)
comparison.texts(compared)
