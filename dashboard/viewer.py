"""Who looks: the zone, the theme, and what was said to them last."""

from __future__ import annotations

from datetime import tzinfo
from typing import Literal

import streamlit as st

from . import times
from .figures import PALETTES, Palette


def zone() -> tzinfo:
    """The zone that the browser names, else UTC."""
    return times.zone_named(st.context.timezone)


def theme() -> str:
    """ "light" or "dark"."""
    return "dark" if st.context.theme.type == "dark" else "light"


def palette() -> Palette:
    """The figures' colours."""
    return PALETTES[theme()]


def main_button() -> Literal["primary", "secondary"]:
    """The type of a page's one main button. White text on the dark theme's primary colour could not be read."""
    return "secondary" if theme() == "dark" else "primary"
