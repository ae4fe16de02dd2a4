"""A request that this store does not have, or not yet: which store it is, why an id can be unknown, the way back."""

from __future__ import annotations

import streamlit as st

from ...actions import Resolved
from .. import amounts, data, links
from ..text import escaped, literal

LOOK_AGAIN_S = 2
"""What an app recorded is read within 3 seconds, so a request opened too early shows within 5."""


def show(asked: str) -> None:
    """Explains, offers what fits, and opens the request as soon as it is there."""
    if not asked.strip():
        st.header("Which request?", anchor=False)
        st.info("The address names no request. Choose one from the list, or paste its id there.")
        _ways_on()
        return
    found = data.meaning(asked)
    if len(found.request_ids) > 1:
        _several(asked, found)
        return
    unread = data.state().spool_unread
    st.header("This request is not here yet" if unread else "This request is not here", anchor=False)
    st.text(literal(asked[:300]))
    if unread:
        st.info(
            f"Still reading what apps recorded: {amounts.counted(unread, 'file')} of the spool to go. "
            "The request opens by itself as soon as it has been read.",
            icon=":material/hourglass_top:",
        )
    else:
        _unknown(found)
    _ways_on()
    _wait(asked, reading=bool(unread))


def _several(asked: str, found: Resolved) -> None:
    st.header("Which of these requests?", anchor=False)
    st.text(literal(asked[:300]))
    st.caption(f"{amounts.counted(len(found.request_ids), 'request')} fit, newest first")
    for request_id in found.request_ids:
        st.page_link(
            links.REQUEST,
            label=escaped(request_id),
            icon=":material/arrow_forward:",
            query_params=links.to_request(request_id),
        )
    _ways_on()


def _unknown(found: Resolved) -> None:
    state = data.state()
    if found.mentions:
        st.warning(f"No request with this id is in the store {escaped(state.store)}.", icon=":material/search_off:")
    else:
        st.warning(
            "This is no request id. An id is 32 and 16 hex digits with a dash between; the first 8 digits are enough. "
            "Look whether the address was copied as a whole, or paste the text of the ticket into the box on Requests.",
            icon=":material/search_off:",
        )
        return
    unsampled = sum(reasons.get("not sampled", 0) for reasons in state.drops.values())
    counted = f" ({amounts.count(unsampled)} so far)" if unsampled else ""
    st.markdown(
        "An id can be unknown here because\n\n"
        "- the app records into another data folder than this one,\n"
        f"- the app's own sampler left the request out{counted},\n"
        "- it is so new that it has not been read yet. This page looks again by itself."
    )


def _ways_on() -> None:
    with st.container(horizontal=True):
        st.page_link(links.REQUESTS, label="All requests", icon=":material/arrow_back:")
        st.page_link(links.STATUS, label="Status", icon=":material/sensors:")


@st.fragment(run_every=LOOK_AGAIN_S)
def _wait(asked: str, *, reading: bool) -> None:
    """Draws the page anew once the request has come, or reading has begun or ended."""
    if data.meaning(asked).request_ids or bool(data.state().spool_unread) is not reading:
        st.rerun()
