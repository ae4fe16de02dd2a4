"""The lists side by side; a click on a cell opens the chunk."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

import streamlit as st

from ...actions import RequestView
from .. import marks, viewer
from ..figures.palette import MARK_COLOURS
from ..frames.chunk_names import ChunkNames, names_of
from ..frames.stage_lists import ListRow, StageList, around_gold, first_rows, stage_lists
from ..text import escaped, literal, shortened
from . import chunk_drawer, tables

_IN_A_ROW = 5
_ROW_HEIGHT = 28
_ERROR = 300
"""Characters of what a stage failed with; Timings and Raw have all of it."""
_THIRD = 48
"""Pixels of the third column; a list without one has them for its chunks."""
_GLYPH, _BOLD = 14, 92
"""Pixels that a mark takes, and the percentage of the letters that fit where they are bold."""
_CHANGE, _SCORE = "Rank change", "Score"
_AT_FIRST = "lists open at first"
"""The key of ((request, its lists), the places of those that were opened)."""
_FIRST, _AROUND, _ALL = "First 10", "Around the gold", "All"


def show(view: RequestView) -> None:
    """The switches and the lists."""
    every = stage_lists(view.recorded, view.diagnosis)
    if not every:
        st.info(
            "No list was recorded for this request. Decorate its retrievers: @goldrank.retrieve", icon=":material/list:"
        )
        return
    chosen = _choose(every, view.recorded.request.request_id)
    changes, rows = _switches(view, has_gold=any(one.gold_ranks for one in every))
    names = names_of(view.recorded)
    for column, shown in zip(_places(len(chosen)), chosen, strict=True):
        with column:
            _show_list(shown, rows, names, width=_chunk_width(len(chosen)), changes=changes, labelled=bool(view.labels))


def _places(lists: int) -> Sequence[AbstractContextManager[Any]]:
    """A column a list; more than fit in a row go into a grid."""
    if lists <= _IN_A_ROW:
        return st.columns(lists)
    grid = st.grid(min_column_width=200)
    return [grid.cell() for _ in range(lists)]


def _chunk_width(lists: int) -> int:
    """Room for the chunk's name in pixels at 1280, after rank and the third column."""
    return {1: 700, 2: 420, 3: 240, 4: 180}.get(lists, 130)


def _choose(every: tuple[StageList, ...], request_id: str) -> tuple[StageList, ...]:
    """Up to five lists are shown at once; of more, one chooses. The address keeps the choice.

    A label changes nothing of what is open: the page must not move under somebody who is pressing keys.
    """
    if len(every) <= _IN_A_ROW:
        return every
    labels = {f"{number} {one.name}": one for number, one in enumerate(every, start=1)}
    lists = (request_id, *labels)
    seen: tuple[tuple[str, ...], list[int]] | None = st.session_state.get(_AT_FIRST)
    at_first = seen[1] if seen and seen[0] == lists else _at_first(every)
    st.session_state[_AT_FIRST] = (lists, at_first)
    chosen = st.pills(
        "Stages",
        list(labels),
        selection_mode="multi",
        default=[list(labels)[place] for place in at_first],
        key="stages",
        bind="query-params",
        format_func=lambda label: escaped(str(label).partition(" ")[2]),
        label_visibility="collapsed",
    )
    return tuple(one for label, one in labels.items() if label in (chosen or ())) or tuple(every[at] for at in at_first)


def _at_first(every: tuple[StageList, ...]) -> list[int]:
    """0-based places, in the flow's order, of five lists: the last that hold the gold, then the last of the others."""
    places = range(len(every))
    with_gold = [place for place in places if every[place].gold_ranks][-_IN_A_ROW:]
    others = [place for place in places if place not in with_gold]
    return sorted([*with_gold, *reversed(others)][:_IN_A_ROW])


def _switches(view: RequestView, *, has_gold: bool) -> tuple[bool, str]:
    with st.container(horizontal=True, vertical_alignment="center"):
        third = st.segmented_control(
            "Third column",
            [_CHANGE, _SCORE],
            default=_CHANGE,
            required=True,
            key="third",
            bind="query-params",
            label_visibility="collapsed",
        )
        options = [_FIRST, _AROUND, _ALL] if has_gold else [_FIRST, _ALL]
        rows = st.segmented_control(
            "Rows",
            options,
            default=_FIRST,
            required=True,
            key="rows",
            bind="query-params",
            label_visibility="collapsed",
        )
        used = {mark for found in view.diagnosis.marks.values() for mark in found}
        for mark in marks.ordered(tuple(used)):
            style = marks.MARKS[mark]
            st.badge(f"{style.glyph} {mark.value}", color=style.colour)
    return third == _CHANGE, rows or _FIRST


def _show_list(shown: StageList, rows: str, names: ChunkNames, *, width: int, changes: bool, labelled: bool) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        name = escaped(shortened(shown.name, max(14, width // 8)))
        st.markdown(
            f"**{name}** :small[:gray[{escaped(shown.kind)}]]", width="stretch", help=_full_name(shown.name, width)
        )
        if shown.gold_ranks:
            ranks = ", ".join(map(str, shown.gold_ranks[:5])) + ("…" if len(shown.gold_ranks) > 5 else "")
            st.badge(f"★ {ranks}", color="orange")
        elif labelled and shown.rows:
            st.badge("★ not in the list", color="gray")
    trouble = f":material/warning: {escaped(shown.trouble)}"
    st.caption(trouble if shown.trouble else escaped(shown.note), help=escaped(shown.note) if shown.trouble else None)
    picked = {_FIRST: first_rows, _AROUND: around_gold}.get(rows, lambda one: one.rows)(shown)
    if not picked:
        st.text(shortened(literal(shown.error), _ERROR) or ("Nothing to show." if shown.trouble else "Empty list."))
        return
    _table(shown, picked, names, width=width, changes=changes)
    left = len(shown.rows) - len(picked)
    st.caption(f"{left:,} more" if left else "all shown")


def _chunk(row: ListRow, names: ChunkNames, width: int) -> str:
    """Marks and name; a marked row has less room for its name, and bold letters are wider."""
    glyphs = marks.glyphs(row.marks)
    room = width - _GLYPH * len(glyphs)
    return f"{glyphs} {names.short(row.chunk_id, room * _BOLD // 100 if glyphs else room)}".strip()


def _full_name(name: str, width: int) -> str | None:
    """What a shortened heading leaves out, on hover."""
    return escaped(name) if len(name) > max(14, width // 8) else None


def _table(shown: StageList, rows: tuple[ListRow, ...], names: ChunkNames, *, width: int, changes: bool) -> None:
    third = "±" if changes and shown.has_changes else "score" if shown.has_scores else ""
    forms = shown.stage_id == "prompt" and any(row.score for row in rows)
    width += 0 if third or forms else _THIRD
    chunks = [_chunk(row, names, width) for row in rows]
    columns: dict[str, list[Any]] = {"#": [row.rank for row in rows], "chunk": chunks}
    if third:
        columns[third] = [row.change if third == "±" else row.score for row in rows]
    if forms:
        columns["form"] = [row.score for row in rows]
    colours = MARK_COLOURS[viewer.theme()]
    tables.show(
        columns,
        key=f"list_{shown.stage_id}_{st.session_state.get('lists_turn', 0)}",
        on_cell=lambda number: chunk_drawer.open_chunk(rows[number].chunk_id),
        styles=[colours.get(row.marks[0], "") if row.marks else "" for row in rows],
        row_height=_ROW_HEIGHT,
        shape={
            "#": tables.Column(width=34),
            "chunk": tables.Column(width=width),
            "score": tables.Column(width=_THIRD, right=True, help="As recorded; comparable only inside this list."),
            "±": tables.Column(width=44, help="Places up ▲ or down ▼ against its best rank in the lists that went in."),
        },
        alt=f"List of {shown.name}: rank, chunk{', ' + third if third else ''}",
    )
