"""Request: where the right passage ranked after each stage, and which stage lost it."""

from __future__ import annotations

import streamlit as st
from goldrank.dashboard import data, links, viewer
from goldrank.dashboard.parts import (
    answer_card,
    answer_tab,
    chunk_drawer,
    delivered_card,
    gold_path_card,
    in_sets,
    labels_tab,
    lists_tab,
    mark_gold,
    not_found,
    notices,
    pressing,
    promote_dialog,
    prompt_tab,
    queries_tab,
    raw_tab,
    request_head,
    scroll,
    three_questions,
    timings_tab,
    verdict_box,
)
from goldrank.model import GoldrankError

asked = st.query_params.get(links.REQUEST_ID, "")
try:
    view = data.view(asked)
except GoldrankError:
    not_found.show(asked)
    st.stop()
request_id = view.recorded.request.request_id

pressing.begin(request_id)
request_head.show(view, viewer.zone())
said = notices.show_and_keep()
in_sets.show(view)
promote_dialog.show_done(request_id)
verdict_box.show(view)
answer_card.show(view)

if not view.diagnosis.outcomes:
    mark_gold.show(view, first=True)
else:
    three_questions.show(view)
    if gold_path_card.is_wide(view):
        gold_path_card.show(view, below=False)
        delivered_card.show(view, wide=True)
    else:
        left, right = st.columns([11, 9])
        with left:
            gold_path_card.show(view)
        with right:
            delivered_card.show(view)
pressing.finish(request_id)

TABS = ["Lists", "Queries", "Prompt", "Answer", "Labels", "Timings", "Raw"]
lists, queries, prompt, answer, labels, timings, raw = st.tabs(
    TABS, key=links.TAB, bind="query-params", on_change="rerun"
)
for tab, show in (
    (lists, lists_tab.show),
    (queries, queries_tab.show),
    (prompt, prompt_tab.show),
    (answer, answer_tab.show),
    (timings, timings_tab.show),
    (raw, raw_tab.show),
):
    if tab.open:
        with tab:
            show(view)
if labels.open:
    with labels:
        labels_tab.show(view, with_search=bool(view.diagnosis.outcomes))

scroll.to_tabs_if_linked(request_id)
if not chunk_drawer.show_if_asked(view):
    promote_dialog.show_if_open(request_id)
notices.forget(said)
