"""What was answered and what was said about it: by this a person recognises the case."""

from __future__ import annotations

import streamlit as st

from ...actions import RequestView
from .. import amounts, links, marks
from ..text import cell, escaped
from . import long_text

_PART = 700
_MESSAGES = 6


def show(view: RequestView) -> None:
    """The answer, and beside it the complaints and comments."""
    said = bool(view.complaints) or any(one.comment for one in view.feedback)
    _show_history(view)
    with st.container(border=True):
        if said:
            answer, complaint = st.columns([3, 2], gap="medium")
            with answer:
                _show_answer(view)
            with complaint:
                _show_said(view)
        else:
            _show_answer(view)


def _show_history(view: RequestView) -> None:
    """What was said before: a follow-up cannot be understood without it."""
    history = view.recorded.request.history
    if not history:
        return
    with st.expander(f"Said before · {amounts.counted(len(history), 'message')}", icon=":material/forum:"):
        for number, message in enumerate(history[-_MESSAGES:]):
            st.caption(escaped(cell(message.role, 40)) or "message")
            long_text.show(message.text, f"before_{number}", name="message")
        if len(history) > _MESSAGES:
            st.caption(f"The last {_MESSAGES} of {amounts.count(len(history))}; the Queries tab shows more.")


def _show_answer(view: RequestView) -> None:
    request = view.recorded.request
    thumbs = "".join(
        " · thumbs up :material/thumb_up:" if one.score > 0 else " · thumbs down :material/thumb_down:"
        for one in view.feedback[:1]
        if one.score
    )
    st.caption(f"Answer given{thumbs}")
    if request.answer is not None:
        long_text.show(request.answer, f"answer_{request.request_id}", part=_PART, name="answer")
        if not request.answer:
            st.caption("The answer is an empty text.")
        return
    st.text(f"No answer text: {cell(request.answer_note) or 'not recorded'}.")
    if (request.answer_note or "").startswith("not readable"):
        st.caption("Say where the text is in what your app returns: `@goldrank.request(answer=…)`.")
    if request.error:
        long_text.show(request.error, f"error_{request.request_id}", part=_PART, name="error")
    elif request.outcome.value != "ok":
        st.text(f"The request ended: {marks.outcome_words(request.outcome)}.")


def _show_said(view: RequestView) -> None:
    for complaint in view.complaints:
        # A link has a margin of its own: as a heading it would stand beside and above the line of the others.
        st.caption(f"Complaint {escaped(cell(complaint.complaint_id, 60))}")
        long_text.show(complaint.text, f"complaint_{complaint.complaint_id}", part=_PART, name="complaint")
        st.page_link(
            links.COMPLAINTS,
            label=f"Open the complaint {escaped(cell(complaint.complaint_id, 60))}",
            icon=":material/arrow_forward:",
            query_params=links.to_complaint(complaint.complaint_id),
            width="content",
        )
    for number, one in enumerate(view.feedback):
        if one.comment:
            st.caption("Comment on the feedback")
            long_text.show(one.comment, f"comment_{number}", part=_PART, name="comment")
