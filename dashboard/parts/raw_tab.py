"""What was received: the spans, a page at a time, and the attributes of one."""

from __future__ import annotations

import json
from typing import Any

import streamlit as st

from ...actions import RequestView
from ...store import SpanRow
from .. import amounts, data
from ..text import cell, literal
from . import pager, tables

PAGE_SIZE = 50
_PART = 20_000


def show(view: RequestView) -> None:
    """The request's own attributes and notes, then its spans."""
    request = view.recorded.request
    extra: dict[str, Any] = {"notes": request.notes, "attributes": request.attributes}
    if any(extra.values()):
        with st.expander("Notes and attributes of the request"):
            _json({name: value for name, value in extra.items() if value}, "raw_request")
    page = data.spans(request.request_id, limit=PAGE_SIZE, offset=0)
    if not page.total:
        st.info("No span of this request is stored.", icon=":material/data_object:")
        return
    listing, below = st.container(), st.container()
    with below:
        number = pager.choose(page.total, PAGE_SIZE, "spans")
    if number > 1:
        page = data.spans(request.request_id, limit=PAGE_SIZE, offset=(number - 1) * PAGE_SIZE)
    first = (number - 1) * PAGE_SIZE + 1
    last = first + len(page.rows) - 1
    with listing:
        st.caption(f"Spans {amounts.count(first)}–{amounts.count(last)} of {amounts.count(page.total)}, by start")
        _table(page.rows, request.start_ns)
    _one(page.rows)


def _table(rows: tuple[SpanRow, ...], start_ns: int) -> None:
    tables.show(
        {
            "span": [row.span_id for row in rows],
            "parent": [row.parent_span_id or "" for row in rows],
            "name": [cell(row.name, 100) for row in rows],
            "began, ms": [f"{(row.start_ns - start_ns) / 1e6:,.1f}" for row in rows],
            "took, ms": [amounts.milliseconds((row.end_ns - row.start_ns) / 1e6) if row.end_ns else "" for row in rows],
            "attributes": [len(row.attributes) for row in rows],
        },
        row_height=28,
        shape={name: tables.Column(right=True) for name in ("began, ms", "took, ms")},
        alt="Spans of this request",
    )


def _one(rows: tuple[SpanRow, ...]) -> None:
    by_id = {row.span_id: row for row in rows}
    chosen = st.selectbox(
        "Attributes of span",
        list(by_id),
        format_func=lambda span_id: f"{cell(by_id[span_id].name, 60)} · {span_id}" if span_id in by_id else span_id,
        key="raw_span",
    )
    if chosen in by_id:
        _json(by_id[chosen].attributes, f"raw_{chosen}")


def _json(value: Any, key: str) -> None:  # noqa: ANN401 - attributes are whatever the app sent
    text = json.dumps(value, ensure_ascii=False, indent=1, default=str)
    st.code(literal(text[:_PART]), language="json", wrap_lines=True)
    if len(text) > _PART:
        st.caption(f"{amounts.count(_PART)} of {amounts.count(len(text))} characters")
    st.download_button(
        "Download JSON",
        text.encode("utf-8", "replace"),
        file_name=f"{key}.json",
        mime="application/json",
        key=f"{key}_file",
        type="tertiary",
        icon=":material/download:",
        on_click="ignore",
    )
