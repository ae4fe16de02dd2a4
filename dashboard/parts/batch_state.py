"""How far a batch has come, and what became of each request: what is broken first."""

from __future__ import annotations

from datetime import tzinfo
from typing import Final

import streamlit as st

from ...actions.replay_batch import BatchState
from ...model import short_id
from ...model.batch import WORST_FIRST, BatchOutcome, BatchResult
from ...store import BatchRow
from .. import amounts, links, marks, replays, times
from ..text import cell, escaped

_EVERY_S: Final = 2
_SHOWN: Final = 200
_COLOURS: Final[dict[BatchOutcome, marks.Colour]] = {
    BatchOutcome.NEWLY_BROKEN: "red",
    BatchOutcome.STILL_BROKEN: "red",
    BatchOutcome.COULD_NOT_RUN: "yellow",
    BatchOutcome.CANNOT_TELL: "gray",
    BatchOutcome.FIXED: "green",
    BatchOutcome.STILL_DELIVERED: "green",
}


def listing(rows: tuple[BatchRow, ...], zone: tzinfo) -> None:
    """All batches, newest first."""
    if not rows:
        st.caption("No batch was run yet. A replay of one request is started at that request, and listed there.")
        return
    for row in rows:
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            st.page_link(
                links.BATCHES,
                label=f"{row.batch.batch_id} ›",
                query_params={links.BATCH: row.batch.batch_id},
                width=180,
            )
            st.text(times.minute(row.batch.at_ns, zone), width=110)
            st.text(cell(f"{row.batch.source} · {row.batch.target}"), width="stretch")
            _badges(row)


def _badges(row: BatchRow) -> None:
    for outcome in WORST_FIRST:
        if outcome in row.counts:
            st.badge(f"{amounts.count(row.counts[outcome])} {outcome.words}", color=_COLOURS[outcome])


def show(batch_id: str, target: str, zone: tzinfo) -> None:
    """One batch; while it runs the page looks again every few seconds."""
    state = replays.batch(batch_id)
    _head(state, target, zone)
    if state.running:
        _watch(batch_id)
    results = sorted(state.results, key=lambda result: WORST_FIRST.index(result.outcome))
    chosen = _choose(state)
    shown = [result for result in results if chosen is None or result.outcome is chosen][:_SHOWN]
    for result in shown:
        _result(result)
    if len(results) > len(shown) and chosen is None:
        st.caption(f"The first {_SHOWN} of {amounts.count(len(results))}.")


@st.fragment(run_every=_EVERY_S)
def _watch(batch_id: str) -> None:
    """Draws the page anew when a result has come, or the batch has ended."""
    state = replays.batch(batch_id)
    seen = st.session_state.setdefault("batch_seen", (batch_id, state.row.done))
    st.progress(state.row.done / max(1, len(state.row.batch.request_ids)), text="Running")
    if not state.running or seen != (batch_id, state.row.done):
        st.session_state["batch_seen"] = (batch_id, state.row.done)
        st.rerun()


def _head(state: BatchState, target: str, zone: tzinfo) -> None:
    batch = state.row.batch
    with st.container(horizontal=True, vertical_alignment="center"):
        st.page_link(links.BATCHES, label="All replays", icon=":material/arrow_back:", query_params={}, width="content")
        st.caption(
            escaped(cell(f"{batch.batch_id} · {times.second(batch.at_ns, zone)} · by {batch.who}")), width="stretch"
        )
        if state.running:
            st.button("Stop", key="batch_stop", icon=":material/stop:", on_click=replays.cancel, args=(batch.batch_id,))
        elif state.missing and target:
            st.button(
                f"Go on with the {amounts.count(len(state.missing))} left",
                key="batch_resume",
                icon=":material/play_arrow:",
                on_click=replays.resume,
                args=(batch.batch_id,),
            )
    done, total = amounts.count(state.row.done), amounts.count(len(batch.request_ids))
    st.text(f"{batch.source} · {done} of {total} run on {batch.target}")
    if batch.overrides:
        st.caption(escaped(f"With {', '.join(one.words for one in batch.overrides)}"))
    if state.stopped and not state.running:
        st.warning(escaped(cell(state.stopped)), title="It stopped", icon=":material/warning:")


def _choose(state: BatchState) -> BatchOutcome | None:
    counts = {outcome.words: outcome for outcome in WORST_FIRST if outcome in state.row.counts}
    chosen = st.pills(
        "Outcome",
        list(counts),
        key="batch_outcome",
        bind="query-params",
        format_func=lambda words: f"{words} {amounts.count(state.row.counts[counts[words]])}",
        label_visibility="collapsed",
    )
    return counts.get(chosen) if isinstance(chosen, str) else None


def _result(result: BatchResult) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small", wrap=False):
        target = {links.THEN: result.request_id, links.NOW: result.replay_id} if result.replay_id else None
        st.page_link(
            links.COMPARE if target else links.REQUEST,
            label=f"{short_id(result.request_id)} ›",
            query_params=target or links.to_request(result.request_id),
            width=100,
        )
        with st.container(width=140):
            st.badge(result.outcome.words, color=_COLOURS[result.outcome])
        then, now = marks.verdict_words(result.then_verdict), marks.verdict_words(result.now_verdict)
        st.text(f"{then or 'no label'} → {now or '–'}", width=220)
        st.text(cell(result.question) or "–", width="stretch", wrap=False)
    st.caption(escaped(cell(result.sentence)))
