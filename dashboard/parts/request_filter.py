"""The widgets of the list's filter; each is bound to its parameter in the address."""

from __future__ import annotations

import streamlit as st

from ...store import Facets
from .. import queue
from ..frames import request_filter as rules

PAGE = "page"


def _first_page() -> None:
    """Another filter begins at its first page."""
    if PAGE in st.session_state:
        st.session_state[PAGE] = 1


def show(facets: Facets, zone: str) -> dict[str, str]:
    """Draws the widgets; their values as parameters of the address, without those that filter nothing."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _choice("time", f"Time ({zone})", rules.TIMES, width=160)
        st.text_input("Words in question or answer", key="words", bind="query-params", on_change=_first_page, width=200)
        _choice("verdict", "Verdict", rules.VERDICTS, width=150)
        _choice("labelled", "Labels", rules.LABELLED, width=130)
        _choice("complained", "Complaint", rules.COMPLAINED, width=140)
        _choice("queue", "Queue", rules.QUEUES, width=120)
        with st.popover("More", icon=":material/tune:"):
            st.text_input("User", key="user", bind="query-params", on_change=_first_page)
            _choice("status", "Status", rules.STATUSES)
            _choice("app", "App", (rules.ANY, *facets.apps))
            _choice("environment", "Environment", (rules.ANY, *facets.environments))
            _choice("assigned", "Assigned to", _people())
            _choice("replays", "Replays", rules.REPLAYS)
    if st.session_state.get("time") == rules.DAYS:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            _day("from", "From (day included)")
            _day("to", "To (day included)")
    return _values()


def _people() -> tuple[str, ...]:
    """Whom one may choose: oneself, everybody who has something, and whom the address names."""
    named = st.session_state.get("assigned") or st.query_params.get("assigned")
    return tuple(dict.fromkeys((rules.ANY, queue.me(), *queue.people(), *([named] if named else []))))


def _choice(key: str, label: str, options: tuple[str, ...], width: int | None = None) -> None:
    st.selectbox(label, options, key=key, bind="query-params", on_change=_first_page, width=width or "stretch")


def _day(key: str, label: str) -> None:
    st.date_input(
        label, value=None, key=key, bind="query-params", on_change=_first_page, format="YYYY-MM-DD", width=170
    )


def _values() -> dict[str, str]:
    values = {}
    for name in rules.PARAMS:
        value = st.session_state.get(name)
        text = "" if value is None else str(value)
        if text and text not in {rules.ANY, rules.ANY_TIME, rules.REPLAYS[0]}:
            values[name] = text
    return values
