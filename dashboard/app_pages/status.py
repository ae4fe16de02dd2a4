"""Status: what is dropped, late or incomplete, and what to do about it."""

from __future__ import annotations

import streamlit as st
from goldrank.dashboard import amounts, data, holder, times, viewer
from goldrank.dashboard.parts import notices, status_tables
from goldrank.dashboard.text import escaped

zone = viewer.zone()
now_ns = holder.workspace().now_ns()
state = data.state()

st.title("Status", anchor=False)
st.caption(f"What is dropped, late or incomplete · {escaped(times.second(now_ns, zone))}")
notices.show()
if state.troubles:
    worst = state.troubles[0]
    st.warning(escaped(worst.remedy), title=escaped(worst.what), icon=":material/warning:")
else:
    st.success("No trouble is known: nothing dropped, late or unreadable.", icon=":material/check_circle:")

requests, waiting, dropped, bad, store = st.columns(5)
status_tables.figure(requests, "Requests", amounts.count(state.rows.get("requests", 0)), "in the store")
status_tables.figure(
    waiting,
    "Waiting to be read",
    amounts.counted(state.spool_unread, "file"),
    f"oldest {state.ingester.oldest_unread_s:,.1f} s" if state.ingester.oldest_unread_s is not None else "none waits",
    "Apps record into files of the spool folder; the hub reads them into the store.",
)
unsampled = sum(reasons.get("not sampled", 0) for reasons in state.drops.values())
lost = sum(count for reasons in state.drops.values() for count in reasons.values()) - unsampled
status_tables.figure(
    dropped,
    "Steps not recorded",
    amounts.count(lost),
    f"{amounts.count(unsampled)} not sampled",
    "Steps of requests (spans) that an app had to drop, as the apps counted them. "
    "Not sampled: the app's own tracing chose not to record them.",
)
status_tables.figure(
    bad,
    "Unreadable records",
    amounts.count(state.bad_frames_total),
    "set aside and kept" if state.bad_frames_total else "none",
    "An app writes its steps in records (frames). One that cannot be read is set aside; the others are not affected.",
)
status_tables.figure(store, "Store", amounts.size(state.store_bytes), "one DuckDB file")

status_tables.show_places(state, zone, now_ns)
status_tables.show_troubles(state)
status_tables.show_receivers(state, zone)
left, right = st.columns(2)
with left:
    status_tables.show_drops(state)
with right:
    status_tables.show_bad_frames(state, zone)
left, right = st.columns(2)
with left:
    status_tables.show_corpora(state, zone)
with right:
    status_tables.show_rows(state)
