"""The list of requests: one row a request, each with a real link."""

from __future__ import annotations

from datetime import tzinfo
from typing import Final, Literal, NamedTuple

import streamlit as st

from ...model import Outcome, short_id
from ...store import RequestRow
from .. import amounts, data, links, marks, times
from ..text import cell, escaped


class _Column(NamedTuple):
    title: str
    width: int | Literal["stretch"]


_COLUMNS: Final = (
    _Column("request", 92),
    _Column("time", 92),
    _Column("question", "stretch"),
    _Column("verdict", 116),
    _Column("gold path", 172),
    _Column("queue", 100),
    _Column("complaint", 96),
    _Column("eval set", 64),
    _Column("app", 116),
    _Column("ms", 84),
)
"""Widths in pixels; the question takes what is left: 340 at 1280 with one app and nobody's queue."""
ROW_HEIGHT: Final = 32


def show(rows: tuple[RequestRow, ...], zone: tzinfo, *, within: str, with_app: bool) -> None:
    """The rows in their order. `within` is the list's filter, so that the request's page can come back to it."""
    queued = any(row.queue or row.assigned_to for row in rows)
    left_out = {"app": not with_app, "queue": not queued}
    columns = [column for column in _COLUMNS if not left_out.get(column.title, False)]
    with st.container(border=True, gap=None, key="request_rows"):
        with _row():
            for column in columns:
                right = column.title == "ms"
                st.caption(column.title, width=column.width, text_alignment="right" if right else "left")
        for row in rows:
            with _row():
                for column in columns:
                    _cell(row, column, zone, within)


def _row() -> st.delta_generator.DeltaGenerator:
    return st.container(
        horizontal=True, gap="xsmall", height=ROW_HEIGHT, border=False, vertical_alignment="center", wrap=False
    )


def _cell(row: RequestRow, column: _Column, zone: tzinfo, within: str) -> None:
    if column.title == "request":
        st.page_link(
            links.REQUEST,
            label=f"{short_id(row.request_id)} ›",
            query_params=links.to_request(row.request_id, within=within),
            width=column.width,
        )
    elif column.title == "verdict":
        _badge(escaped(marks.verdict_words(row.verdict)), marks.verdict_colour(row.verdict), column)
    elif column.title == "eval set":
        _badge("in set" if data.in_a_set(row) else "", "gray", column)
    elif column.title == "ms" and (state := _state(row)):
        _badge(state, "red" if row.outcome is Outcome.ERROR else "yellow", column)
    else:
        right = column.title == "ms"
        st.text(_text(row, column, zone), width=column.width, wrap=False, text_alignment="right" if right else "left")


def _badge(text: str, colour: marks.Colour, column: _Column) -> None:
    alignment: Literal["left", "right"] = "right" if column.title == "ms" else "left"
    with st.container(width=column.width, horizontal_alignment=alignment):
        if text:
            st.badge(text, color=colour)
        else:
            st.text("")


def _text(row: RequestRow, column: _Column, zone: tzinfo) -> str:
    return {
        "time": times.minute(row.start_ns, zone),
        "question": cell(row.question) or "–",
        "gold path": cell(row.gold_path),
        "queue": _queue(row),
        "complaint": _complaint(row),
        "app": cell(" ".join(part for part in (row.app, row.app_version) if part)),
        "ms": amounts.milliseconds(row.duration_ms),
    }[column.title]


def _queue(row: RequestRow) -> str:
    """That it was put off or given up, and who looks at it: "later · bo"."""
    return cell(" · ".join(part for part in (row.queue.replace("_", " "), row.assigned_to) if part), 40)


def _state(row: RequestRow) -> str:
    """What stands in place of the duration: how the request ended, or that its recording is incomplete."""
    if row.outcome is not Outcome.OK:
        return marks.outcome_words(row.outcome)
    return "incomplete" if row.missing else ""


def _complaint(row: RequestRow) -> str:
    """The first ticket and how many more."""
    first = cell(row.complaints[0], 40) if row.complaints else ""
    return first + (f" +{len(row.complaints) - 1}" if len(row.complaints) > 1 else "")
