"""Complaints: from a ticket to the request it is about, and the queue of all of them."""

from __future__ import annotations

import streamlit as st
from goldrank.dashboard import links, viewer
from goldrank.dashboard.parts import complaint_queue, complaint_view, notices, paste_ticket, ticket_import

zone = viewer.zone()
complaint_id = st.query_params.get(links.COMPLAINT, "").strip()
if complaint_id:
    complaint_view.show(complaint_id, zone)
    st.stop()
st.title("Complaints", anchor=False)
notices.show()
paste_ticket.show(zone)
complaint_queue.show(zone)
ticket_import.show_if_open()
