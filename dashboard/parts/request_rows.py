"""The list of requests: one row a request, each with a real link."""

from __future__ import annotations

from datetime import tzinfo
from typing import Final, Literal, NamedTuple

import streamlit as st

from ...model import Outcome, short_id
from ...store import RequestRow
from .. import amounts, links, marks, times
from ..text import cell, escaped


class _Column(NamedTuple):
    title: str
    width: int | Literal["stretch"]


_COLUMNS: Final = (
    _Column("request", 92),
    _Column("time", 92),
    _Column("question", "stretch"),
    _Column("verdict", 116),
    _Column("gold path", 168),
    _Column("complaint", 96),
    _Column("app", 122),
    _Column("ms", 46),
)
"""Widths in pixels; the question takes what is left: 310 at 1280."""
ROW_HEIGHT: Final = 32


def show(rows: tuple[RequestRow, ...], zone: tzinfo, *, within: str) -> None:
    """The rows in their order. `within` is the list's filter, so that the request's page can come back to it."""
    with st.container(border=True, gap=None, key="request_rows"):
        with _row():
            for column in _COLUMNS:
                right = column.title == "ms"
                st.caption(column.title, width=column.width, text_alignment="right" if right else "left")
        for row in rows:
            with _row():
                _show(row, zone, within)


def _row() -> st.delta_generator.DeltaGenerator:
    return st.container(
        horizontal=True, gap="xsmall", height=ROW_HEIGHT, border=False, vertical_alignment="center", wrap=False
    )


def _show(row: RequestRow, zone: tzinfo, within: str) -> None:
    request, time, question, verdict, path, complaint, app, took = (column.width for column in _COLUMNS)
    st.page_link(
        links.REQUEST,
        label=f"{short_id(row.request_id)} ›",
        query_params=links.to_request(row.request_id, within=within),
        help=escaped(cell(row.question, 120)) or "Open the request",
        width=request,
    )
    st.text(times.minute(row.start_ns, zone), width=time, wrap=False)
    st.text(cell(row.question) or "–", width=question, wrap=False)
    with st.container(width=verdict):
        st.badge(escaped(marks.verdict_words(row.verdict)), color=marks.verdict_colour(row.verdict))
    st.text(cell(row.gold_path), width=path, wrap=False)
    st.text(_complaint(row), width=complaint, wrap=False)
    st.text(cell(" ".join(part for part in (row.app, row.app_version) if part)), width=app, wrap=False)
    if row.outcome is Outcome.OK:
        st.text(amounts.milliseconds(row.duration_ms), width=took, wrap=False, text_alignment="right")
    else:
        st.text(marks.outcome_words(row.outcome), width=took, wrap=False)


def _complaint(row: RequestRow) -> str:
    """The first ticket and how many more; else what is missing in the recording."""
    first = cell(row.complaints[0], 40) if row.complaints else ""
    more = f" +{len(row.complaints) - 1}" if len(row.complaints) > 1 else ""
    if not first and row.missing:
        return "incomplete"
    return first + more
