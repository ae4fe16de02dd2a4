"""Two requests side by side: heads, what differs, stage by stage, prompt and answer."""

from __future__ import annotations

from datetime import tzinfo

import streamlit as st

from ...actions.compare import Compared
from ...model import Finding, Request, StageKind, short_id
from ...model.comparison import ChunkMove, Difference, Move, RequestComparison, StagePair, TextDiffPart
from .. import amounts, links, marks, times, viewer
from ..figures.palette import MARK_COLOURS
from ..frames.chunk_names import ChunkNames
from ..frames.stage_lists import rank_change
from ..text import cell, escaped, literal, shortened
from . import long_text, tables

_ROWS = 200
_WITHOUT_LIST = {
    StageKind.GENERATE: "What it wrote is the answer below.",
    StageKind.ASSEMBLE: "The prompt stands below.",
}
_KEPT = 160
"""Characters of an unchanged passage that are shown on each side of a change."""


def choose(then: str) -> None:
    """A form for the two ids."""
    with st.form("compare_ids", width=720):
        first = st.text_input("Request", value=then, key="compare_then")
        second = st.text_input("Compare with (empty: the nearest request that passes)", key="compare_now")
        if st.form_submit_button("Compare", type=viewer.main_button()) and first.strip():
            st.query_params[links.THEN] = first.strip()
            st.query_params[links.NOW] = second.strip()
            st.rerun()


def heads(compared: Compared, zone: tzinfo) -> None:
    """Question, time, id and verdict of each, with a link."""
    sides = st.columns(2)
    pairs = (("Then", compared.then, compared.then_headline), ("Now", compared.now, compared.now_headline))
    for column, (word, request, headline) in zip(sides, pairs, strict=True):
        with column.container(border=True, height="stretch"):
            _head(word, request, headline, zone)


def _head(word: str, request: Request, headline: Finding, zone: tzinfo) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.page_link(
            links.REQUEST,
            label=f"{word}: {short_id(request.request_id)} ›",
            query_params=links.to_request(request.request_id),
            width="content",
        )
        verdict = headline.verdict.value
        st.badge(escaped(marks.verdict_words(verdict)), color=marks.verdict_colour(verdict))
        if request.replay_of:
            st.badge("replay", color="gray")
    st.text(shortened(literal(request.question or "No question recorded"), 240))
    parts = [
        times.second(request.start_ns, zone),
        f"user {request.user}" if request.user else "",
        request.app_version or "",
    ]
    st.caption(escaped(" · ".join(cell(part, 80) for part in parts if part)))


def verdict(compared: Compared) -> None:
    """The sentence, then each further gold. Colour only where a label says what is good."""
    said = compared.comparison
    golds = said.golds
    if any(gold.now_verdict == "delivered" and gold.then_verdict != "delivered" for gold in golds):
        st.success(escaped(said.sentence), icon=":material/check_circle:")
    elif any(gold.then_verdict == "delivered" and gold.now_verdict != "delivered" for gold in golds):
        st.error(escaped(said.sentence), icon=":material/trending_down:")
    else:
        st.info(escaped(said.sentence), icon=":material/compare_arrows:")
    for gold in golds:
        if gold.sentence != said.sentence:
            st.text(gold.sentence)
    if not compared.same_labels:
        st.caption("Two different questions: each is judged by its own labels, and no gold is followed.")


def differences(found: tuple[Difference, ...]) -> None:
    """Attributes that differ, on top."""
    if not found:
        st.caption("Same app version, user, groups and index versions, as far as they were recorded.")
        return
    _difference_table(found, "Attributes that differ")


def _difference_table(found: tuple[Difference, ...], alt: str) -> None:
    tables.show(
        {
            "what": [cell(one.what) for one in found],
            "then": [cell(one.then) or "not recorded" for one in found],
            "now": [cell(one.now) or "not recorded" for one in found],
        },
        row_height=28,
        shape={"what": tables.Column(width=180)},
        alt=alt,
    )


def stages(said: RequestComparison) -> None:
    """One expander a stage; the first that differs is open."""
    names = ChunkNames(move.chunk_id for pair in said.stages for move in pair.moves)
    for place, pair in enumerate(said.stages):
        with st.expander(_stage_label(pair), expanded=place == said.first_difference):
            _stage(pair, names)


def _stage_label(pair: StagePair) -> str:
    name = f"**{escaped(pair.name)}** :small[{escaped(pair.kind.value)}]"
    if pair.then_id is None:
        return f"{name} · only now"
    if pair.now_id is None:
        return f"{name} · only then"
    pinned = " · pinned" if pair.pinned else ""
    if not pair.differs:
        return f"{name} · the same{pinned}"
    return f"{name} · {counted_moves(pair.moves) or 'differs'}{pinned}"


def counted_moves(moves: tuple[ChunkMove, ...]) -> str:
    """ "3 chunks moved, 70 came, 1 went": a deeper list moves nothing. Empty where the lists are the same."""
    kinds = [move.move for move in moves if move.move is not Move.SAME]
    came, went = kinds.count(Move.CAME), kinds.count(Move.WENT)
    parts = [
        f"{amounts.count(count)} {word}"
        for count, word in ((len(kinds) - came - went, "moved"), (came, "came"), (went, "went"))
        if count
    ]
    if not parts:
        return ""
    number, _, word = parts[0].partition(" ")
    return ", ".join([f"{number} {'chunk' if number == '1' else 'chunks'} {word}", *parts[1:]])


def _stage(pair: StagePair, names: ChunkNames) -> None:
    if pair.differences:
        _difference_table(pair.differences, f"What differs about {pair.name}")
    if pair.text:
        st.markdown(diff_words(pair.text))
    if not pair.moves:
        if not pair.text and not pair.differences:
            st.text(_WITHOUT_LIST.get(pair.kind, "Neither has a list or a text here."))
        return
    rows = pair.moves[:_ROWS]
    colours = MARK_COLOURS[viewer.theme()]
    by_mark = {mark.value: style for mark, style in colours.items()}
    tables.show(
        {
            "then": [amounts.rank(move.then) for move in rows],
            "now": [amounts.rank(move.now) for move in rows],
            "moved": [_moved(move) for move in rows],
            "chunk": [_chunk(move, names) for move in rows],
            "document": [literal(move.doc_id or "") for move in rows],
        },
        styles=[_style(move, by_mark) for move in rows],
        row_height=28,
        shape={
            "then": tables.Column(width=60, right=True),
            "now": tables.Column(width=60, right=True),
            "moved": tables.Column(width=80),
        },
        alt=f"{pair.name}: rank then and now of each chunk",
    )
    if len(pair.moves) > _ROWS:
        st.caption(f"The first {_ROWS} of {amounts.count(len(pair.moves))}.")


def _chunk(move: ChunkMove, names: ChunkNames) -> str:
    mark = "⊘ " if move.forbidden else "★ " if move.gold else ""
    note = " (text changed)" if move.text_changed else ""
    was = f" (was {names.short(move.then_chunk_id, 160)})" if move.then_chunk_id else ""
    return f"{mark}{names.short(move.chunk_id, 420)}{was}{note}"


def _style(move: ChunkMove, by_mark: dict[str, str]) -> str:
    if move.forbidden:
        return by_mark.get("forbidden", "")
    return by_mark.get("gold", "") if move.gold else ""


def _moved(move: ChunkMove) -> str:
    if move.move is Move.CAME:
        return "came"
    if move.move is Move.WENT:
        return "went"
    return rank_change(move.then, move.now) if move.then and move.now else ""


def texts(compared: Compared) -> None:
    """Answer and prompt, word by word."""
    said = compared.comparison
    with st.container(border=True):
        st.markdown("**Answer**")
        if said.answer_same:
            st.caption("The same, word for word")
            long_text.show(compared.now.answer or "No answer text.", "compare_answer", name="answer")
        else:
            st.markdown(diff_words(said.answer))
    with st.expander(_prompt_label(said), expanded=False):
        if said.prompt_same is None:
            st.text("One of the prompts was not recorded.")
        elif said.prompt_same:
            st.text("The same, word for word.")
        else:
            st.markdown(diff_words(said.prompt))


def _prompt_label(said: RequestComparison) -> str:
    state = {None: "not recorded on both sides", True: "the same"}.get(said.prompt_same, "differs")
    return f"**Prompt** · {state}"


def diff_words(parts: tuple[TextDiffPart, ...]) -> str:
    """The runs as Markdown, letter for letter; long passages that are the same are cut in the middle."""
    return "".join(_run(part) for part in parts)


def _run(part: TextDiffPart) -> str:
    if part.sign == " ":
        text = part.text
        if len(text) > 2 * _KEPT + 20:
            text = f"{text[:_KEPT]} … {text[-_KEPT:]}"
        return escaped(text)
    inner = escaped(part.text.strip("\n"))
    if not inner.strip("\N{NO-BREAK SPACE} "):
        return inner
    return f" :red[~~{inner}~~] " if part.sign == "-" else f" :green[**{inner}**] "
