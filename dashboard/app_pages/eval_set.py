"""Eval set: the promoted questions, each with its labels and where it came from."""

from __future__ import annotations

import streamlit as st
from goldrank.actions import ExportCases, ListCases
from goldrank.dashboard import amounts, data, links
from goldrank.dashboard.parts import case_rows, notices, pager
from goldrank.model import CaseOrigin
from goldrank.store import CaseFilter

PAGE_SIZE = 25
EVERY_SET = "All sets"


PAGE = "cases_page"


def first_page() -> None:
    """Another choice begins at its first page."""
    if PAGE in st.session_state:
        st.session_state[PAGE] = 1


every = data.cases(ListCases(which=CaseFilter(archived=None), limit=1))
sets = every.sets
title, chooser, actions = st.columns([2, 3, 5], vertical_alignment="bottom")
title.title("Eval set", anchor=False)
if not every.matching:
    with st.container(border=True, width=720):
        st.markdown("**No case yet**")
        st.text("Open a request, mark the passage that should have answered, and press Promote.")
        st.text("Or import a golden set: goldrank cases import FILE")
        st.page_link(links.REQUESTS, label="To the requests", icon=":material/arrow_forward:")
    st.stop()
chosen = chooser.selectbox(
    "Set",
    [EVERY_SET, *sets],
    key="set",
    bind="query-params",
    label_visibility="collapsed",
    on_change=first_page,
    format_func=lambda name: f"{name} ({amounts.counted(sets[name], 'case')})" if name in sets else name,
)
eval_set = chosen if chosen in sets else ""
notices.show()

with st.container(horizontal=True, vertical_alignment="bottom"):
    words = st.text_input(
        "Words in the question", key="case_words", bind="query-params", on_change=first_page, width=300
    )
    archived = st.toggle("Show archived", key="archived", bind="query-params", on_change=first_page)
which = CaseFilter(eval_set=eval_set, words=words or "", archived=None if archived else False)
found = data.cases(ListCases(which=which, limit=PAGE_SIZE))
listing, below = st.container(), st.container()
with below:
    page = pager.choose(found.matching, PAGE_SIZE, PAGE)
if page > 1:
    found = data.cases(ListCases(which=which, limit=PAGE_SIZE, offset=(page - 1) * PAGE_SIZE))

with actions.container(horizontal=True, horizontal_alignment="right"):
    st.download_button(
        "Export JSONL",
        lambda: data.exported(ExportCases(which=which)).text.encode("utf-8"),
        file_name=f"{eval_set or 'cases'}.jsonl",
        mime="application/jsonl",
        icon=":material/download:",
        on_click="ignore",
        help="One line a case, sorted: what `goldrank cases export` writes",
    )

said = amounts.counted(found.matching, "case")
if found.rows:
    complaints = sum(row.case.origin is CaseOrigin.COMPLAINT for row in found.rows)
    stale = sum(bool(row.stale) for row in found.rows)
    said += f" · of the {len(found.rows)} shown: {complaints} from complaints, {stale} with a stale label"
with listing:
    st.caption(said)
    if found.rows:
        case_rows.show(found.rows)
    else:
        st.info("No case matches.", icon=":material/filter_alt_off:")
