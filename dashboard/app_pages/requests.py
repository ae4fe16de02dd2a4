"""Requests: find one by its ticket, or look through the list."""

from __future__ import annotations

import streamlit as st
from goldrank.dashboard import amounts, data, holder, links, times, viewer
from goldrank.dashboard.frames.request_filter import in_words, request_filter
from goldrank.dashboard.parts import (
    complaint_rows,
    empty_store,
    live,
    notices,
    pager,
    paste_box,
    request_rows,
    saved_filters,
)
from goldrank.dashboard.parts import request_filter as widgets
from goldrank.store import RequestFilter

PAGE_SIZE = 25

if links.REQUEST_ID in st.query_params:
    # The browser's Back brings this page with the address of the request that was open: its list comes back.
    st.switch_page(links.REQUESTS, query_params=links.unpacked(st.query_params.get(links.WITHIN, "")))

zone = viewer.zone()
title, box = st.columns([2, 5], vertical_alignment="top")
title.title("Requests", anchor=False)

every = data.page_of_requests(RequestFilter(), limit=1, offset=0)
tickets = data.complaints(limit=complaint_rows.FEW, offset=0)
if not every.stored and not tickets.total:
    notices.show()
    empty_store.show(data.state())
    live.watch(RequestFilter(), live.mark_of(every))
    st.stop()

with box:
    paste_box.show()
notices.show()
paste_box.show_answer()

if tickets.total:
    complaint_rows.card(tickets, zone)

params = widgets.show(data.facets(), times.zone_name(zone))
which = request_filter(params, zone, holder.workspace().now_ns())
found = data.page_of_requests(which, limit=PAGE_SIZE, offset=0)
seen = live.mark_of(found)
listing, below = st.container(), st.container()
with below:
    page = pager.choose(found.matching, PAGE_SIZE, widgets.PAGE)
if page > 1:
    found = data.page_of_requests(which, limit=PAGE_SIZE, offset=(page - 1) * PAGE_SIZE)
with listing:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(
            f"{amounts.count(found.matching)} of {amounts.count(found.stored)} requests · newest first · "
            f"times in {times.zone_name(zone)}{saved_filters.replays_left_out(which)}",
            width="stretch",
        )
        saved_filters.show(links.packed(params))
        saved_filters.work_through(found.rows, links.packed(params))
        lively = st.toggle("Live", value=True, key="live", bind="query-params", help="Show new requests as they come")
    if found.rows:
        request_rows.show(found.rows, zone, within=links.packed(params), with_app=len(data.facets().apps) > 1)
    else:
        st.info("No request matches. Clear a filter, or look in another time.", icon=":material/filter_alt_off:")
        if in_words(params):
            st.page_link(links.REQUESTS, label="Show all requests", icon=":material/clear_all:", query_params={})
if lively and page == 1:
    live.watch(which, seen)
