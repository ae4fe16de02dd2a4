"""Pages of a long list: the numbers stand below it, and the address keeps the one that is shown."""

from __future__ import annotations

import math

import streamlit as st

_WIDTH = 320


def choose(total: int, size: int, key: str) -> int:
    """Draws the numbers where they are needed; the 1-based page that is shown.

    Call it inside the container that stands below the list, before the rows of that page are read.
    """
    pages = math.ceil(total / size)
    if pages <= 1:
        return 1
    with st.container(horizontal=True, horizontal_alignment="center"):
        return st.pagination(pages, key=key, bind="query-params", width=_WIDTH)
