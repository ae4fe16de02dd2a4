"""Keys are pressed faster than pages are drawn: a press acts on the request that was seen, or not at all."""

from __future__ import annotations

import streamlit as st

from ...model import short_id
from .. import links
from . import notices


def still_here(request_id: str, asked: str) -> bool:
    """Whether the address still names the request that the pressed button was drawn for; else it says so.

    `asked` is the address's own word for `request_id` when the button was drawn: a short id, or the whole one.
    """
    now = st.query_params.get(links.REQUEST_ID, "")
    if now in {asked, request_id}:
        return True
    notices.failed(
        f"Nothing was changed: the key was meant for request {short_id(request_id)}, and the page had already moved on."
    )
    return False


def asked() -> str:
    """The address's word for the request that is being drawn."""
    return st.query_params.get(links.REQUEST_ID, "")


def go(request_id: str) -> None:
    """Another request with the same tab and the same list; what belonged to the last one goes (a callback)."""
    for name in (links.CHUNK, "focus", "stages"):
        if name in st.query_params:
            del st.query_params[name]
    st.query_params[links.REQUEST_ID] = request_id
