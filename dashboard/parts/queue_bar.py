"""Working through a list: later, cannot tell, assign, undo, and what the keys do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

import streamlit as st

from ...actions import RequestView
from ...actions.triage import Queued
from ...model import short_id
from ...model.triage import TriageState
from ...store import Neighbours
from .. import amounts, links, queue
from ..text import cell, escaped
from . import notices, pressing, search_key, undoing

_KEYS = "Keys: {mark}A to me · U undo · J next · K back · / search, Esc leaves it"
_MARK = "1–9 gold · L later · X cannot tell · "


class _Aside(NamedTuple):
    """A way to leave the queue without a label."""

    label: str
    state: TriageState
    key: str
    icon: str


_ASIDE: Final = (
    _Aside("Later", TriageState.LATER, "l", ":material/schedule:"),
    _Aside("Cannot tell", TriageState.CANNOT_TELL, "x", ":material/help:"),
)


def show(view: RequestView) -> None:
    """One row: where the request stands, the buttons, the keys."""
    request_id = view.recorded.request.request_id
    now = queue.where(request_id)
    unlabelled = not view.diagnosis.outcomes
    with st.container(horizontal=True, vertical_alignment="center", key="queue_bar"):
        if unlabelled:
            for way in _ASIDE:
                _put_aside(request_id, now, way)
        _assign(request_id, now)
        _undo(request_id)
        _standing(request_id, now)
        st.caption(_KEYS.format(mark=_MARK if unlabelled else ""), width="stretch", text_alignment="right")
    search_key.listen()


def show_end(place: Neighbours, params: Mapping[str, str]) -> None:
    """The end of a list whose last request was dealt with, with the way back."""
    if place.place is not None or place.older is not None:
        return
    if place.newer is None:
        st.success("Nothing left in this list.", icon=":material/done_all:")
    else:
        left = amounts.counted(place.matching, "newer request")
        st.info(f"The end of this list. {left} still in it: K goes back to them.", icon=":material/last_page:")
    if st.button("Back to the list", key="back_to_list", icon=":material/arrow_back:", shortcut="b"):
        st.switch_page(links.REQUESTS, query_params=dict(params))


def _put_aside(request_id: str, now: Queued, way: _Aside) -> None:
    # The request is part of the key: a press that comes late is of a button that is gone, not of its successor.
    st.button(
        way.label,
        key=f"aside_{way.key}_{request_id}",
        icon=way.icon,
        shortcut=way.key,
        disabled=now.state is way.state,
        on_click=_set_aside,
        args=(request_id, way.state),
    )


def _set_aside(request_id: str, state: TriageState | None) -> None:
    if pressing.counts(request_id):
        notices.guarded(lambda: undoing.remembering(request_id, lambda: queue.put_aside(request_id, state)))


def _assign(request_id: str, now: Queued) -> None:
    me = queue.me()
    st.button(
        "Assign to me",
        key=f"assign_me_{request_id}",
        icon=":material/person:",
        shortcut="a",
        disabled=now.assigned_to == me,
        on_click=_assign_to,
        args=(request_id, me),
    )
    with st.popover("", icon=":material/group:", help="Assign to somebody else"):
        to = st.text_input("Assign to", key=f"assign_name_{request_id}", max_chars=80)
        st.button(
            "Assign" if to.strip() or not now.assigned_to else "Assign to nobody",
            key=f"assign_other_{request_id}",
            disabled=not to.strip() and not now.assigned_to,
            on_click=_assign_to,
            args=(request_id, to),
        )


def _assign_to(request_id: str, to: str) -> None:
    if pressing.counts(request_id):
        notices.guarded(lambda: undoing.remembering(request_id, lambda: queue.assign_to(request_id, to)))


def _undo(request_id: str) -> None:
    change = undoing.next_one(request_id)
    where = "" if change is None or change.request_id == request_id else f" on {short_id(change.request_id)}"
    st.button(
        "Undo",
        key=f"undo_last_{request_id}_{change.at_ns if change else 0}",
        icon=":material/undo:",
        shortcut="u",
        disabled=change is None,
        help=f"Takes back{where}: {escaped(cell(change.words, 80))}" if change else "Nothing was changed yet",
        on_click=undoing.take_back,
        args=(request_id, change),
    )


def _standing(request_id: str, now: Queued) -> None:
    if now.state is not None:
        st.badge(now.state.value.replace("_", " "), color="gray", icon=":material/schedule:")
        st.button(
            "",
            key=f"aside_none_{request_id}",
            icon=":material/playlist_add:",
            help="Back into the queue",
            type="tertiary",
            on_click=_set_aside,
            args=(request_id, None),
        )
    if now.assigned_to:
        st.badge(escaped(cell(now.assigned_to, 30)), color="gray", icon=":material/person:")
