"""Keys are pressed faster than pages are drawn: a press acts on the request that was seen, or not at all.

While another request is being drawn the browser shows parts of both, and a key reaches the buttons of both.
"""

from __future__ import annotations

import streamlit as st

from ...model import short_id
from .. import links
from . import notices

_AT = "request_at"
"""The request that is drawn, or that a key goes to."""
_DRAWN = "request_drawn"
"""The request that was drawn last, down to what its keys act on."""


def begin(request_id: str) -> None:
    """The page of this request is being drawn."""
    st.session_state[_AT] = request_id


def finish(request_id: str) -> None:
    """All that its keys act on is drawn: from here on they count, while the lists below may still come."""
    st.session_state[_DRAWN] = request_id


def counts(request_id: str) -> bool:
    """Whether a key pressed on this request's page may change it; else the page says that it did not."""
    at = st.session_state.get(_AT)
    if at == request_id and st.session_state.get(_DRAWN) == request_id:
        return True
    if at == request_id:
        notices.failed("Nothing was changed: the page was still being drawn. Look at it, and press again.")
    else:
        notices.failed(
            f"Nothing was changed: the key was meant for request {short_id(request_id)}, "
            "and the page had already moved on."
        )
        _stay(at)
    return False


def go(origin: str, target: str) -> None:
    """From one request to another, with the same tab and the same list (a callback).

    What belonged to the last one goes. A second press before the page has come is not a second step.
    """
    if st.session_state.get(_AT) != origin:
        _stay(st.session_state.get(_AT))
        return
    for name in (links.CHUNK, "focus", "stages"):
        if name in st.query_params:
            del st.query_params[name]
    st.query_params[links.REQUEST_ID] = target
    st.session_state[_AT] = target


def _stay(request_id: str | None) -> None:
    """The browser did not know yet where the page went, and named the request before it: it is told again."""
    if request_id:
        st.query_params[links.REQUEST_ID] = request_id
