"""Figures: pure functions from a request to a Plotly figure. Nothing here knows streamlit.

from goldrank.dashboard.figures import PALETTES, gold_path, gold_path_figure

figure = gold_path_figure(gold_path(view.recorded, view.diagnosis), PALETTES["light"])
"""

from __future__ import annotations

from .gold_path import gold_path_alt, gold_path_figure, gold_path_height
from .gold_tracks import PROMPT, Column, ColumnState, GoldPath, GoldTrack, Line, Spot, gold_path
from .palette import PALETTES, Palette

__all__ = [
    "PALETTES",
    "PROMPT",
    "Column",
    "ColumnState",
    "GoldPath",
    "GoldTrack",
    "Line",
    "Palette",
    "Spot",
    "gold_path",
    "gold_path_alt",
    "gold_path_figure",
    "gold_path_height",
]
