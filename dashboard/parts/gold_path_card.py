"""The gold's rank after each stage, as figure and as table."""

from __future__ import annotations

import streamlit as st

from ...actions import RequestView
from .. import viewer
from ..figures import GoldPath, gold_path, gold_path_alt, gold_path_figure
from ..figures.gold_tracks import ColumnState
from ..frames.chunk_names import names_of
from ..frames.gold_table import gold_table
from ..text import cell, escaped
from . import tables

WIDE_FROM = 8
"""With so many columns the figure needs the page's full width."""
_FOCUS = "focus"


def is_wide(view: RequestView) -> bool:
    """Whether the card takes the whole width."""
    return len(gold_path(view.recorded, view.diagnosis).columns) >= WIDE_FROM


def show(view: RequestView, *, below: bool = True) -> None:
    """The card. `below`: whether it stretches to its neighbour's height."""
    path = gold_path(view.recorded, view.diagnosis)
    drawable = any(column.state is ColumnState.LIST for column in path.columns)
    with st.container(border=True, height="stretch" if below else "content"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown("**Gold path** :small[rank after each stage, as recorded]", width="stretch")
            chosen = (
                st.segmented_control(
                    "View",
                    ["Figure", "Table"],
                    default="Figure",
                    required=True,
                    key="view",
                    bind="query-params",
                    label_visibility="collapsed",
                )
                if drawable
                else "Table"
            )
        focus = _golds(path, view)
        if chosen == "Table":
            _table(view)
        else:
            _figure(path, focus)


def _golds(path: GoldPath, view: RequestView) -> str | None:
    """The golds: a badge for one, pills to choose from for more. The label id of the chosen one."""
    names = names_of(view.recorded)
    if len(path.golds) == 1:
        st.badge(f"★ {escaped(cell(path.golds[0].name, 90))}", color="orange")
        return None
    labels = {f"{gold.letter} {names.short(gold.name, 220)}": gold.label_id for gold in path.golds}
    chosen = st.pills(
        "Gold",
        list(labels),
        key=_FOCUS,
        bind="query-params",
        format_func=escaped,
        label_visibility="collapsed",
    )
    return labels.get(chosen) if isinstance(chosen, str) else None


def _figure(path: GoldPath, focus: str | None) -> None:
    st.plotly_chart(
        gold_path_figure(path, viewer.palette(), focus=focus),
        theme=None,
        key="gold_path",
        config={"displayModeBar": False, "scrollZoom": False, "doubleClick": False},
        alt=gold_path_alt(path),
    )
    st.caption(_legend(path))


def _legend(path: GoldPath) -> str:
    """Only what is drawn."""
    parts = ["Amber: gold"]
    if path.delivered:
        parts.append("slate: delivered")
    if path.forbidden:
        parts.append("red diamonds: must not be seen")
    parts.append("bar: depth of the list")
    if any(column.reach > column.depth for column in path.columns):
        parts.append("dotted bar: asked for, not returned")
    if any(line.derived for line in path.lines):
        parts.append("dotted line: flow derived from the lists")
    if any(gold.cut_at for gold in path.golds):
        parts.append("red line: where the prompt cuts")
    return " · ".join(parts)


def _table(view: RequestView) -> None:
    tables.show(
        gold_table(view.recorded, view.diagnosis),
        row_height=32,
        alt="Rank of each gold after each stage",
    )
