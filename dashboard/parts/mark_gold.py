"""Which passage should have answered? Search, look where it stood, press Gold."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import streamlit as st

from ...actions import FoundChunk, RequestView, SearchChunks
from ...model import Chunk, Judgement, LabelTarget, text_hash
from ...store import ChunkQuery
from .. import amounts, data, viewer
from ..text import around, cell, escaped
from . import chunk_drawer, marking

ROWS = 8
_FOUND, _SUGGESTED = 260, 180
"""Characters of a passage that are shown: suggestions stand nine together."""
_SEEN_AT_ONCE, _HEIGHT = 4, 430
"""Suggestions that stand on the page, and the pixels that they take; the rest is scrolled to, so that the request's
lists are not far below. Their keys work all the same."""
_EVERYWHERE = "All chunks"
_HERE = "This request"


def show(view: RequestView, *, first: bool) -> None:
    """The card. `first`: no gold is marked yet, so this is what the page is for."""
    request_id = view.recorded.request.request_id
    key = f"mark_{request_id}"
    with st.container(border=True, key="mark_gold"):
        st.subheader("Which passage should have answered this?" if first else "Mark another passage", anchor=False)
        words, here = _ask(key, first=first)
        if words or here:
            _results(view, key, words, here=here, first=first)
        else:
            st.caption(
                "Search every chunk ever seen by words, paste a sentence of the passage, or give a chunk id or a "
                "document."
            )
            if first:
                _suggestions(view, key)
        _no_such_passage(request_id, key, words)


def _ask(key: str, *, first: bool) -> tuple[str, bool]:
    """The searched text, and whether only this request's lists are searched."""
    with st.form(f"{key}_form", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        words = st.text_input("Words, sentence, id or document", key=f"{key}_words", max_chars=20_000)
        where = st.selectbox("Where", [_EVERYWHERE, _HERE], key=f"{key}_where", width=170)
        st.form_submit_button("Search", type=viewer.main_button() if first else "secondary", icon=":material/search:")
    return words.strip(), where == _HERE


def _results(view: RequestView, key: str, words: str, *, here: bool, first: bool) -> None:
    request_id = view.recorded.request.request_id
    page = int(st.session_state.get(f"{key}_page", 1) or 1)
    query = ChunkQuery(text=words, request_id=request_id if here else "", limit=ROWS, offset=(page - 1) * ROWS)
    found = data.found_chunks(SearchChunks(request_id=request_id, query=query))
    if not found.rows and page > 1:
        st.session_state[f"{key}_page"] = 1
        st.rerun()
    st.caption(
        f"{amounts.counted(found.matching, 'passage')} found among {amounts.count(found.searched)} · "
        "on the right: where each stood in this request · press a name to read all of it"
    )
    if not found.rows:
        st.info(
            "No passage matches. Try fewer or other words, or part of the document's name. "
            "If the answer is nowhere in the documents, say so below.",
            icon=":material/search_off:",
        )
    for number, row in enumerate(found.rows):
        _row(_Place(request_id, key, words, number, first=first), row)
    if found.matching > ROWS:
        st.pagination(math.ceil(found.matching / ROWS), key=f"{key}_page")


def _suggestions(view: RequestView, key: str) -> None:
    """Passages that share words with the question: each can be marked by its number."""
    request = view.recorded.request
    rows = data.suggested(request.request_id)
    if not rows:
        return
    st.markdown(f"**{amounts.counted(len(rows), 'suggested passage')}** :small[by words alone: a guess, not a finding]")
    with st.container(height=list_height(len(rows)), border=False, gap="small"):
        for number, row in enumerate(rows):
            _row(_Place(request.request_id, key, request.question or "", number, first=True, typed=False), row)


def list_height(count: int) -> int | Literal["content"]:
    """Pixels that so many suggestions take; a few take what they need."""
    return _HEIGHT if count > _SEEN_AT_ONCE else "content"


class _Place(NamedTuple):
    """Where a passage stands on the page."""

    request_id: str
    key: str
    words: str
    """What it was found by."""
    number: int
    """0-based."""
    first: bool
    """No gold is marked yet, so the number keys mark."""
    typed: bool = True
    """A person typed the words: where they are a sentence of the passage they are kept with the label."""

    def named(self, what: str, chunk: Chunk) -> str:
        """A widget's key. It holds the chunk, so that a late press is of the passage that was seen, or of none."""
        return f"{self.key}_{what}_{self.number}_{text_hash(f'{chunk.index} {chunk.chunk_id}')[:12]}"


def _row(place: _Place, found: FoundChunk) -> None:
    chunk = found.chunk
    with st.container(border=True):
        mark, passage, stood = st.columns([1.3, 7, 2.2], vertical_alignment="center")
        with mark:
            _mark_button(place, found)
        with passage.container(gap=None):
            st.button(
                escaped(cell(_heading(found), 110)),
                key=place.named("open", chunk),
                type="tertiary",
                on_click=chunk_drawer.open_chunk,
                args=(chunk.chunk_id,),
            )
            limit = _FOUND if place.typed else _SUGGESTED
            st.text(around(chunk.text, place.words, limit) if chunk.text else "No text of this chunk is known.")
        stood.text(cell(found.stood, 120))


def _heading(found: FoundChunk) -> str:
    chunk = found.chunk
    return f"{chunk.chunk_id} · {chunk.section_path}" if chunk.section_path else chunk.chunk_id


def _mark_button(place: _Place, found: FoundChunk) -> None:
    label, key = found.label, place.named("gold", found.chunk)
    if label is not None and label.judgement is Judgement.GOLD:
        st.button("★ Take back", key=key, on_click=marking.take_back, args=(place.request_id, label.label_id))
        return
    target = marking.chunk_target(found.chunk, place.words if place.typed else "")
    if place.first:
        st.button(
            "★ Gold",
            key=key,
            shortcut=str(place.number + 1),
            on_click=marking.save_first,
            args=(place.request_id, target),
        )
    else:
        st.button("★ Gold", key=key, on_click=marking.save, args=(place.request_id, target))
    if label is not None:
        st.caption(label.judgement.value.replace("_", " "))


def _no_such_passage(request_id: str, key: str, words: str) -> None:
    """The answer is in no document: the gold is then a sentence that nobody has written yet."""
    with st.popover("No such passage exists", icon=":material/note_add:"):
        st.markdown("What should the documents have said? One sentence is enough.")
        said = st.text_area("The missing sentence", value=words, key=f"{key}_missing_{words[:40]}", max_chars=20_000)
        st.button(
            "Save as missing",
            key=f"{key}_missing_save",
            type="secondary",
            disabled=not said.strip(),
            on_click=marking.save,
            args=(request_id, LabelTarget(quote=said.strip())),
        )
