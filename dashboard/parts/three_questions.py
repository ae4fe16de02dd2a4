"""In the corpus? Retrieved? In the prompt?"""

from __future__ import annotations

import streamlit as st

from ...actions import Answer, RequestView
from ..text import escaped


def show(view: RequestView) -> None:
    """Three metrics in a row; nothing without a gold."""
    questions: list[tuple[str, Answer | None]] = [
        ("In the corpus?", view.in_corpus),
        ("Retrieved?", view.retrieved),
        ("In the prompt?", view.in_prompt),
    ]
    answered = [(label, answer) for label, answer in questions if answer is not None]
    if not answered:
        return
    for column, (label, answer) in zip(st.columns(len(answered)), answered, strict=True):
        column.metric(
            label,
            escaped(answer.value),
            escaped(answer.evidence) or None,
            delta_color="off",
            delta_arrow="off",
            border=True,
            height="stretch",
        )
