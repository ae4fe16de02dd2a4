"""Texts of any length: shown in part, with the full size named, all of it on demand, and as a file."""

from __future__ import annotations

import streamlit as st

from .. import amounts
from ..text import literal

PART = 500
_MOST = 200_000
"""Characters; beyond, the browser is not asked to show it all at once."""


def show(text: str, key: str, *, part: int = PART, name: str = "text") -> None:
    """The text, literally. Longer than `part` characters: its beginning, and the ways to the rest."""
    opened = bool(st.session_state.get(f"{key}_all"))
    limit = _MOST if opened else part
    st.text(literal(text[:limit]))
    if len(text) <= part:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        if not opened:
            st.caption(f"{amounts.count(limit)} of {amounts.count(len(text))} characters")
            st.button(
                f"Show all {amounts.count(len(text))} characters"
                if len(text) <= _MOST
                else f"Show {amounts.count(_MOST)} characters",
                key=f"{key}_more",
                type="tertiary",
                on_click=_open,
                args=(f"{key}_all",),
            )
        elif len(text) > _MOST:
            st.caption(f"{amounts.count(_MOST)} of {amounts.count(len(text))} characters")
        st.download_button(
            "Download",
            text.encode("utf-8", "replace"),
            file_name=f"{name}.txt",
            mime="text/plain",
            key=f"{key}_file",
            type="tertiary",
            on_click="ignore",
            icon=":material/download:",
        )


def _open(key: str) -> None:
    st.session_state[key] = True
