"""History, question, rewrites, and the query and filter each stage got, beside the question."""

from __future__ import annotations

import json
from typing import Any

import streamlit as st

from ...actions import RequestView
from ...model import Message, Stage, StageKind
from ..frames.word_diff import Change, word_diff
from ..text import cell, escaped, literal, shortened
from . import long_text

_LONGEST_DIFF = 2000
"""Characters; longer queries are shown plain."""


def show(view: RequestView) -> None:
    """From the conversation to the queries."""
    request = view.recorded.request
    _history(request.history)
    question = request.question or ""
    st.caption("Question" + (f" ({escaped(request.question_source)})" if request.question_source else ""))
    long_text.show(question or "No question recorded.", "q_question", name="question")
    asked = [stage for stage in view.recorded.stages if stage.queries or stage.query is not None or stage.filters]
    if not asked:
        st.info("No query was recorded: name it with query= on the retriever.", icon=":material/search:")
    for stage in asked:
        _stage(stage, question)


def _history(history: tuple[Message, ...]) -> None:
    if not history:
        return
    with st.expander(f"History · {len(history):,} messages", expanded=len(history) <= 4):
        for number, message in enumerate(history[-50:]):
            st.caption(escaped(message.role) or "message")
            long_text.show(message.text, f"q_history_{number}", name="message")
        if len(history) > 50:
            st.caption(f"The newest 50 of {len(history):,} messages.")


def _stage(stage: Stage, question: str) -> None:
    with st.container(border=True):
        technique = f", technique {escaped(stage.technique)}" if stage.technique else ""
        queries = stage.queries if stage.kind is StageKind.REWRITE else (stage.query,)
        as_it_is = all(query == question for query in queries) and bool(queries)
        said = " · the question as it is" if as_it_is else ""
        st.markdown(f"**{escaped(stage.name)}** :small[:gray[{escaped(stage.kind.value)}{technique}]]{said}")
        for query in () if as_it_is else queries:
            if query is not None:
                _query(query, question)
        if stage.filters is not None:
            st.caption("Filter, as recorded")
            st.code(_json(stage.filters), language="json", wrap_lines=True)


def _query(query: str, question: str) -> None:
    """With what changed against the question; equal texts say so."""
    if query == question:
        st.text("The question as it is.")
        return
    if not question or max(len(query), len(question)) > _LONGEST_DIFF:
        long_text.show(query, f"q_{hash(query)}", name="query")
        return
    words = []
    for run in word_diff(question, query):
        text = escaped(run.text)
        if run.change is Change.GONE:
            words.append(f":red[~~{text}~~]")
        elif run.change is Change.NEW:
            words.append(f":green[**{text}**]")
        else:
            words.append(text)
    st.text(literal(query))
    st.markdown(f":small[against the question:] {' '.join(words)}")


def _json(value: Any) -> str:  # noqa: ANN401 - a filter is whatever the app recorded
    text = json.dumps(value, ensure_ascii=False, indent=1, default=str)
    return shortened(literal(text), 20_000) if not isinstance(value, str) else cell(value, 20_000)
