"""What to run a request with: depth, other parameters, stages left out or pinned, another user, the gold injected."""

from __future__ import annotations

import streamlit as st

from ...actions import RequestView
from ...actions.live_replay import ReplaysDone
from ...actions.replay import DraftReplay
from ...evals.replay import PinChoice, split_overrides
from ...model import GoldrankError, Judgement, StageKind
from .. import replays, viewer
from ..text import escaped, literal
from . import notices

_AS_RECORDED = "as recorded"
_PINS = {
    "Everything runs": PinChoice.NONE,
    "Recorded rewrites, today's search": PinChoice.REWRITE,
    "Recorded candidates, today's reranker": PinChoice.CANDIDATES,
    "Recorded context, today's model": PinChoice.CONTEXT,
}
_MOST_RUNS = 10
_LEAVES_OUT = (StageKind.REWRITE, StageKind.FILTER, StageKind.RERANK)


def without_app(request_id: str) -> None:
    """The hub knows no app: how to start it with one, and how to replay without it."""
    with st.container(border=True):
        st.markdown("**This hub knows no app to run the request with**")
        st.text("Start it with the function that answers a question, or with the address of a running app:")
        st.code("goldrank up --app bot.main:answer\ngoldrank up --app http://localhost:8000/goldrank", language=None)
        st.text("Or replay from a terminal, in the app's own environment:")
        st.code(f"goldrank replay {literal(request_id)} --app bot.main:answer --set retrieve.top_k=200", language=None)


def show(view: RequestView, target: str) -> ReplaysDone | None:
    """The form; what came of the runs where the button was pressed."""
    request = view.recorded.request
    with st.container(border=True, key="replay_form"):
        st.markdown(f"**Run again** :small[on {escaped(target)}]")
        first, second = st.columns(2, gap="medium")
        with first:
            overrides = _overrides(view)
        with second:
            pins = _PINS[
                st.selectbox(
                    "Pinned stages", list(_PINS), key="replay_pins", help="A pinned stage returns what it returned then"
                )
            ]
            as_user, as_groups = _asker(view)
        inject, position = _injection(view)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            times = st.number_input(
                "Runs", 1, _MOST_RUNS, 1, key="replay_times", width=110, help="More than one where the model is random"
            )
            pressed = st.button(
                "Run", key="replay_run", type=viewer.main_button(), icon=":material/replay:", shortcut="Ctrl+Enter"
            )
        _cannot_be_pinned(view)
    if not pressed:
        return None
    draft = DraftReplay(
        request=request.request_id,
        overrides=overrides,
        pins=pins,
        as_user=as_user,
        as_groups=as_groups,
        inject=inject,
        position=position,
    )
    try:
        with st.spinner("The app runs in a process of its own"):
            return replays.run(draft, int(times))
    except GoldrankError as error:
        notices.failed(str(error))
        notices.show()
        return None


def _overrides(view: RequestView) -> tuple[str, ...]:
    stages = view.recorded.stages
    found = []
    depths = [stage.top_k or stage.length or 0 for stage in stages if stage.kind is StageKind.RETRIEVE]
    if depths:
        depth = st.number_input(
            f"Depth of every retriever (then: {', '.join(map(str, depths))})",
            min_value=1,
            max_value=10_000,
            value=None,
            placeholder=_AS_RECORDED,
            key="replay_depth",
            help="How deep the gold really is: retrieve.top_k",
        )
        found += [f"retrieve.top_k={int(depth)}"] if depth else []
    can_be_off = list(dict.fromkeys(stage.name for stage in stages if stage.kind in _LEAVES_OUT))
    if can_be_off:
        off = st.multiselect("Leave out", can_be_off, key="replay_off", format_func=escaped)
        found += [f"{name}=off" for name in off]
    more = st.text_input("Other parameters", key="replay_more", placeholder="retrieve.query=reset router rrf.k=20")
    return (*found, *split_overrides(more))


def _asker(view: RequestView) -> tuple[str | None, tuple[str, ...] | None]:
    request = view.recorded.request
    then = ", ".join(request.groups) if request.groups else "none" if request.groups is not None else "not recorded"
    user, groups = st.columns(2)
    who = user.text_input("As user", key="replay_user", placeholder=literal(request.user or "not recorded"))
    said = groups.text_input(
        "With groups", key="replay_groups", placeholder=literal(then), help="Commas between; - for none"
    )
    if not said.strip():
        return who.strip() or None, None
    return who.strip() or None, tuple(one.strip() for one in said.split(",") if one.strip() not in {"", "-"})


def _injection(view: RequestView) -> tuple[str | None, int]:
    golds = [one.target.chunk_id for one in view.labels if one.judgement is Judgement.GOLD and one.target.chunk_id]
    if not golds:
        st.caption("Mark the gold on the request's page to run it with the gold put into the context.")
        return None, 1
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox(
            "Put into the context",
            golds,
            index=None,
            placeholder="nothing",
            key="replay_inject",
            format_func=escaped,
            help="Tells whether the model never saw it, or had it and still failed",
            width=380,
        )
        position = st.number_input("At place", 1, 100, 1, key="replay_position", width=110, disabled=chosen is None)
    return chosen, int(position)


def _cannot_be_pinned(view: RequestView) -> None:
    refused = [one for one in replays.choices(view) if not one.can_be_pinned]
    if refused:
        with st.expander(f"{len(refused)} of {len(view.recorded.stages)} stages cannot be pinned"):
            for one in refused:
                st.text(f"{one.name}: {one.reason}")
