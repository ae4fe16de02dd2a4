"""When each stage ran, as bars on the request's clock."""

from __future__ import annotations

from typing import Protocol

import plotly.graph_objects as go  # type: ignore[import-untyped]

from ..text import in_figure, shortened
from .palette import FONT, Palette


class Timed(Protocol):
    """What a bar needs."""

    @property
    def stage(self) -> str: ...
    @property
    def began_ms(self) -> float: ...
    @property
    def duration_ms(self) -> float | None: ...
    @property
    def took(self) -> str: ...
    @property
    def outcome(self) -> str: ...


def timing_figure(rows: tuple[Timed, ...], palette: Palette) -> go.Figure:
    """One bar a row, the first on top; a stage without an end is a thin mark. Failed ones are red."""
    places = list(range(len(rows)))
    longest = max((row.began_ms + (row.duration_ms or 0) for row in rows), default=0)
    figure = go.Figure(
        go.Bar(
            x=[max(row.duration_ms or 0, longest / 400) for row in rows],
            y=places,
            base=[row.began_ms for row in rows],
            orientation="h",
            width=0.55,
            marker={"color": [palette.lost if row.outcome == "error" else palette.other for row in rows]},
            text=[row.took for row in rows],
            textposition="outside",
            textfont={"color": palette.faint, "size": 11, "family": FONT},
            hoverinfo="skip",
            cliponaxis=False,
        )
    )
    figure.update_layout(
        height=60 + 24 * max(1, len(rows)),
        margin={"l": 150, "r": 60, "t": 8, "b": 34},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"family": FONT, "size": 12, "color": palette.text},
        dragmode=False,
        showlegend=False,
        xaxis={
            "title": {"text": "ms after the start", "font": {"size": 11, "color": palette.faint}},
            "gridcolor": palette.grid,
            "tickfont": {"color": palette.faint},
            "zeroline": False,
            "fixedrange": True,
        },
        yaxis={
            "tickvals": places,
            "ticktext": [in_figure(shortened(row.stage, 20)) for row in rows],
            "autorange": "reversed",
            "fixedrange": True,
        },
    )
    return figure
