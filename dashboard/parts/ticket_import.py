"""Import tickets: a file, what would be read from it, and what became of it."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

from ...actions.bad_line import BadLine
from ...actions.import_complaints import ComplaintsImported, ImportComplaints
from ...actions.preview_complaints import ComplaintsPreview, PreviewComplaints
from ...model import GoldrankError
from .. import amounts, complaints, times, viewer
from ..text import cell, escaped, message
from . import tables

_OPEN = "import_open"
_DONE = "import_done"
_FAILED = "import_failed"
_FILE = "import_file"
_TURN = "import_turn"
_TYPES = ["csv", "tsv", "json", "jsonl", "ndjson", "txt"]
_CHOSEN = {"complaint_id": "Ticket id", "text": "Text", "who": "User", "at": "Time", "request": "Request id"}
"""Fields whose column can be chosen; the others are taken by their usual names."""
_BAD = 20


class _File(NamedTuple):
    text: str
    name: str
    note: str
    """How it was read, where that is not plain UTF-8."""


def button() -> None:
    """The way in."""
    st.button("Import tickets", key="import_tickets", icon=":material/upload:", on_click=_open)


def show_if_open() -> None:
    """Opens the dialog when it was asked for."""
    if st.session_state.get(_OPEN):
        _dialog()


def _open() -> None:
    _close()
    st.session_state[_OPEN] = True


def _close() -> None:
    for name in (_OPEN, _DONE, _FAILED):
        st.session_state.pop(name, None)
    st.session_state[_TURN] = st.session_state.get(_TURN, 0) + 1


@st.dialog("Import tickets", width="large", icon=":material/upload:", on_dismiss=_close)
def _dialog() -> None:
    done: ComplaintsImported | None = st.session_state.get(_DONE)
    if done is not None:
        _result(done)
        return
    if failure := st.session_state.get(_FAILED):
        st.error(message(failure), icon=":material/error:")
    turn = st.session_state.get(_TURN, 0)
    uploaded = st.file_uploader(
        "CSV with a line of column names, JSON lines, or one JSON array", type=_TYPES, key=f"{_FILE}_{turn}"
    )
    if uploaded is None:
        st.caption(
            "An export of any help desk. The same file again changes nothing; a ticket that says something else is "
            "renewed, and keeps its link, owner and notes."
        )
        return
    file = _read(uploaded.getvalue(), uploaded.name)
    try:
        ask, preview = _mapped(file)
    except GoldrankError as error:
        st.error(message(str(error)), icon=":material/error:")
        return
    _preview(preview, file)
    with st.container(horizontal=True, horizontal_alignment="right"):
        st.button("Cancel", key="import_cancel", type="tertiary", on_click=_cancel)
        st.button(
            f"Import {amounts.counted(preview.readable, 'ticket')}",
            key="import_run",
            type=viewer.main_button(),
            disabled=not preview.readable,
            on_click=_run,
            args=(ask,),
        )


def _read(content: bytes, name: str) -> _File:
    """The file as text. Spreadsheets still write other encodings than UTF-8, and say so nowhere."""
    for encoding, said in (("utf-8-sig", ""), ("utf-16", "read as UTF-16"), ("cp1252", "read as Windows-1252")):
        if encoding == "utf-16" and content[:2] not in {b"\xff\xfe", b"\xfe\xff"}:
            continue
        try:
            return _File(content.decode(encoding), name, said)
        except UnicodeDecodeError:
            continue
    return _File(content.decode("latin-1"), name, "read as Latin-1")


def _mapped(file: _File) -> tuple[ImportComplaints, ComplaintsPreview]:
    """The choice of columns and what would be read by it."""
    zone = times.zone_name(viewer.zone())
    usual = complaints.preview(PreviewComplaints(text=file.text, source=file.name, zone=zone))
    columns: dict[str, str] = {}
    for place, (field, label) in zip(st.columns(len(_CHOSEN)), _CHOSEN.items(), strict=True):
        known = usual.mapping.get(field)
        chosen = place.selectbox(
            label,
            usual.columns,
            index=usual.columns.index(known) if known in usual.columns else None,
            key=f"import_{field}_{st.session_state.get(_TURN, 0)}_{len(usual.columns)}",
            placeholder="none",
            format_func=lambda name: cell(name, 40),
        )
        if chosen is not None and chosen != known:
            columns[field] = chosen
    ask = ImportComplaints(text=file.text, source=file.name, columns=columns, zone=zone)
    return ask, complaints.preview(PreviewComplaints(**ask.model_dump())) if columns else usual


def _preview(preview: ComplaintsPreview, file: _File) -> None:
    taken = " · ".join(f"{field.replace('_', ' ')} ← {cell(column, 40)}" for field, column in preview.mapping.items())
    st.caption(escaped(" · ".join(part for part in (taken or "No column is known", file.note) if part)))
    zone = viewer.zone()
    if preview.rows:
        tables.show(
            {
                "ticket": [cell(row.complaint_id, 60) or "(one is made)" for row in preview.rows],
                "time": ["now" if row.at_ns is None else times.second(row.at_ns, zone) for row in preview.rows],
                "user": [cell(row.who, 60) for row in preview.rows],
                "text": [cell(row.text, 200) for row in preview.rows],
                "request": [cell(row.request, 60) for row in preview.rows],
            },
            alt="The first tickets as they would be read",
            shape={"ticket": tables.Column(width=120), "time": tables.Column(width=200)},
        )
        st.caption(
            f"The first {len(preview.rows)} of {amounts.counted(preview.readable, 'ticket')}; "
            f"times without a zone are read in {times.zone_name(zone)}"
        )
    _bad(preview.bad, "cannot be read and would be left out")


def _bad(bad: tuple[BadLine, ...], said: str) -> None:
    if not bad:
        return
    st.warning(f"{amounts.counted(len(bad), 'line')} {said}.", icon=":material/rule:")
    tables.show(
        {"line": [one.line for one in bad[:_BAD]], "why": [cell(one.reason, 300) for one in bad[:_BAD]]},
        alt="Lines that cannot be read",
        shape={"line": tables.Column(width=70)},
    )
    if len(bad) > _BAD:
        st.caption(f"The first {_BAD} of {amounts.count(len(bad))}")


def _result(done: ComplaintsImported) -> None:
    st.success(
        f"{amounts.counted(done.created, 'new ticket')}, {amounts.count(done.updated)} renewed, "
        f"{amounts.count(done.unchanged)} known already. "
        f"{amounts.count(done.linked)} name their request by id and are linked.",
        icon=":material/check_circle:",
    )
    _bad(done.bad, "could not be read and were left out")
    with st.container(horizontal=True, horizontal_alignment="right"):
        st.button("To the queue", key="import_close", type=viewer.main_button(), on_click=_cancel)


def _cancel() -> None:
    _close()
    st.rerun()


def _run(ask: ImportComplaints) -> None:
    try:
        st.session_state[_DONE] = complaints.imported(ask)
        st.session_state.pop(_FAILED, None)
    except GoldrankError as error:
        st.session_state[_FAILED] = str(error)
