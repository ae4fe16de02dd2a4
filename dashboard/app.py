"""The dashboard's entry point: the frame around every page."""

from __future__ import annotations

from pathlib import Path

import streamlit as st
from goldrank.dashboard import links
from goldrank.dashboard.parts import notices

# A file of ours: an icon by name would be fetched from a font server.
ICON = Path(links.__file__).with_name("icon.png")
st.set_page_config(page_title="goldrank", page_icon=str(ICON), layout="wide")

page = st.navigation(
    [
        st.Page(
            links.REQUESTS,
            title="Requests",
            icon=":material/list:",
            url_path="requests",
            default=True,
            help="Every recorded request, newest first. Paste a ticket to find the one it is about.",
        ),
        st.Page(
            links.REQUEST,
            title="Request",
            url_path="request",
            visibility="hidden",
            help="One request: its lists, where the gold ranked after each stage, and which stage lost it.",
        ),
        st.Page(
            links.COMPLAINTS,
            title="Complaints",
            icon=":material/support:",
            url_path="complaints",
            help="Paste or import tickets, find the request each is about, and follow them until they are closed.",
        ),
        st.Page(
            links.EVAL_SET,
            title="Eval set",
            icon=":material/checklist:",
            url_path="eval_set",
            help="Promoted questions with their labels. Open, archive or export them.",
        ),
        st.Page(
            links.CASE,
            title="Case",
            url_path="case",
            visibility="hidden",
            help="One promoted question: its labels, where it came from, and its history.",
        ),
        st.Page(
            links.BATCHES,
            title="Replays",
            icon=":material/replay:",
            url_path="replays",
            help="Requests that were run again on today's app: what is fixed, and what is newly broken.",
        ),
        st.Page(
            links.STEPS,
            title="Steps",
            url_path="steps",
            visibility="hidden",
            help="One request a stage at a time.",
        ),
        st.Page(
            links.REPLAY,
            title="Replay",
            url_path="replay",
            visibility="hidden",
            help="Run one request again, with one thing changed.",
        ),
        st.Page(
            links.COMPARE,
            title="Compare",
            url_path="compare",
            visibility="hidden",
            help="Two requests side by side.",
        ),
        st.Page(
            links.STATUS,
            title="Status",
            icon=":material/sensors:",
            url_path="status",
            help="What is dropped, late or incomplete, and what to do about it.",
        ),
    ],
    position="top",
)
notices.show_troubles()
page.run()
