"""Case: one promoted question in full."""

from __future__ import annotations

import streamlit as st
from goldrank.dashboard import data, links
from goldrank.dashboard.parts import case_card, notices
from goldrank.dashboard.text import cell, escaped
from goldrank.model import GoldrankError

case_id = st.query_params.get(links.CASE_ID, "")
try:
    state = data.one_case(case_id)
except GoldrankError as error:
    st.page_link(links.EVAL_SET, label="Eval set", icon=":material/arrow_back:")
    st.header("This case is not here" if case_id else "Which case?", anchor=False)
    st.warning(escaped(str(error)), icon=":material/search_off:")
    st.text(f"This is the store {cell(data.state().store, 500)}.")
    st.stop()

st.page_link(links.EVAL_SET, label="Eval set", icon=":material/arrow_back:", query_params={"set": state.case.eval_set})
notices.show()
case_card.show(state)
