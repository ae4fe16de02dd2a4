"""The top of a complaint: the way back, its state and facts, who looks after it, close and reopen."""

from __future__ import annotations

from datetime import tzinfo

import streamlit as st

from ...actions.complaints import ComplaintRow
from ...model.complaint import ComplaintSource
from ...store import ComplaintFilter
from .. import complaints, links, marks, times
from ..frames import complaint_history
from ..text import cell, escaped
from . import complaint_close, notices

_SOURCES = {
    ComplaintSource.TICKET: "ticket",
    ComplaintSource.FEEDBACK: "thumbs down",
    ComplaintSource.APP: "posted",
}
_OWNER = "complaint_owner"


def show(row: ComplaintRow, zone: tzinfo) -> None:
    """Everything above the cards."""
    complaint = row.complaint
    with st.container(horizontal=True, vertical_alignment="center"):
        back()
        st.space("stretch")
        if complaint.closing is None:
            complaint_close.button(complaint.complaint_id)
        else:
            _reopen(complaint.complaint_id)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        with st.container(width="stretch", gap="xsmall"):
            colour = marks.state_colour(row.state)
            name = escaped(cell(complaint.complaint_id, 80))
            st.header(f"{name} :{colour}-badge[{escaped(marks.state_words(row.state))}]", anchor=False)
            st.caption(escaped(facts(row, zone)))
        _owner(row)
    if complaint.closing is not None:
        st.success(escaped(complaint_history.closed(complaint.closing, zone)), icon=":material/task_alt:")


def back() -> None:
    """To the queue as it was filtered."""
    st.page_link(
        links.COMPLAINTS,
        label="Complaints",
        icon=":material/arrow_back:",
        query_params=links.unpacked(st.query_params.get(links.WITHIN, "")),
        width="content",
    )


def facts(row: ComplaintRow, zone: tzinfo) -> str:
    """Time, user, session, app, how it came, and how long it took until a verdict."""
    complaint = row.complaint
    after = row.verdict_after_s
    parts = [
        times.second(complaint.at_ns, zone),
        f"user {complaint.who}" if complaint.who else "",
        f"session {complaint.session}" if complaint.session else "",
        " ".join(part for part in (complaint.app, complaint.environment) if part),
        _SOURCES[complaint.source],
        "" if after is None else f"first verdict {times.ago(0, int(after * times.SECOND_NS))} after the complaint",
        "its question is in an eval set" if row.promoted else "",
    ]
    return " · ".join(cell(part, 120) for part in parts if part)


def _owner(row: ComplaintRow) -> None:
    complaint_id, owner = row.complaint.complaint_id, row.complaint.owner
    me = complaints.viewer_name()
    people = {*complaints.queue(ComplaintFilter(), limit=1).owners, me, *([owner] if owner else [])}
    key = f"{_OWNER}_{complaint_id}"
    st.session_state[key] = owner
    st.selectbox(
        "Owner",
        sorted(people),
        index=None,
        key=key,
        placeholder="Nobody",
        accept_new_options=True,
        on_change=_assign,
        args=(complaint_id, key),
        help="Choose or type a name; clear it for nobody",
        width=200,
    )
    if owner != me:
        st.button("Take it", key="take_it", icon=":material/front_hand:", on_click=_take, args=(complaint_id, me))


def _assign(complaint_id: str, key: str) -> None:
    _take(complaint_id, st.session_state.get(key) or "")


def _take(complaint_id: str, owner: str) -> None:
    notices.guarded(lambda: complaints.assign(complaint_id, owner))


def _reopen(complaint_id: str) -> None:
    with st.popover("Reopen", icon=":material/replay:"):
        st.text_input("Why (kept as a note)", key="reopen_reason")
        st.button("Reopen", key="reopen", on_click=_do_reopen, args=(complaint_id,))


def _do_reopen(complaint_id: str) -> None:
    notices.guarded(lambda: complaints.reopen(complaint_id, st.session_state.get("reopen_reason") or ""))
