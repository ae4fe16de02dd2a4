"""What is said once after an action, and the ingester's trouble on every page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from ...model import GoldrankError
from .. import holder, links
from ..text import message

_DONE = "notice_done"
_FAILED = "notice_failed"
_LATE_S = 30.0
"""A frame that waits longer than this is worth a word on every page."""


def done(text: str) -> None:
    """Says `text` when the page is drawn next."""
    st.session_state[_DONE] = text


def failed(text: str) -> None:
    """Says what went wrong when the page is drawn next."""
    st.session_state[_FAILED] = text


def guarded(act: Callable[[], Any]) -> bool:
    """Runs `act`; what it refuses is said on the page. False when it was refused."""
    try:
        act()
    except GoldrankError as error:
        failed(str(error))
        return False
    return True


def show() -> None:
    """Shows and forgets what was left to say."""
    forget(show_and_keep())


def show_and_keep() -> dict[str, str]:
    """Shows what was left to say; `forget` it once the page is drawn: a quick key may cut this run short."""
    said = {name: text for name in (_FAILED, _DONE) if (text := st.session_state.get(name))}
    if text := said.get(_FAILED):
        st.error(message(text), icon=":material/error:")
    if text := said.get(_DONE):
        st.success(message(text), icon=":material/check_circle:")
    return said


def forget(said: dict[str, str]) -> None:
    """Forgets what was said, and keeps what came in the meantime."""
    for name, text in said.items():
        if st.session_state.get(name) == text:
            del st.session_state[name]


def show_troubles() -> None:
    """On every page: an ingester that is in trouble, has stopped, or lags behind."""
    ingester = holder.workspace().ingester
    if ingester is None:
        return
    now = ingester.state
    if now.message or not now.healthy:
        _trouble("The ingester has trouble", now.message or "It tries again by itself.")
    elif not now.running:
        _trouble(
            "The ingester has stopped",
            "What apps record waits in the spool. Restart the hub: goldrank up",
        )
    elif now.oldest_unread_s is not None and now.oldest_unread_s > _LATE_S:
        _trouble("The ingester lags behind", f"The oldest record has waited {now.oldest_unread_s:,.0f} s.")


def _trouble(title: str, body: str) -> None:
    st.warning(message(body), title=title, icon=":material/sync_problem:")
    st.page_link(links.STATUS, label="Open Status", icon=":material/sensors:")
