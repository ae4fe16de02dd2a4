"""When each stage began and how long it took."""

from __future__ import annotations

import streamlit as st

from ...actions import RequestView
from .. import amounts, viewer
from ..figures.timing_bars import timing_figure
from ..frames.timings import timing_rows
from ..text import cell
from . import tables

_MOST_BARS = 40


def show(view: RequestView) -> None:
    """Figure and table."""
    rows = timing_rows(view.recorded)
    if not rows:
        st.info("No stage was recorded.", icon=":material/timer:")
        return
    request = view.recorded.request
    st.caption(f"{amounts.counted(len(rows), 'stage')} · the whole request: {amounts.took(request.duration_ms)}")
    if len(rows) <= _MOST_BARS:
        st.plotly_chart(
            timing_figure(rows, viewer.palette()),
            theme=None,
            key="timings",
            config={"displayModeBar": False},
            alt="Start and duration of each stage",
        )
    tables.show(
        {
            "stage": [cell(row.stage, 80) for row in rows],
            "kind": [row.kind for row in rows],
            "began, ms": [f"{row.began_ms:,.1f}" for row in rows],
            "took, ms": [row.took for row in rows],
            "ended": [row.outcome for row in rows],
            "note": [cell(row.note, 300) for row in rows],
        },
        row_height=28,
        shape={
            "began, ms": tables.Column(right=True),
            "took, ms": tables.Column(right=True),
        },
        alt="Start and duration of each stage",
    )
