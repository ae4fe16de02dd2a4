"""The prompt as it was sent, with its chunks marked."""

from __future__ import annotations

import streamlit as st

from ...actions import RequestView
from ...model import ContextEntry, InPrompt
from .. import amounts, marks
from ..frames.delivered import context_source
from ..frames.prompt_parts import PromptPart, prompt_messages, prompt_parts
from ..text import cell, escaped
from . import chunk_drawer, long_text


def show(view: RequestView) -> None:
    """One card a part; without a recorded prompt, what is known of the context."""
    context = view.diagnosis.context
    messages = prompt_messages(view.recorded, context)
    known = f"{amounts.counted(len(context.entries), 'chunk')}, {context_source(view.diagnosis)}"
    if messages:
        length = sum(len(message.text) for message in messages)
        st.caption(
            f"{amounts.counted(len(messages), 'message')} · {amounts.counted(length, 'character')} · "
            + (known if context.known else "which chunks are in it is not known")
        )
        role = None
        for number, part in enumerate(prompt_parts(messages, context)):
            if part.role != role:
                role = part.role
                st.caption(escaped(role) or "text")
            _part(view, part, number)
        return
    if context.known:
        st.caption(f"The prompt's text is not recorded · {known}")
        for number, entry in enumerate(context.entries):
            _part(view, PromptPart("", entry, _text_of(view, entry)), number)
        return
    st.info(
        "What reached the prompt is not recorded. Decorate the step that builds it (@goldrank.assemble), or the one "
        "that calls the model (@goldrank.generate). In a log that is imported it is a column: context_ids, or prompt.",
        icon=":material/description:",
    )


def _part(view: RequestView, part: PromptPart, number: int) -> None:
    """A chunk has a card of its own; the text around it is plain."""
    if part.entry is None:
        long_text.show(part.text, f"prompt_{number}", name="prompt")
        return
    with st.container(border=True, gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
            _heading(view, part.entry, number)
        long_text.show(part.text, f"prompt_{number}", name="prompt")


def _heading(view: RequestView, entry: ContextEntry, number: int) -> None:
    st.caption(f"position {entry.position}", width="content")
    st.button(
        escaped(cell(entry.chunk_id, 90)),
        key=f"prompt_open_{number}",
        type="tertiary",
        on_click=chunk_drawer.open_chunk,
        args=(entry.chunk_id,),
    )
    for mark in marks.ordered(view.diagnosis.marks.get(entry.chunk_id, ())):
        style = marks.MARKS[mark]
        st.badge(f"{style.glyph} {mark.value}", color=style.colour)
    if entry.form is InPrompt.CUT and entry.chars_sent is not None and entry.chars_total is not None:
        st.badge(f"cut: {entry.chars_sent:,} of {entry.chars_total:,} characters", color="yellow")
    elif entry.form is not InPrompt.WHOLE:
        st.badge(entry.form.value, color="gray")
    if entry.ambiguous_with:
        names = ", ".join(cell(one, 60) for one in entry.ambiguous_with[:3])
        st.caption(escaped(f"or {names}: the same text"))


def _text_of(view: RequestView, entry: ContextEntry) -> str:
    for stage in view.recorded.stages:
        for hit in stage.hits or ():
            if hit.chunk_id == entry.chunk_id and hit.text is not None:
                return hit.text
    return "The text is not recorded."
