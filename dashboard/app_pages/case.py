"""Case: one promoted question in full."""

from __future__ import annotations

import streamlit as st
from goldrank.actions import ListCases
from goldrank.dashboard import amounts, data, links
from goldrank.dashboard.parts import case_card, case_rows, notices
from goldrank.dashboard.text import cell, message
from goldrank.model import GoldrankError

MOST_OFFERED = 25

case_id = st.query_params.get(links.CASE_ID, "").strip()
if not case_id:
    st.page_link(links.EVAL_SET, label="Eval set", icon=":material/arrow_back:")
    st.header("Which case?", anchor=False)
    found = data.cases(ListCases(limit=MOST_OFFERED))
    if found.rows:
        st.caption(f"The address names no case. {amounts.counted(found.matching, 'case')}; press one to open it.")
        case_rows.show(found.rows)
    else:
        st.info("There is no case yet. Open a request, mark the passage that should have answered, press Promote.")
        st.page_link(links.REQUESTS, label="To the requests", icon=":material/arrow_forward:")
    st.stop()
try:
    state = data.one_case(case_id)
except GoldrankError as error:
    st.page_link(links.EVAL_SET, label="Eval set: every case", icon=":material/arrow_back:")
    st.header("This case is not here", anchor=False)
    st.text(cell(case_id, 300))
    st.warning(message(str(error)), icon=":material/search_off:")
    st.stop()

st.page_link(links.EVAL_SET, label="Eval set", icon=":material/arrow_back:", query_params={"set": state.case.eval_set})
notices.show()
case_card.show(state)
