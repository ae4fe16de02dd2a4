"""Close a complaint: as fixed, not reproducible or not answerable, with what shows it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from ...actions.close_complaint import CloseComplaint
from ...actions.complaints import ComplaintRow
from ...model import GoldrankError, short_id
from ...model.complaint import ComplaintState
from .. import complaints, data, marks, replays, times, viewer
from ..text import cell, message

_OPEN = "close_open"
_FAILED = "close_failed"
_STATES = (ComplaintState.FIXED, ComplaintState.NOT_REPRODUCIBLE, ComplaintState.NOT_ANSWERABLE)
_SAYS = {
    ComplaintState.FIXED: "The app answers it now: name the eval case that passes, a replay that shows it, or why.",
    ComplaintState.NOT_REPRODUCIBLE: "It did not happen again, or no request fits: say what was tried.",
    ComplaintState.NOT_ANSWERABLE: "The documents do not hold the answer, or nobody should get it: say why.",
}


def button(complaint_id: str) -> None:
    """The way in."""
    st.button("Close …", key="close", icon=":material/task_alt:", on_click=_open, args=(complaint_id,))


def show_if_open(row: ComplaintRow) -> None:
    """Opens the dialog when it was asked for on this complaint."""
    if st.session_state.get(_OPEN) == row.complaint.complaint_id:
        _dialog(row)


def _open(complaint_id: str) -> None:
    _close()
    st.session_state[_OPEN] = complaint_id


def _close() -> None:
    for name in (_OPEN, _FAILED):
        st.session_state.pop(name, None)


@st.dialog("Close the complaint", width="medium", icon=":material/task_alt:", on_dismiss=_close)
def _dialog(row: ComplaintRow) -> None:
    if failure := st.session_state.get(_FAILED):
        st.error(message(failure), icon=":material/error:")
    state = st.segmented_control(
        "As", _STATES, default=ComplaintState.FIXED, required=True, key="close_state", format_func=marks.state_words
    )
    st.caption(_SAYS[state or ComplaintState.FIXED])
    if state is ComplaintState.FIXED:
        _choice("Passing case", "close_case", _cases(row), "The id of a case; its newest request must be delivered")
    if state is not ComplaintState.NOT_ANSWERABLE:
        _choice("Replay", "close_replay", _replays(row), "The id of a replayed request")
    st.text_area("Reason", key="close_reason", height=90)
    with st.container(horizontal=True, horizontal_alignment="right"):
        st.button("Cancel", key="close_cancel", type="tertiary", on_click=_cancel)
        st.button(
            f"Close as {marks.state_words(state or ComplaintState.FIXED)}",
            key="close_save",
            type=viewer.main_button(),
            on_click=_save,
            args=(row.complaint.complaint_id,),
        )


def _choice(label: str, key: str, options: dict[str, str], help_text: str) -> None:
    st.selectbox(
        label,
        list(options),
        index=None,
        key=key,
        placeholder="Choose one, or paste its id" if options else "Paste its id",
        format_func=lambda one: options.get(one, one),
        accept_new_options=True,
        help=help_text,
    )


def _cases(row: ComplaintRow) -> dict[str, str]:
    """Cases that ask the question of its request: id -> words."""
    if row.request_id is None:
        return {}
    cases = data.view(row.request_id).cases
    return {
        case.case_id: f"{short_id(case.case_id)} · {cell(case.eval_set, 30)} · {cell(case.question, 80)}"
        for case in cases
        if not case.archived
    }


def _replays(row: ComplaintRow) -> dict[str, str]:
    """Replays of its request, newest first: id -> words."""
    if row.request_id is None:
        return {}
    return {
        one.request_id: f"{short_id(one.request_id)} · {times.minute(one.start_ns, viewer.zone())} · "
        f"{marks.verdict_words(one.verdict) or 'not judged'}"
        for one in replays.earlier(row.request_id)
    }


def _cancel() -> None:
    _close()
    st.rerun()


def _save(complaint_id: str) -> None:
    state: Any = st.session_state
    try:
        complaints.close(
            CloseComplaint(
                complaint_id=complaint_id,
                state=state.get("close_state") or ComplaintState.FIXED,
                case=state.get("close_case") or "",
                replay=state.get("close_replay") or "",
                reason=state.get("close_reason") or "",
            )
        )
    except GoldrankError as error:
        state[_FAILED] = str(error)
        return
    _close()
    st.rerun()
