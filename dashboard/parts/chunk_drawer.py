"""One chunk beside the page: full text, metadata then, neighbours, its ranks here, where else it stood, and marks."""

from __future__ import annotations

import json
import math
from typing import Any

import streamlit as st

from ...actions import ChunkView, RequestView
from ...model import Chunk, GoldrankError, Judgement, Label, LabelTarget
from .. import amounts, data, links, marks, times, viewer
from ..text import cell, escaped, literal, message, shortened
from . import marking, tables

PART = 4000
_ELSEWHERE = 8


def open_chunk(chunk_id: str) -> None:
    """Opens the drawer by way of the address (a callback), so that the view can be shared."""
    st.query_params[links.CHUNK] = chunk_id


def show_if_asked(view: RequestView) -> bool:
    """Opens the drawer when the address names a chunk. Whether it did: only one dialog fits on a page."""
    chunk_id = st.query_params.get(links.CHUNK, "")
    if not chunk_id:
        return False
    _drawer(view, chunk_id)
    return True


@st.dialog("Chunk", position="right", width="medium", on_dismiss=marking.close_drawer)
def _drawer(view: RequestView, chunk_id: str) -> None:
    request_id = view.recorded.request.request_id
    try:
        chunk = data.one_chunk(request_id, chunk_id)
    except GoldrankError as error:
        st.code(literal(chunk_id), language=None, wrap_lines=True)
        st.warning(message(str(error)))
        return
    _marks(view, chunk)
    st.code(literal(chunk_id), language=None, wrap_lines=True)
    _text(chunk)
    _mark_buttons(view, chunk)
    _standings(view, chunk)
    _metadata(chunk)
    _neighbours(chunk)
    _elsewhere(chunk)


def _marks(view: RequestView, chunk: ChunkView) -> None:
    found = marks.ordered(view.diagnosis.marks.get(chunk.chunk.chunk_id, ()))
    parts = [part for part in (chunk.chunk.doc_id, chunk.chunk.section_path, chunk.chunk.index) if part]
    if parts:
        st.caption(escaped(cell(" · ".join(parts), 200)))
    if found:
        with st.container(horizontal=True):
            for mark in found:
                style = marks.MARKS[mark]
                st.badge(f"{style.glyph} {mark.value}", color=style.colour)


def _text(chunk: ChunkView) -> None:
    """The text that this request's lists held; where they held none, the text that is known now."""
    text = chunk.text_then if chunk.text_then is not None else chunk.chunk.text
    if text is None:
        st.text("No text of this chunk is known: the app gave none, or it was hidden.")
        return
    then = "" if chunk.text_then is not None else " · as known now; this request's lists did not hold it"
    pages = max(1, math.ceil(len(text) / PART))
    page = 1
    with st.container(border=True):
        slot = st.container()
        if pages > 1:
            page = st.pagination(pages, key="drawer_page")
        slot.text(literal(text[(page - 1) * PART : page * PART]))
    shown = f"characters {(page - 1) * PART + 1:,}–{min(len(text), page * PART):,} of " if pages > 1 else ""
    st.caption(f"{shown}{amounts.counted(len(text), 'character')}{then}")
    if pages > 1:
        st.download_button(
            "Download the text",
            text.encode("utf-8", "replace"),
            file_name="chunk.txt",
            mime="text/plain",
            on_click="ignore",
            icon=":material/download:",
        )
    if chunk.changed_since:
        st.warning("The text of this chunk has changed since. Above is what the request saw.")


def _mark_buttons(view: RequestView, chunk: ChunkView) -> None:
    request_id = view.recorded.request.request_id
    label = chunk.label
    golds = [one for one in view.labels if one.judgement is Judgement.GOLD and not one.inherited]
    if label is not None:
        _current(request_id, label)
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            levels = ["Passage", "Whole document"] if chunk.chunk.doc_id else ["Passage"]
            level = st.segmented_control("Mark", levels, default="Passage", required=True, key="drawer_level")
            grade = st.selectbox(
                "Grade",
                [1, 2, 3, 4],
                index=(label.grade or 1) - 1 if label is not None else 0,
                key="drawer_grade",
                help="1 answers it; 4 answers it best",
                width=90,
            )
            evidence = _evidence(golds, label)
        target = (
            marking.document_target(chunk.chunk) if level == "Whole document" else marking.chunk_target(chunk.chunk)
        )
        with st.container(horizontal=True):
            _save_button("★ Gold", request_id, (target, Judgement.GOLD, grade, evidence))
            _save_button("○ Not relevant", request_id, (target, Judgement.NOT_RELEVANT))
            _save_button("⊘ Forbidden", request_id, (target, Judgement.FORBIDDEN))


def _save_button(label: str, request_id: str, args: tuple[Any, ...]) -> None:
    st.button(label, key=f"drawer_{label[2:]}", on_click=_save, args=(request_id, *args))


def _save(
    request_id: str, target: LabelTarget, judgement: Judgement, grade: int = 1, evidence: int | None = None
) -> None:
    marking.save(request_id, target, judgement, grade, evidence)
    st.rerun()


def _take_back(request_id: str, label_id: str) -> None:
    marking.take_back(request_id, label_id)
    st.rerun()


def _current(request_id: str, label: Label) -> None:
    words = label.judgement.value.replace("_", " ")
    grade = f", grade {label.grade}" if label.grade and label.grade > 1 else ""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.text(f"Marked {words}{grade} by {cell(label.who, 60)}.")
        st.button("Take back", key="drawer_back", on_click=_take_back, args=(request_id, label.label_id))


def _evidence(golds: list[Label], own: Label | None) -> int | None:
    """Whether this gold is needed beside the others, or instead of one of them."""
    others = [one for one in golds if own is None or one.label_id != own.label_id]
    if not others:
        return own.evidence if own is not None else None
    names = {f"instead of {cell(one.target.chunk_id or one.target.doc_id, 40)}": one.evidence for one in others}
    chosen = st.selectbox("Needed", ["beside the other golds", *names], key="drawer_evidence", width=240)
    return names.get(chosen)


def _standings(view: RequestView, chunk: ChunkView) -> None:
    st.caption(f"In this request: {escaped(chunk.stood)}" if not chunk.standings else "In this request")
    if not chunk.standings:
        return
    by_id = {one.stage_id: one for one in chunk.standings}
    rows: dict[str, list[str]] = {"stage": [], "rank": [], "score": []}
    for stage in view.recorded.stages:
        if not stage.has_list:
            continue
        place = by_id.get(stage.stage_id)
        decimals = amounts.score_decimals([hit.score for hit in stage.hits or () if hit.score is not None])
        rows["stage"].append(cell(stage.name, 60))
        rows["rank"].append(str(place.rank) if place else "–")
        rows["score"].append(amounts.score(place.score, decimals) if place else "")
    context = view.diagnosis.context
    if context.known:
        position = next((one.position for one in context.entries if one.chunk_id == chunk.chunk.chunk_id), None)
        rows["stage"].append("prompt (position)")
        rows["rank"].append(str(position) if position is not None else "–")
        rows["score"].append("")
    tables.show(
        rows,
        row_height=28,
        shape={name: tables.Column(right=True) for name in ("rank", "score")},
        alt="Ranks of this chunk in this request",
    )


def _metadata(chunk: ChunkView) -> None:
    """As the request's lists held it; else as it is known now."""
    metadata = chunk.metadata_then or chunk.chunk.metadata
    if not metadata:
        return
    st.caption("Metadata then" if chunk.metadata_then else "Metadata, as known now")
    tables.show(
        {
            "field": [cell(name, 80) for name in metadata],
            "value": [cell(_as_text(value), 500) for value in metadata.values()],
        },
        row_height=28,
        alt="Metadata of this chunk",
    )


def _as_text(value: Any) -> str:  # noqa: ANN401 - metadata are whatever the app gave
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _neighbours(chunk: ChunkView) -> None:
    places = [("Before it", chunk.previous), ("After it", chunk.following), ("Part of", chunk.parent)]
    for title, neighbour in places:
        if neighbour is not None:
            _neighbour(title, neighbour)


def _neighbour(title: str, neighbour: Chunk) -> None:
    st.caption(title)
    st.button(
        escaped(cell(neighbour.chunk_id, 100)),
        key=f"drawer_to_{title}",
        type="tertiary",
        on_click=_follow,
        args=(neighbour.chunk_id,),
    )
    if neighbour.text:
        st.text(shortened(literal(neighbour.text), 240))


def _follow(chunk_id: str) -> None:
    open_chunk(chunk_id)
    st.rerun()


def _elsewhere(chunk: ChunkView) -> None:
    known = chunk.chunk
    newest = chunk.elsewhere[:_ELSEWHERE]
    st.caption(
        f"Elsewhere: seen in the lists of {amounts.counted(known.seen_in, 'request')}"
        + (f"; the newest {len(newest)} others" if newest else "")
    )
    for one in newest:
        st.page_link(
            links.REQUEST,
            label=escaped(
                f"{times.minute(one.start_ns, viewer.zone())} · {cell(one.stage, 30)} {one.best_rank} · "
                f"{cell(one.question, 70)}"
            ),
            query_params=links.to_request(one.request_id),
        )
