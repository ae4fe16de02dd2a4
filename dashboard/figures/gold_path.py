"""The gold path as a figure: a bar a stage from rank 1 to its depth, and the gold's line through them."""

from __future__ import annotations

import math
from typing import Any, Final

import plotly.graph_objects as go  # type: ignore[import-untyped]

from ..text import in_figure, shortened
from .gold_tracks import MOST_GOLDS, PROMPT, ChunkTrack, Column, ColumnState, GoldPath, GoldTrack, Spot
from .palette import FONT, Palette

_TICKS: Final = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
_TOP: Final = 0.86
"""Where bars begin, a little above rank 1."""
_BAR_HALF: Final = 0.1
_MANY: Final = 7
"""With more stages than this, headers are slanted and markers smaller."""
_LANE_FACTOR: Final = 1.55
_LETTERS_IN_LANE: Final = 3
_DASHES: Final = ("solid", "dash", "dot", "dashdot", "longdash")


def gold_path_height(path: GoldPath) -> int:
    """In pixels."""
    return 420 if len(path.columns) > _MANY else 370


def gold_path_figure(path: GoldPath, palette: Palette, *, focus: str | None = None) -> go.Figure:
    """The figure. `focus` is the label id of the gold that is drawn bold; the others become thin."""
    golds = _drawn(path, focus)
    figure = go.Figure()
    for column in path.columns:
        _draw_column(figure, column, path, palette)
    for track in path.delivered:
        _draw_chunk(figure, path, track, palette.other, palette, width=1.3, symbol="circle", size=6)
    for track in path.forbidden:
        _draw_chunk(figure, path, track, palette.lost, palette, width=2, symbol="diamond", size=9)
    for gold in golds:
        _draw_cut(figure, path, gold, palette)
    for gold in golds:
        thin = focus is not None and gold.label_id != focus
        dash = _DASHES[path.golds.index(gold) % len(_DASHES)]
        _draw_gold(figure, path, gold, golds, palette, dash=dash, thin=thin)
    _draw_lane(figure, path, golds, palette)
    _lay_out(figure, path, palette, lane=_lane_needed(golds))
    return figure


def gold_path_alt(path: GoldPath) -> str:
    """The figure in words: each gold's ranks in order."""
    names = {column.column_id: column.name for column in path.columns}
    sentences = []
    for track in path.golds:
        places = [f"{spot.rank} in {names[spot.column_id]}" for spot in track.spots if spot.rank is not None]
        sentences.append(f"{track.name}: " + (", ".join(places) if places else "in no list"))
    return "Rank of the gold after each stage. " + "; ".join(sentences)


def _drawn(path: GoldPath, focus: str | None) -> tuple[GoldTrack, ...]:
    """At most five golds, the best-ranked and the chosen one last, so that they lie on top."""

    def worst_first(track: GoldTrack) -> tuple[bool, int]:
        ranks = [spot.rank for spot in track.spots if spot.rank is not None]
        return (track.label_id == focus, -min(ranks, default=10**6))

    return tuple(sorted(path.golds, key=worst_first)[-MOST_GOLDS:])


def _lane_needed(golds: tuple[GoldTrack, ...]) -> bool:
    return any(spot.rank is None for track in golds for spot in track.spots if spot.column_id != PROMPT)


def _lane_y(path: GoldPath) -> float:
    return path.deepest * _LANE_FACTOR


def _draw_column(figure: go.Figure, column: Column, path: GoldPath, palette: Palette) -> None:
    solid = {"fillcolor": palette.bar, "line": {"width": 0}}
    dotted: dict[str, Any] = {"line": {"color": palette.outline, "width": 1, "dash": "dot"}}
    missing: dict[str, Any] = {"line": {"color": palette.lost, "width": 1.2, "dash": "dot"}}
    if column.state is ColumnState.LIST:
        top = column.missing_top + 0.5 if column.missing_top else _TOP
        _bar(figure, column.x, (top, max(column.depth, _TOP + 0.2)), solid)
        if column.missing_top:
            _bar(figure, column.x, (_TOP, top), missing)
            _inside(figure, column.x, (_TOP, top), f"1–{column.missing_top} not recorded", palette.lost)
        if column.reach > column.depth:
            _bar(figure, column.x, (column.depth, min(column.reach, path.deepest)), dotted)
        return
    words = {
        ColumnState.FAILED: ("✕ failed", palette.lost),
        ColumnState.EMPTY: ("no recorded chunk" if column.column_id == PROMPT else "empty list", palette.faint),
        ColumnState.NOT_RECORDED: ("not recorded", palette.faint),
    }
    text, colour = words[column.state]
    reach = (_TOP, max(min(column.reach or 20, path.deepest), 5))
    _bar(figure, column.x, reach, dotted)
    _inside(figure, column.x, reach, text, colour)


def _bar(figure: go.Figure, x: float, reach: tuple[float, float], style: dict[str, Any]) -> None:
    """A bar around `x` from one rank to another."""
    top, bottom = reach
    figure.add_shape(type="rect", x0=x - _BAR_HALF, x1=x + _BAR_HALF, y0=top, y1=bottom, layer="below", **style)


def _inside(figure: go.Figure, x: float, reach: tuple[float, float], text: str, colour: str) -> None:
    """A word along a bar."""
    middle = math.log10(math.sqrt(reach[0] * reach[1]))
    figure.add_annotation(
        x=x, y=middle, text=text, textangle=-90, showarrow=False, font={"size": 11, "color": colour, "family": FONT}
    )


def _place(track: GoldTrack | ChunkTrack, column_id: str) -> int | None:
    return next((spot.rank for spot in track.spots if spot.column_id == column_id), None)


def _draw_chunk(
    figure: go.Figure,
    path: GoldPath,
    track: ChunkTrack,
    colour: str,
    palette: Palette,
    *,
    width: float,
    symbol: str,
    size: int,
) -> None:
    xs = {column.column_id: column.x for column in path.columns}
    for line in path.lines:
        start, end = _place(track, line.source_id), _place(track, line.target_id)
        if start is not None and end is not None:
            figure.add_scatter(
                x=[xs[line.source_id], xs[line.target_id]],
                y=[start, end],
                mode="lines",
                line={"color": colour, "width": width, "dash": "dot" if line.derived else "solid"},
                hoverinfo="skip",
                showlegend=False,
            )
    spots = [spot for spot in track.spots if spot.rank is not None]
    figure.add_scatter(
        x=[xs[spot.column_id] for spot in spots],
        y=[spot.rank for spot in spots],
        mode="markers",
        marker={"color": colour, "size": size, "symbol": symbol, "line": {"width": 0}},
        hovertext=[in_figure(f"{track.chunk_id}: rank {spot.rank}") for spot in spots],
        hoverinfo="text",
        hoverlabel=_hover(palette),
        showlegend=False,
    )


def _hover(palette: Palette) -> dict[str, Any]:
    return {
        "bgcolor": palette.ground,
        "bordercolor": palette.outline,
        "font": {"family": FONT, "color": palette.text, "size": 12},
    }


def _draw_cut(figure: go.Figure, path: GoldPath, track: GoldTrack, palette: Palette) -> None:
    """The cut across the last list and the prompt, and where the gold stayed behind."""
    column, prompt = path.column(track.cut_after or ""), path.column(PROMPT)
    rank = _place(track, track.cut_after or "")
    if column is None or prompt is None or rank is None:
        return
    if track.cut_at:
        at = math.sqrt(track.cut_at * (track.cut_at + 1))
        figure.add_shape(
            type="line",
            x0=column.x - 0.3,
            x1=prompt.x + 0.22,
            y0=at,
            y1=at,
            line={"color": palette.lost, "width": 1.6, "dash": "dash"},
        )
    below = rank > (track.cut_at or 0)
    y = max(rank, 1.22 * track.cut_at) if track.cut_at and below else rank
    figure.add_scatter(
        x=[column.x, prompt.x - 0.16],
        y=[rank, y],
        mode="lines",
        line={"color": palette.gold, "width": 1.8, "dash": "dot"},
        hoverinfo="skip",
        showlegend=False,
    )
    figure.add_annotation(
        x=prompt.x - 0.15,
        y=math.log10(y),
        text=f"<b>✕ {'cut' if below else 'left out'}</b>",
        xanchor="left",
        showarrow=False,
        font={"size": 12, "color": palette.lost, "family": FONT},
    )


def _shift(path: GoldPath, golds: tuple[GoldTrack, ...], track: GoldTrack, spot: Spot) -> float:
    """How far a marker moves aside, where golds stand too near to each other to be told apart."""
    if spot.rank is None:
        return 0.0
    near = [
        other.label_id
        for other in golds
        if (rank := _place(other, spot.column_id)) is not None and abs(math.log(rank / spot.rank)) < 0.16
    ]
    place = near.index(track.label_id)
    spread = 0.2 if len(path.columns) <= _MANY else 0.26
    return (place - (len(near) - 1) / 2) * spread


def _draw_gold(
    figure: go.Figure,
    path: GoldPath,
    track: GoldTrack,
    golds: tuple[GoldTrack, ...],
    palette: Palette,
    *,
    dash: str,
    thin: bool,
) -> None:
    xs = {column.column_id: column.x for column in path.columns}
    spots = {spot.column_id: spot for spot in track.spots}
    at = {spot.column_id: xs[spot.column_id] + _shift(path, golds, track, spot) for spot in track.spots}
    for line in path.lines:
        start, end = spots.get(line.source_id), spots.get(line.target_id)
        if start is None or start.rank is None or end is None:
            continue
        lost = end.rank is None
        if lost and (line.target_id == PROMPT):
            continue
        figure.add_scatter(
            x=[at[line.source_id], at[line.target_id]],
            y=[start.rank, end.rank if end.rank is not None else _lane_y(path)],
            mode="lines",
            line={
                "color": palette.gold,
                "width": 1.6 if thin or lost else 3.5,
                "dash": "dot" if lost or line.derived else dash,
            },
            hoverinfo="skip",
            showlegend=False,
        )
    found = [spot for spot in track.spots if spot.rank is not None]
    many = len(path.columns) > _MANY
    labels = [f"{track.letter if len(path.golds) > 1 else ''}{spot.rank}" for spot in found]
    figure.add_scatter(
        x=[at[spot.column_id] for spot in found],
        y=[spot.rank for spot in found],
        mode="markers+text",
        marker={
            "color": palette.gold_fill,
            "size": (22 if many else 25) - (4 if thin else 0),
            "line": {"color": palette.gold, "width": 1.5},
        },
        text=[f"<b>{label}</b>" for label in labels],
        textfont={
            "size": 11 if max(map(len, labels), default=0) < 4 else 9,
            "color": palette.gold_text,
            "family": FONT,
        },
        hovertext=[in_figure(f"★ {track.name}: rank {spot.rank}") for spot in found],
        hoverinfo="text",
        hoverlabel=_hover(palette),
        showlegend=False,
        cliponaxis=False,
    )


def _cut_before(column: Column, track: GoldTrack) -> bool:
    """Whether the mark of the cut says already that the gold is not in the prompt."""
    return column.column_id == PROMPT and track.cut_after is not None


def _draw_lane(figure: go.Figure, path: GoldPath, golds: tuple[GoldTrack, ...], palette: Palette) -> None:
    """The lane below the deepest rank: which gold is not in which list, nor in the prompt."""
    if not _lane_needed(golds):
        return
    for column in path.columns:
        absent = [
            (track, spot)
            for track in path.golds
            for spot in track.spots
            if spot.column_id == column.column_id and spot.rank is None and not _cut_before(column, track)
        ]
        if not absent:
            continue
        unsure = any(spot.unsure for _, spot in absent)
        if len(path.golds) == 1:
            text = "?" if unsure else "–"
        elif len(absent) <= _LETTERS_IN_LANE:
            text = "".join(track.letter for track, _ in absent) + ("?" if unsure else "")
        else:
            text = f"{len(absent)} of {len(path.golds)}"
        _lane_marker(figure, column.x, _lane_y(path), text, palette)


def _lane_marker(figure: go.Figure, x: float, y: float, text: str, palette: Palette) -> None:
    if len(text) > 1:
        figure.add_annotation(
            x=x,
            y=math.log10(y),
            text=f"<b>{text}</b>",
            showarrow=False,
            bgcolor=palette.ground,
            bordercolor=palette.gold,
            borderpad=3,
            font={"size": 11, "color": palette.text, "family": FONT},
        )
        return
    figure.add_scatter(
        x=[x],
        y=[y],
        mode="markers+text",
        marker={"color": palette.ground, "size": 18, "line": {"color": palette.gold, "width": 1.5}},
        text=[text],
        textfont={"size": 11, "color": palette.text, "family": FONT},
        hovertext=["not in this list" if text != "?" else "not in what was recorded of this list"],
        hoverinfo="text",
        hoverlabel=_hover(palette),
        showlegend=False,
        cliponaxis=False,
    )


def _headers(figure: go.Figure, path: GoldPath, palette: Palette) -> None:
    many = len(path.columns) > _MANY
    for column in path.columns:
        name = in_figure(shortened(column.name, 14))
        figure.add_annotation(
            x=column.x,
            y=1.0,
            yref="paper",
            yanchor="bottom",
            xanchor="left" if many else "center",
            text=f"<b>{name}</b>" if many else f"<b>{name}</b><br>{column.note}",
            textangle=-35 if many else 0,
            showarrow=False,
            font={"size": 12, "color": palette.text, "family": FONT},
        )


def _lay_out(figure: go.Figure, path: GoldPath, palette: Palette, *, lane: bool) -> None:
    many = len(path.columns) > _MANY
    width = path.columns[-1].x if path.columns else 1.0
    bottom = _lane_y(path) * 1.15 if lane else path.deepest * 1.12
    ticks = [tick for tick in _TICKS if tick <= path.deepest]
    labels = [str(tick) for tick in ticks]
    if lane:
        ticks, labels = [*ticks, _lane_y(path)], [*labels, "not in list"]  # type: ignore[list-item]
    _headers(figure, path, palette)
    figure.update_layout(
        height=gold_path_height(path),
        margin={"l": 74 if lane else 40, "r": 14, "t": 92 if many else 44, "b": 12},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"family": FONT, "size": 12, "color": palette.text},
        dragmode=False,
        showlegend=False,
        xaxis={"range": [-0.45, width + 0.45], "visible": False, "fixedrange": True},
        yaxis={
            "type": "log",
            "range": [math.log10(bottom), math.log10(_TOP * 0.96)],
            "tickvals": ticks,
            "ticktext": labels,
            "tickfont": {"color": palette.faint, "size": 12},
            "gridcolor": palette.grid,
            "zeroline": False,
            "fixedrange": True,
        },
    )
