"""What people said about this request: the labels now, their history, undo, and the way to mark another passage."""

from __future__ import annotations

import streamlit as st

from ...actions import RequestView, target_name
from ...model import Judgement, Label, short_id
from .. import amounts, data, links, marks, times, viewer
from ..text import cell, escaped
from . import mark_gold, marking, tables

_GLYPHS = {Judgement.GOLD: "★ gold", Judgement.NOT_RELEVANT: "○ not relevant", Judgement.FORBIDDEN: "⊘ forbidden"}


def show(view: RequestView, *, with_search: bool) -> None:
    """`with_search`: the page does not already show the card that marks a gold."""
    request_id = view.recorded.request.request_id
    history = data.label_history(request_id)
    if not view.labels:
        st.text("No label yet.")
    for label in view.labels:
        _current(request_id, label, _instead_of(label, view.labels))
    if sum(label.judgement is Judgement.GOLD for label in view.labels) > 1:
        st.caption('Every gold is needed in the prompt; of golds joined by "or", one is enough.')
    if any(label.inherited for label in view.labels):
        st.caption(
            "Inherited labels come from a case with the same question, or from the request that this one replays. "
            "Once a passage is marked here, only the request's own labels count."
        )
    if history:
        st.button("Undo the last change", key="undo", icon=":material/undo:", on_click=marking.undo, args=(request_id,))
    if with_search:
        mark_gold.show(view, first=False)
    if history:
        _history(history)


def _current(request_id: str, label: Label, instead_of: str) -> None:
    zone = viewer.zone()
    with st.container(border=True, horizontal=True, vertical_alignment="center", wrap=False):
        st.badge(f"{_GLYPHS[label.judgement]}{_grade(label)}", color=marks.judgement_colour(label.judgement))
        name = target_name(label.target) or "no such passage"
        said = cell(label.target.quote or label.target.text, 120)
        st.text(cell(f"{name} · {said}" if said else name, 220), width="stretch", wrap=False)
        if instead_of:
            st.caption(escaped(f"or {instead_of}"), width="content", help="One of them in the prompt is enough")
        if label.from_case:
            st.page_link(
                links.CASE,
                label=f"from case {escaped(short_id(label.from_case))}",
                query_params={links.CASE_ID: label.from_case},
            )
            return
        if label.from_request:
            st.page_link(
                links.REQUEST,
                label=f"from request {escaped(short_id(label.from_request))}",
                query_params=links.to_request(label.from_request),
            )
            return
        st.caption(escaped(f"{cell(label.who, 20)}, {times.minute(label.at_ns, zone)}"), width=150)
        st.button(
            "Take back",
            key=f"take_back_{label.label_id}",
            on_click=marking.take_back,
            args=(request_id, label.label_id),
        )


def _grade(label: Label) -> str:
    """Said where it is more than the usual 1."""
    return f", grade {label.grade}" if label.grade and label.grade > 1 else ""


def _instead_of(label: Label, labels: tuple[Label, ...]) -> str:
    """The golds that would have done as well as this one; empty where it alone is meant."""
    if label.judgement is not Judgement.GOLD or not label.evidence:
        return ""
    others = (
        one
        for one in labels
        if one.judgement is Judgement.GOLD and one.evidence == label.evidence and one.label_id != label.label_id
    )
    return ", ".join(cell(target_name(one.target) or "no such passage", 60) for one in others)


def _history(history: tuple[Label, ...]) -> None:
    zone = viewer.zone()
    newest = history[::-1][:200]
    st.caption(f"History · {amounts.counted(len(history), 'change')}, newest first")
    tables.show(
        {
            "when": [times.second(label.at_ns, zone) for label in newest],
            "who": [cell(label.who, 60) for label in newest],
            "said": [
                "taken back" if label.removed else f"{_GLYPHS[label.judgement]}{_grade(label)}" for label in newest
            ],
            "passage": [cell(target_name(label.target), 120) or "no such passage" for label in newest],
            "revision": [label.revision for label in newest],
        },
        row_height=28,
        alt="Every change of this request's labels",
    )
