"""Above the list: go through it request by request, and keep its filter under a name."""

from __future__ import annotations

import streamlit as st

from ...store import RequestFilter, RequestRow
from .. import amounts, data, links, queue
from ..frames.request_filter import in_words
from ..text import cell, escaped
from . import notices


def replays_left_out(which: RequestFilter) -> str:
    """ " · 3 replays left out" for the caption; empty where there is none."""
    if which.replays is not False:
        return ""
    count = data.page_of_requests(which.model_copy(update={"replays": True}), limit=1, offset=0).matching
    return f" · {amounts.counted(count, 'replay')} left out" if count else ""


def work_through(rows: tuple[RequestRow, ...], within: str) -> None:
    """Opens the first request shown; its page goes on through the list by keyboard."""
    pressed = st.button(
        "Work through these",
        key="work_through",
        icon=":material/keyboard:",
        shortcut="w",
        disabled=not rows,
        help="Opens the first one; J goes on, the number keys mark, L and X put aside",
    )
    if pressed and rows:
        st.switch_page(links.REQUEST, query_params=links.to_request(rows[0].request_id, within=within))


def show(within: str) -> None:
    """The popover: saved filters to open or remove, the present one to save, and its link."""
    with st.popover("Saved filters", icon=":material/bookmark:"):
        saved = queue.filters()
        if not saved:
            st.caption("None yet. A saved filter is this list as it is filtered now, under a name for everybody.")
        for number, one in enumerate(saved):
            with st.container(horizontal=True, vertical_alignment="center"):
                words = in_words(links.unpacked(one.params)) or "all requests"
                st.page_link(
                    links.REQUESTS,
                    label=escaped(cell(one.name, 60)),
                    query_params=links.unpacked(one.params),
                    help=escaped(cell(f"{words} · saved by {one.who}", 200)),
                    width="stretch",
                )
                st.button(
                    "",
                    key=f"drop_filter_{number}_{one.at_ns}",
                    icon=":material/delete:",
                    help="Remove this saved filter",
                    on_click=_drop,
                    args=(one.name,),
                )
        with st.form("save_filter", border=False, clear_on_submit=True):
            st.text_input("Save this list as", key="filter_name", max_chars=80)
            st.form_submit_button("Save", on_click=_save, args=(within,))
        st.caption("Link to this list")
        st.code(_address(within), language=None, wrap_lines=True)


def _address(within: str) -> str:
    """The list's own address, to be pasted into a ticket."""
    base = (st.context.url or "").partition("?")[0].rstrip("/") + "/"
    return f"{base}?{within}" if within else base


def _save(within: str) -> None:
    name = str(st.session_state.get("filter_name", ""))
    if notices.guarded(lambda: queue.keep_filter(name, within)):
        notices.done(f"Saved: {name.strip()}.")


def _drop(name: str) -> None:
    if notices.guarded(lambda: queue.drop_filter(name)):
        notices.done(f"Removed the saved filter {name}.")
