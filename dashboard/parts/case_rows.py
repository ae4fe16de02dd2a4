"""The cases of a set: one row a case, each with a real link."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from ...actions import CaseState, target_name
from ...model import Judgement, short_id
from .. import links, marks
from ..text import cell, escaped

_WIDTHS: dict[str, int | Literal["stretch"]] = {
    "case": 92,
    "question": "stretch",
    "kind": 110,
    "gold": 210,
    "lost": 110,
    "stale": 96,
    "by": 100,
}


def show(rows: tuple[CaseState, ...]) -> None:
    """The rows in their order."""
    with st.container(border=True, gap=None):
        with _row():
            for title, width in _WIDTHS.items():
                st.caption({"lost": "when promoted", "stale": ""}.get(title, title), width=width)
        for row in rows:
            with _row():
                _show(row)


def _row() -> st.delta_generator.DeltaGenerator:
    return st.container(horizontal=True, gap="xsmall", height=32, border=False, vertical_alignment="center", wrap=False)


def _show(state: CaseState) -> None:
    case = state.case
    st.page_link(
        links.CASE,
        label=f"{escaped(short_id(case.case_id))} ›",
        query_params={links.CASE_ID: case.case_id},
        width=_WIDTHS["case"],
    )
    st.text(cell(case.question) or "–", width=_WIDTHS["question"], wrap=False)
    st.text(cell(case.kind, 40), width=_WIDTHS["kind"], wrap=False)
    golds = [label for label in case.labels if label.judgement is Judgement.GOLD]
    names = ", ".join(target_name(label.target) or "no such passage" for label in golds)
    st.text(cell(names, 120), width=_WIDTHS["gold"], wrap=False)
    with st.container(width=_WIDTHS["lost"]):
        if case.verdict:
            st.badge(escaped(marks.verdict_words(case.verdict)), color=marks.verdict_colour(case.verdict))
        else:
            st.text("")
    with st.container(width=_WIDTHS["stale"]):
        if state.stale:
            st.badge("↺ stale", color="violet")
        elif state.relinked:
            st.badge("id changed", color="gray")
        else:
            st.text("")
    st.text(cell(case.author, 40) + (" · archived" if case.archived else ""), width=_WIDTHS["by"], wrap=False)
