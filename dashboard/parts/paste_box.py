"""The box that takes an id, a link or a whole ticket, and goes to the request it names."""

from __future__ import annotations

import streamlit as st

from ...actions import Resolved
from .. import data, links
from ..text import escaped, message
from . import paste_ticket

_KEY = "paste"


def show() -> None:
    """The box. A text that means exactly one request opens it; what else it means is said by `show_answer`."""
    text = st.chat_input(
        "Paste a request id, a link, or the text of a ticket", key=_KEY, max_chars=200_000, height="content"
    )
    if not text:
        return
    answer = data.meaning(text)
    if len(answer.request_ids) == 1:
        st.session_state.pop("paste_answer", None)
        st.switch_page(links.REQUEST, query_params=links.to_request(answer.request_ids[0]))
    st.session_state["paste_answer"] = answer
    st.session_state["paste_text"] = text


def show_answer() -> None:
    """What the last pasted text meant, when it was not one request."""
    answer: Resolved | None = st.session_state.get("paste_answer")
    if answer is None:
        return
    with st.container(border=True):
        st.markdown(f":material/search: {message(answer.message)}")
        for request_id in answer.request_ids:
            st.page_link(
                links.REQUEST,
                label=escaped(request_id),
                query_params=links.to_request(request_id),
                icon=":material/arrow_forward:",
            )
        if not answer.request_ids and st.button(
            "Find it by what it says", key="paste_find", icon=":material/support:", help="Goes to Complaints"
        ):
            paste_ticket.fill(st.session_state.get("paste_text", ""))
            st.session_state.pop("paste_answer", None)
            st.switch_page(links.COMPLAINTS)
