"""Promote: the request becomes a case of an eval set. Prefilled; a conflict is shown with its choices."""

from __future__ import annotations

import streamlit as st

from ...actions import Difference, Draft, OnConflict, Promote, Promoted, PromoteOutcome, target_name
from ...model import EvalCase, GoldrankError, Judgement, short_id
from .. import amounts, data, links, times, viewer
from ..text import cell, escaped, message, shortened
from . import tables

_OPEN = "promote_open"
_CONFLICT = "promote_conflict"
_FAILED = "promote_failed"
_DONE = "promoted_case"
_KINDS = (
    "",
    "answerable",
    "follow-up",
    "identifier",
    "multi-evidence",
    "unanswerable",
    "must-not-see",
)
_GLYPHS = {Judgement.GOLD: "★ gold", Judgement.NOT_RELEVANT: "○ not relevant", Judgement.FORBIDDEN: "⊘ forbidden"}


def open_for(request_id: str) -> None:
    """Opens the dialog (a callback)."""
    st.session_state[_OPEN] = request_id
    for name in (_CONFLICT, _FAILED, _DONE):
        st.session_state.pop(name, None)


def close() -> None:
    """Closes it (a callback)."""
    for name in (_OPEN, _CONFLICT, _FAILED):
        st.session_state.pop(name, None)


def show_if_open(request_id: str) -> None:
    """Opens the dialog when it was asked for on this request."""
    if st.session_state.get(_OPEN) == request_id:
        _dialog(request_id)


def show_done(request_id: str) -> None:
    """After promoting: what happened, and the way to the case."""
    done: Promoted | None = st.session_state.get(_DONE)
    if done is None or request_id not in done.case.source_requests:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.success(escaped(_said(done)), icon=":material/check_circle:", width="stretch")
        st.page_link(
            links.CASE,
            label="Open the case",
            icon=":material/arrow_forward:",
            query_params={links.CASE_ID: done.case.case_id},
        )
    for warning in done.warnings:
        st.warning(message(warning))


def _said(done: Promoted) -> str:
    name = f"Case {short_id(done.case.case_id)} of {done.case.eval_set}"
    return {
        PromoteOutcome.CREATED: f"{name} was created.",
        PromoteOutcome.ALREADY_IN_SET: f"{name} asks this already: the question was already in the set.",
        PromoteOutcome.UPDATED: f"{name} was updated.",
    }.get(done.outcome, f"{name}: {done.outcome.value}.")


@st.dialog("Promote to the eval set", width="medium", icon=":material/library_add_check:", on_dismiss=close)
def _dialog(request_id: str) -> None:
    if failure := st.session_state.get(_FAILED):
        st.error(message(failure))
    try:
        draft = data.draft(request_id)
    except GoldrankError as error:
        st.error(message(str(error)))
        return
    conflict: Promoted | None = st.session_state.get(_CONFLICT)
    if conflict is not None and conflict.conflict is not None:
        _conflict(request_id, conflict.conflict, conflict.case)
        with st.expander("The case to promote"):
            _fields(draft)
        return
    _fields(draft)
    for warning in draft.warnings:
        st.warning(message(warning))
    if draft.existing is not None:
        st.info(
            escaped(f"Case {short_id(draft.existing.case_id)} of {draft.existing.eval_set} asks the same question."),
            icon=":material/info:",
        )
    with st.container(horizontal=True, horizontal_alignment="right"):
        st.button("Cancel", key="promote_cancel", type="tertiary", on_click=_cancel)
        st.button(
            "Promote",
            key="promote_save",
            type=viewer.main_button(),
            on_click=_promote,
            args=(request_id, OnConflict.ASK),
        )


def _fields(draft: Draft) -> None:
    case = draft.case
    own = draft.case.eval_set
    sets = {own: draft.sets.get(own, 0), **draft.sets}
    one, two = st.columns([3, 2])
    one.selectbox(
        "Eval set",
        list(sets),
        key="promote_set",
        format_func=lambda name: f"{name} ({amounts.counted(sets.get(name, 0), 'case')})",
        accept_new_options=True,
        help="Type a name for a new set",
    )
    two.selectbox(
        "Kind",
        _KINDS,
        index=_KINDS.index(case.kind) if case.kind in _KINDS else 0,
        key="promote_kind",
        format_func=lambda kind: kind or "not said",
        accept_new_options=True,
    )
    st.text_area("Question", value=case.question, key="promote_question", height=80)
    st.text_input(
        "Standalone form",
        value=case.standalone or "",
        key="promote_standalone",
        help="The question as a text that needs no history",
    )
    if case.history:
        st.caption(f"History · {amounts.counted(len(case.history), 'message')}, kept as recorded")
    _labels(case)
    left, right = st.columns(2)
    left.text_input(
        "The answer should contain", key="promote_contains", help="Phrases that a right answer holds, separated by |"
    )
    right.text_input("Ticket", value=case.ticket or "", key="promote_ticket")
    st.text_input("Note", key="promote_note", placeholder="What a reviewer should know")
    kept = ["id, text hash, quote and document of every label"]
    if case.groups:
        kept.append(f"groups {', '.join(case.groups)}")
    if case.failing_stage:
        kept.append(f"lost at {case.failing_stage}")
    kept.append(f"source request {short_id(case.source_requests[-1])}")
    st.caption(escaped("Also kept: " + " · ".join(kept)))


def _labels(case: EvalCase) -> None:
    st.caption("Labels")
    tables.show(
        {
            "label": [_GLYPHS[label.judgement] for label in case.labels],
            "passage": [cell(target_name(label.target), 60) or "no such passage" for label in case.labels],
            "text": [cell(label.target.quote or label.target.text, 60) for label in case.labels],
        },
        row_height=32,
        shape={
            "label": tables.Column(width=110),
            "passage": tables.Column(width=170),
        },
        alt="Labels that go into the case",
    )


def _conflict(request_id: str, sides: tuple[Difference, Difference], case: EvalCase) -> None:
    st.warning(
        escaped(f"Case {short_id(case.case_id)} of {case.eval_set} asks the same question with other labels."),
        title="The set says something else",
        icon=":material/call_split:",
    )
    for column, title, side in zip(st.columns(2), ("In the set", "To promote"), sides, strict=True):
        with column.container(border=True, height="stretch"):
            st.caption(title)
            st.text(f"by {cell(side.who, 60) or 'unknown'}, {times.minute(side.at_ns, viewer.zone())}")
            for name, values in (
                ("★ gold", side.gold),
                ("⊘ forbidden", side.forbidden),
                ("○ not relevant", side.not_relevant),
            ):
                for value in values:
                    st.text(shortened(f"{name}: {cell(value, 200)}", 220))
    st.caption(
        "Keep the first: the labels of the set stay · Either counts: a gold of either side is enough · "
        "Replace: the labels to promote take their place"
    )
    with st.container(horizontal=True, horizontal_alignment="right"):
        st.button("Cancel", key="promote_cancel", type="tertiary", on_click=_cancel)
        for choice, label in (
            (OnConflict.KEEP_FIRST, "Keep the first"),
            (OnConflict.EITHER_COUNTS, "Either counts"),
            (OnConflict.REPLACE, "Replace"),
        ):
            st.button(label, key=f"promote_{choice.name.lower()}", on_click=_promote, args=(request_id, choice))


def _cancel() -> None:
    close()
    st.rerun()


def _promote(request_id: str, choice: OnConflict) -> None:
    state = st.session_state
    ask = Promote(
        request_id=request_id,
        eval_set=state.get("promote_set") or "",
        kind=state.get("promote_kind") or None,
        question=state.get("promote_question"),
        standalone=state.get("promote_standalone"),
        expected_answer_contains=tuple(
            part.strip() for part in (state.get("promote_contains") or "").split("|") if part.strip()
        ),
        ticket=state.get("promote_ticket") or None,
        note=state.get("promote_note") or None,
        on_conflict=choice,
    )
    try:
        done = data.promoted(ask)
    except GoldrankError as error:
        state[_FAILED] = str(error)
        return
    if done.outcome is PromoteOutcome.CONFLICT:
        state[_CONFLICT] = done
        return
    close()
    state[_DONE] = done
    st.rerun()
