"""What came of a replay: how it ended, what moved, what ran live though it was pinned; and the replays before."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import tzinfo
from typing import Final

import streamlit as st

from ...actions.live_replay import ReplaysDone
from ...actions.replay import Replayed
from ...model import short_id
from ...model.replay import PlaceRan, ReplayOutcome, ReplayStatus
from .. import amounts, links, marks, replays, times
from ..text import escaped, message
from . import comparison, long_text

KEY: Final = "replays_done"
_ENDED: Final = {
    ReplayStatus.FAILED: "The app failed",
    ReplayStatus.TIMED_OUT: "The app ran out of time",
    ReplayStatus.CRASHED: "The app crashed",
    ReplayStatus.REFUSED: "It cannot be run like this",
}


def show(done: ReplaysDone) -> None:
    """The last run in full; of several also what they share."""
    st.subheader("Then and now", anchor=False)
    if len(done.runs) > 1:
        _shares(done)
    run = done.runs[-1]
    _trouble(run)
    if run.compared is not None:
        comparison.verdict(run.compared)
    _not_as_asked(run.outcome)
    if run.compared is not None:
        _links(run)
        _what_ran(run.outcome)
        comparison.differences(run.compared.comparison.differences)
        comparison.stages(run.compared.comparison)
        comparison.texts(run.compared)
    else:
        _what_ran(run.outcome)
    if run.outcome.output.strip():
        with st.expander("What the app printed"):
            long_text.show(run.outcome.output, "replay_output", name="output")


def _shares(done: ReplaysDone) -> None:
    shares, answers, runs = st.columns(3)
    share = "cannot tell" if done.share_delivered is None else f"{done.share_delivered:.0%}"
    shares.metric("Gold delivered", share, border=True)
    answers.metric("Different answers", done.different_answers, border=True)
    runs.metric("Runs", len(done.runs), border=True)
    with st.expander("Every run"):
        for number, run in enumerate(done.runs, start=1):
            st.text(f"{number}. {_in_short(run)}")


def _in_short(run: Replayed) -> str:
    if run.outcome.status is not ReplayStatus.DONE:
        return _ENDED[run.outcome.status]
    verdict = run.compared.now_headline.verdict.words if run.compared else "not recorded"
    return f"{verdict}: {run.outcome.answer or 'no answer'}"


def _trouble(run: Replayed) -> None:
    outcome = run.outcome
    if outcome.status is not ReplayStatus.DONE:
        st.error(
            message(outcome.trouble or f"It ended after {outcome.seconds:.1f} s."),
            title=_ENDED[outcome.status],
            icon=":material/error:",
        )
        if outcome.detail.count("\n") > 1:
            with st.expander("All of it"):
                st.code(outcome.detail, language=None)
    elif run.compared is None:
        st.warning(message(outcome.detail or "The app answered, and nothing was recorded."), icon=":material/warning:")


def _links(run: Replayed) -> None:
    if run.compared is None:
        return
    with st.container(horizontal=True):
        now = run.compared.now.request_id
        st.page_link(
            links.REQUEST,
            label=f"Open the replay {short_id(now)}",
            icon=":material/arrow_forward:",
            query_params=links.to_request(now),
            width="content",
        )
        st.page_link(
            links.COMPARE,
            label="Compare on a page of its own",
            icon=":material/compare_arrows:",
            query_params={links.THEN: run.compared.then.request_id, links.NOW: now},
            width="content",
        )


def _not_as_asked(outcome: ReplayOutcome) -> None:
    """What was asked for and did not happen stands beside the result, which would else be read as if it had."""
    live = (
        f"{stage.name} ran live: {stage.note or 'no recording fits this call'}"
        for stage in outcome.stages
        if stage.ran is PlaceRan.UNMATCHED
    )
    lines = tuple(dict.fromkeys((*live, *outcome.unused)))
    if lines:
        st.warning("\n\n".join(map(message, lines)), title="Not as asked", icon=":material/warning:")


def _what_ran(outcome: ReplayOutcome) -> None:
    for line in dict.fromkeys(_notes(outcome)):
        st.caption(escaped(line))


def _notes(outcome: ReplayOutcome) -> Iterator[str]:
    for stage in outcome.stages:
        if stage.note and stage.ran is not PlaceRan.UNMATCHED:
            yield f"{stage.name}: {stage.note}"
    pinned = dict.fromkeys(stage.name for stage in outcome.stages if stage.ran is PlaceRan.PINNED)
    if pinned:
        yield f"Returned what they returned then: {', '.join(pinned)}"
    if outcome.warm:
        yield "It ran in a process that had run other replays: caches and memories of those may have helped"


def earlier(request_id: str, zone: tzinfo) -> None:
    """Replays of this request that are stored, each with the way to its comparison."""
    rows = replays.earlier(request_id)
    if not rows:
        return
    st.subheader(f"Replays of this request · {amounts.count(len(rows))}", anchor=False)
    for row in rows:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.page_link(
                links.COMPARE,
                label=f"{short_id(row.request_id)} ›",
                query_params={links.THEN: request_id, links.NOW: row.request_id},
                width=100,
            )
            st.text(times.minute(row.start_ns, zone), width=120)
            if row.verdict:
                st.badge(escaped(marks.verdict_words(row.verdict)), color=marks.verdict_colour(row.verdict))
            st.text(row.gold_path, width="stretch")
