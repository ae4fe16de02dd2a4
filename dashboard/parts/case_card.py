"""One case in full: question, labels, origin, history; archive it or put it back."""

from __future__ import annotations

import streamlit as st

from ...actions import CaseState, target_name
from ...model import EvalCase, Judgement, short_id
from .. import amounts, data, links, marks, times, viewer
from ..text import cell, escaped
from . import long_text, notices, tables

_GLYPHS = {Judgement.GOLD: "★ gold", Judgement.NOT_RELEVANT: "○ not relevant", Judgement.FORBIDDEN: "⊘ forbidden"}


def show(state: CaseState) -> None:
    """The card."""
    case = state.case
    zone = viewer.zone()
    with st.container(border=True, key="case_card"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.header(escaped(cell(case.question, 240)) or "No question", anchor=False, width="stretch")
            st.button(
                "Put back" if case.archived else "Archive",
                key="case_archive",
                icon=":material/unarchive:" if case.archived else ":material/archive:",
                on_click=_archive,
                args=(case.case_id, not case.archived),
            )
        if case.archived:
            st.info("This case is archived: it is kept, and no run uses it.", icon=":material/archive:")
        if len(case.question) > 240:
            long_text.show(case.question, "case_question", name="question")
        if case.standalone:
            st.caption(f"Standalone form: {escaped(cell(case.standalone, 500))}")
        st.caption(escaped(_facts(case)))
        _stale(state)
        _labels(case)
        if case.expected_answer_contains:
            st.text("The answer should contain: " + " | ".join(cell(one, 200) for one in case.expected_answer_contains))
        if case.note:
            long_text.show(case.note, "case_note", name="note")
        with st.container(horizontal=True):
            for request_id in case.source_requests[-10:]:
                st.page_link(
                    links.REQUEST,
                    label=f"Source request {escaped(short_id(request_id))}",
                    icon=":material/arrow_forward:",
                    query_params=links.to_request(request_id),
                )
        history = data.case_history(case.case_id)
        if len(history) > 1:
            lines = [f"revision {one.revision} · {cell(one.author, 40)}" for one in history[::-1][:20]]
            st.caption(escaped(f"History: {'; '.join(lines)} · first stored {times.second(case.created_ns, zone)}"))


def _facts(case: EvalCase) -> str:
    parts = [
        f"case {short_id(case.case_id)}",
        f"set {case.eval_set}",
        case.app,
        case.kind or "",
        case.origin.value,
        f"ticket {case.ticket}" if case.ticket else "",
        f"{marks.verdict_words(case.verdict)} when promoted" if case.verdict else "",
        f"lost at {case.failing_stage}" if case.failing_stage else "",
        f"groups {', '.join(case.groups)}" if case.groups else "",
        f"history of {amounts.counted(len(case.history), 'message')}" if case.history else "",
        f"by {case.author}" if case.author else "",
    ]
    return " · ".join(cell(part, 120) for part in parts if part)


def _stale(state: CaseState) -> None:
    if state.stale:
        names = ", ".join(cell(name, 80) for name in state.stale[:10])
        st.warning(
            escaped(f"The newest index version no longer holds the labelled text of {names}."),
            title="↺ A label is out of date",
            icon=":material/history:",
        )
    for text in state.relinked[:10]:
        st.caption(escaped(f"Re-linked: {cell(text, 200)}"))


def _labels(case: EvalCase) -> None:
    tables.show(
        {
            "label": [
                f"{_GLYPHS[label.judgement]} {label.grade if label.grade and label.grade > 1 else ''}".strip()
                for label in case.labels
            ],
            "passage": [cell(target_name(label.target), 120) or "no such passage" for label in case.labels],
            "text": [cell(label.target.quote or label.target.text, 300) for label in case.labels],
            "by": [cell(label.who, 40) for label in case.labels],
        },
        row_height=32,
        shape={
            "label": tables.Column(width=120),
            "passage": tables.Column(width=220),
        },
        alt="Labels of this case",
    )


def _archive(case_id: str, archived: bool) -> None:  # noqa: FBT001 - Streamlit passes callbacks' arguments by place
    if notices.guarded(lambda: data.archive(case_id, archived=archived)):
        notices.done("The case was archived." if archived else "The case is back in its set.")
