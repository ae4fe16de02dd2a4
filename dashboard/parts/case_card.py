"""One case in full: question, what was said before, passages, origin; archive it or put it back."""

from __future__ import annotations

import streamlit as st

from ...actions import CaseState, target_name
from ...model import CaseLabel, CaseOrigin, EvalCase, Judgement, short_id
from .. import amounts, data, links, marks, times, viewer
from ..text import cell, escaped, literal
from . import long_text, notices

_GLYPHS = {Judgement.GOLD: "★ gold", Judgement.NOT_RELEVANT: "○ not relevant", Judgement.FORBIDDEN: "⊘ forbidden"}
_ORIGINS = {
    CaseOrigin.COMPLAINT: "from a complaint",
    CaseOrigin.SAMPLED: "from a request",
    CaseOrigin.WRITTEN: "written by hand",
    CaseOrigin.SYNTHETIC: "generated",
}
_FEW_TURNS = 6
_LONG = 2000
"""Characters from which on a passage scrolls in a frame of its own."""
_SCROLLER = 300
_MOST_AT_ONCE = 200_000


def show(state: CaseState) -> None:
    """The card."""
    case = state.case
    with st.container(border=True, key="case_card"):
        _head(case)
        _stale(state)
        _conversation(case)
        for number, label in enumerate(case.labels):
            _label(label, number)
        if case.expected_answer_contains:
            st.caption("The answer should contain")
            st.text(" | ".join(cell(one, 200) for one in case.expected_answer_contains))
        if case.note:
            st.caption("Note")
            long_text.show(case.note, "case_note", name="note")
        _origin(case)


def _head(case: EvalCase) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.header(escaped(cell(case.question, 240)) or "No question", anchor=False, width="stretch")
        st.button(
            "Put back" if case.archived else "Archive",
            key="case_archive",
            icon=":material/unarchive:" if case.archived else ":material/archive:",
            on_click=_archive,
            args=(case.case_id, not case.archived),
        )
    st.caption(escaped(_facts(case)))
    if case.archived:
        st.info("This case is archived: it is kept, and no run uses it.", icon=":material/archive:")
    if len(case.question) > 240:
        long_text.show(case.question, "case_question", name="question")
    if case.standalone:
        st.caption(f"Standalone form: {escaped(cell(case.standalone, 500))}")


def _conversation(case: EvalCase) -> None:
    """What was said before the question, turn by turn."""
    if not case.history:
        return
    said = f"Said before · {amounts.counted(len(case.history), 'message')}"
    with st.expander(said, expanded=len(case.history) <= _FEW_TURNS, icon=":material/forum:"):
        for number, turn in enumerate(case.history):
            st.caption(escaped(cell(turn.role, 40)) or "message")
            long_text.show(turn.text, f"case_turn_{number}", name="message")


def _label(label: CaseLabel, number: int) -> None:
    """One passage with the whole of what it held when it was marked."""
    target = label.target
    with st.container(border=True, gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="center"):
            grade = f", grade {label.grade}" if label.grade and label.grade > 1 else ""
            st.badge(f"{_GLYPHS[label.judgement]}{grade}", color=marks.judgement_colour(label.judgement))
            st.text(cell(target_name(target), 200) or "No such passage exists", width="stretch", wrap=False)
            st.caption(escaped(_who(label)), width="content")
        if target.quote and target.quote != target.text:
            st.caption("The sentence that answers" if target.text else "What the documents should say")
            st.text(literal(target.quote))
        if target.text:
            st.caption("The passage when it was marked")
            _in_full(target.text, f"case_passage_{number}")


def _who(label: CaseLabel) -> str:
    return f"by {cell(label.who, 60)}" if label.who else ""


def _in_full(text: str, key: str) -> None:
    """All of it; a long one scrolls in its own frame."""
    if len(text) <= _LONG:
        st.text(literal(text))
        return
    with st.container(height=_SCROLLER, border=True):
        long_text.show(text, key, part=_MOST_AT_ONCE, name="passage")


def _origin(case: EvalCase) -> None:
    with st.container(horizontal=True):
        for request_id in case.source_requests[-10:]:
            st.page_link(
                links.REQUEST,
                label=f"Source request {escaped(short_id(request_id))}",
                icon=":material/arrow_forward:",
                query_params=links.to_request(request_id),
            )
    history = data.case_history(case.case_id)
    changes = "; ".join(f"revision {one.revision} by {cell(one.author, 40) or 'unknown'}" for one in history[::-1][:20])
    st.caption(
        escaped(f"First stored {times.second(case.created_ns, viewer.zone())}" + (f" · {changes}" if changes else ""))
    )


def _facts(case: EvalCase) -> str:
    parts = [
        f"case {short_id(case.case_id)}",
        f"eval set {case.eval_set}",
        f"app {case.app}" if case.app != case.eval_set else "",
        case.kind or "",
        _ORIGINS[case.origin],
        f"ticket {case.ticket}" if case.ticket else "",
        f"{marks.verdict_words(case.verdict)} when promoted" if case.verdict else "",
        f"lost at {case.failing_stage}" if case.failing_stage else "",
        f"groups {', '.join(case.groups)}" if case.groups else "",
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
        st.caption(escaped(f"Found again under another id: {cell(text, 200)}"))


def _archive(case_id: str, archived: bool) -> None:  # noqa: FBT001 - Streamlit passes callbacks' arguments by place
    if notices.guarded(lambda: data.archive(case_id, archived=archived)):
        notices.done("The case was archived." if archived else "The case is back in its set.")
