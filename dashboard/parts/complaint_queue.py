"""The queue of complaints: how many are in each state, and a row for each with a real link."""

from __future__ import annotations

from datetime import tzinfo
from typing import Final, Literal

import streamlit as st

from ...actions.complaints import ComplaintPage, ComplaintRow
from ...model import short_id
from ...model.complaint import ComplaintState
from ...store import ComplaintFilter
from .. import amounts, complaints, links, marks, times
from ..text import cell, escaped
from . import pager

PAGE_SIZE: Final = 25
PAGE: Final = "queue_page"
STATES: Final = "state"
"""In the address: states, separated by commas. Counts stand on the pills, so the address holds the bare words."""
_PILLS: Final = "queue_states"
_WORDS: Final = "said"
_OWNER: Final = "owner"
_ANYBODY: Final = "Anybody"
_FRESH_S: Final = 5
_WIDTHS: Final[dict[str, int | Literal["stretch"]]] = {
    "ticket": 104,
    "time": 92,
    "what was said": "stretch",
    "state": 124,
    "request": 112,
    "verdict": 124,
    "owner": 100,
}


def show(zone: tzinfo) -> None:
    """Title, filter and rows; an empty queue says how it is filled."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="queue_filter"):
        title = st.container(width="stretch")
        words, owner = _fields()
    which = ComplaintFilter(words=words, owner=owner, states=_chosen())
    listing, below = st.container(), st.container()
    found = complaints.queue(which, limit=PAGE_SIZE)
    with title:
        _head(found)
    if not found.stored:
        _empty()
        return
    with below:
        page = pager.choose(found.total, PAGE_SIZE, PAGE)
    if page > 1:
        found = complaints.queue(which, limit=PAGE_SIZE, offset=(page - 1) * PAGE_SIZE)
    with listing:
        st.caption(
            f"{amounts.count(found.total)} of {amounts.counted(found.stored, 'complaint')} · newest first · "
            f"times in {times.zone_name(zone)}"
        )
        if found.rows:
            _rows(found.rows, zone)
        else:
            st.info("No complaint matches.", icon=":material/filter_alt_off:")
            st.page_link(
                links.COMPLAINTS, label="Show all complaints", icon=":material/clear_all:", query_params={STATES: ""}
            )
    if page == 1:
        _watch(which, _mark(found))


def within() -> str:
    """The filter as it stands, packed for the address of a complaint."""
    owner = st.session_state.get(_OWNER)
    return links.packed(
        {
            STATES: ",".join(_chosen()),
            _WORDS: st.session_state.get(_WORDS) or "",
            _OWNER: owner if owner and owner != _ANYBODY else "",
        }
    )


def _fields() -> tuple[str, str]:
    """The words and the owner that are asked for; each stands in the address."""
    owners = complaints.queue(ComplaintFilter(), limit=1).owners
    words = st.text_input(
        "Words in ticket, id or user", key=_WORDS, bind="query-params", on_change=_first_page, width=230
    )
    owner = st.selectbox(
        "Owner", [_ANYBODY, *owners], key=_OWNER, bind="query-params", on_change=_first_page, width=150
    )
    return words or "", "" if owner in {None, _ANYBODY} else str(owner)


def _first_page() -> None:
    if PAGE in st.session_state:
        st.session_state[PAGE] = 1


def _chosen() -> tuple[ComplaintState, ...]:
    """The states in the address; what is none of them is left out."""
    names = st.query_params.get(STATES, "").split(",")
    return tuple(state for state in ComplaintState if state.value in names)


def _head(found: ComplaintPage) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader("Queue", anchor=False, width="content")
        shown = [state for state in ComplaintState if found.states.get(state) or state in _chosen()]
        if not shown:
            return
        st.session_state[_PILLS] = list(_chosen())
        st.pills(
            "States",
            shown,
            selection_mode="multi",
            key=_PILLS,
            format_func=lambda state: f"{marks.state_words(state)} {amounts.count(found.states.get(state, 0))}",
            on_change=_choose,
            label_visibility="collapsed",
        )


def _choose() -> None:
    chosen = st.session_state.get(_PILLS) or []
    if chosen:
        st.query_params[STATES] = ",".join(state.value for state in ComplaintState if state in chosen)
    else:
        st.query_params.pop(STATES, None)
    _first_page()


def _empty() -> None:
    with st.container(border=True):
        st.markdown("**No complaint yet**")
        st.text(
            "Paste a ticket above, or import an export of your help desk. Help desks and apps can post tickets to "
            "/v1/complaints of this hub; thumbs down in an app opens one by itself."
        )


def _row() -> st.delta_generator.DeltaGenerator:
    return st.container(horizontal=True, gap="xsmall", height=32, border=False, vertical_alignment="center", wrap=False)


def _rows(rows: tuple[ComplaintRow, ...], zone: tzinfo) -> None:
    filtered = within()
    with st.container(border=True, gap=None, key="queue_rows"):
        with _row():
            for title, width in _WIDTHS.items():
                st.caption(title, width=width)
        for row in rows:
            with _row():
                _show(row, zone, filtered)


def _show(row: ComplaintRow, zone: tzinfo, filtered: str) -> None:
    complaint = row.complaint
    st.page_link(
        links.COMPLAINTS,
        label=f"{escaped(cell(complaint.complaint_id, 13))} ›",
        query_params=links.to_complaint(complaint.complaint_id, within=filtered),
        width=_WIDTHS["ticket"],
    )
    st.text(times.minute(complaint.at_ns, zone), width=_WIDTHS["time"], wrap=False)
    st.text(cell(complaint.text) or "–", width=_WIDTHS["what was said"], wrap=False)
    with st.container(width=_WIDTHS["state"]):
        st.badge(escaped(marks.state_words(row.state)), color=marks.state_colour(row.state))
    with st.container(width=_WIDTHS["request"]):
        request(row)
    with st.container(width=_WIDTHS["verdict"]):
        if row.verdict:
            st.badge(escaped(marks.verdict_words(row.verdict)), color=marks.verdict_colour(row.verdict))
        else:
            st.text("")
    st.text(cell(complaint.owner, 40), width=_WIDTHS["owner"], wrap=False)


def request(row: ComplaintRow) -> None:
    """The linked request, else the one that the text names by its first digits, else nothing."""
    request_id = row.request_id or row.named_id
    if request_id is None:
        st.text("")
        return
    name = short_id(request_id)
    st.page_link(
        links.REQUEST,
        label=f"{name} ›" if row.request_id else f"{name} ?",
        query_params=links.to_request(request_id),
        help=None if row.request_id else "The text names it by its first digits; not linked",
    )


def _mark(found: ComplaintPage) -> str:
    newest = found.rows[0].complaint.complaint_id if found.rows else ""
    return f"{found.stored} {found.total} {newest} {sorted(found.states.items())}"


@st.fragment(run_every=_FRESH_S)
def _watch(which: ComplaintFilter, seen: str) -> None:
    """Draws the page anew once another ticket has come, or one has changed its state."""
    if _mark(complaints.queue(which, limit=1)) != seen:
        st.rerun()
