"""One step of a request: what went in, what came out, what moved, where the gold stands, how long it took."""

from __future__ import annotations

from typing import Any

import streamlit as st

from ...actions.steps import Steps
from ...model import FlowSource
from ...model.step import Step, StepMove
from .. import amounts, links, viewer
from ..figures.palette import MARK_COLOURS
from ..frames.chunk_names import ChunkNames
from ..frames.stage_lists import rank_change
from ..text import escaped, literal
from . import long_text, tables

_FLOW = {
    FlowSource.DECLARED: "declared by the app",
    FlowSource.RECORDED: "recorded",
    FlowSource.DERIVED: "derived from the lists",
}
_ROWS = 200
"""Rows of a step's table; the Lists tab of the request has all."""


def choose(found: Steps) -> int:
    """Buttons for the step before and the next one, which also answer to the keys J and K; the chosen number."""
    total = len(found.steps)
    number = min(max(1, _asked()), max(1, total))
    st.space("stretch")
    st.caption(f"Step {number} of {total}" if total else "No steps")
    _button("Back", "k", ":material/arrow_upward:", number - 1, enabled=number > 1)
    _button("Next", "j", ":material/arrow_downward:", number + 1, enabled=number < total)
    return number


def _asked() -> int:
    text = st.query_params.get(links.STEP, "1")
    return int(text) if text.isdecimal() else 1


def _button(label: str, key: str, icon: str, to: int, *, enabled: bool) -> None:
    st.button(label, key=f"step_{key}", icon=icon, shortcut=key, disabled=not enabled, on_click=_go, args=(to,))


def _go(number: int) -> None:
    st.query_params[links.STEP] = str(number)


def overview(found: Steps, number: int) -> None:
    """All steps in one row, each a link."""
    with st.container(horizontal=True, gap="small"):
        for step in found.steps:
            place = " ".join(gold.place for gold in step.golds)
            label = f"{step.number} {escaped(step.name)}" + (f" {place}" if place else "")
            st.page_link(
                links.STEPS,
                label=f"▸ {label}" if step.number == number else label,
                query_params={links.REQUEST_ID: found.request.request_id, links.STEP: str(step.number)},
                width="content",
            )


def show(found: Steps, step: Step) -> None:
    """The step itself."""
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{escaped(step.name)}** :small[:gray[{escaped(step.kind.value)}]]", width="stretch")
            st.caption(_timing(step), width="content")
        st.text(step.sentence)
        if step.error:
            st.error(escaped(step.error), icon=":material/error:")
        _golds(step)
        given, came = st.columns([1, 2], gap="medium")
        with given:
            _given(step)
        with came:
            _came(found, step)


def _timing(step: Step) -> str:
    took = amounts.took(step.took_ms)
    if not step.took_ms and not step.started_ms:
        return took
    began = f"began after {amounts.milliseconds(step.started_ms) or '0'} ms"
    return f"{began} · {'took ' if step.took_ms else ''}{took}"


def _golds(step: Step) -> None:
    for gold in step.golds:
        if gold.position is not None:
            st.badge(f"★ {escaped(gold.name)}: place {gold.position} in the prompt", color="orange")
        elif gold.lost_here:
            st.badge(f"★ {escaped(gold.name)}: lost here", color="red")
        elif gold.point is not None and gold.point.rank is not None:
            st.badge(f"★ {escaped(gold.name)}: rank {gold.point.rank}", color="orange")
        elif gold.point is not None:
            st.badge(f"★ {escaped(gold.name)}: not in this list", color="gray")


def _given(step: Step) -> None:
    st.caption("What went in")
    if step.text_in is not None:
        long_text.show(step.text_in, f"step_in_{step.number}", name="text")
    for one in step.inputs:
        st.text(f"{one.name}: {amounts.counted(one.length, 'hit')}")
    if step.inputs:
        st.caption(f"How this is known: {_FLOW.get(step.flow_source, 'not known')}")
    elif step.text_in is None:
        st.text("Not recorded.")


def _came(found: Steps, step: Step) -> None:
    st.caption("What came out" + ("" if step.length_out is None else f" · {amounts.counted(step.length_out, 'hit')}"))
    for number, text in enumerate(step.texts_out):
        long_text.show(text, f"step_out_{step.number}_{number}", name="text")
    if step.moves:
        _table(found, step)
    elif step.length_out == 0:
        st.text("An empty list.")
    elif not step.texts_out and not step.error:
        st.text("No list and no text was recorded.")


def _table(found: Steps, step: Step) -> None:
    """Rank before and after; the gold's row is amber."""
    rows = step.moves[:_ROWS]
    names = ChunkNames(move.chunk_id for one in found.steps for move in one.moves)
    golds = {gold.point.chunk_id for gold in step.golds if gold.point is not None and gold.point.chunk_id}
    golds |= {gold.name for gold in step.golds}
    colours = MARK_COLOURS[viewer.theme()]
    amber = next((style for mark, style in colours.items() if mark.value == "gold"), "")
    columns: dict[str, list[Any]] = {
        "before": [amounts.rank(move.before) for move in rows],
        "after": [amounts.rank(move.after) for move in rows],
        "moved": [_moved(move) for move in rows],
        "chunk": [("★ " if move.chunk_id in golds else "") + names.short(move.chunk_id, 420) for move in rows],
        "document": [literal(move.doc_id or "") for move in rows],
    }
    if not step.inputs:
        del columns["before"], columns["moved"]
    tables.show(
        columns,
        styles=[amber if move.chunk_id in golds else "" for move in rows],
        row_height=28,
        shape={
            "before": tables.Column(width=60, right=True),
            "after": tables.Column(width=60, right=True),
            "moved": tables.Column(width=70),
        },
        alt=f"What {step.name} did to each chunk: rank before, rank after",
    )
    if len(step.moves) > _ROWS:
        st.caption(f"The first {_ROWS} of {amounts.count(len(step.moves))}; the request's Lists tab has all.")


def _moved(move: StepMove) -> str:
    if move.after is None:
        return "left out"
    if move.before is None:
        return "new"
    return rank_change(move.before, move.after)
