"""A new batch: which requests to run again, and with which parameters."""

from __future__ import annotations

import streamlit as st

from ...actions import ListCases
from ...actions.replay_batch import FAILED
from ...model import Verdict
from ...store import CaseFilter
from .. import data, links, replays, viewer
from ..text import escaped
from . import notices

_EVERY = "every failure"
_LIMIT = 1000
_HELP = "A failure: a request whose gold was not delivered. Requests without a label are not run."


def show(target: str) -> None:
    """The form; where the hub knows no app, how to start it with one."""
    with st.container(border=True, key="batch_form"):
        if not target:
            st.markdown("**This hub knows no app to run requests with**")
            st.code("goldrank up --app bot.main:answer", language=None)
            st.text("Or run a batch from a terminal, in the app's own environment:")
            st.code("goldrank replay --verdict failed --app bot.main:answer", language=None)
            return
        st.markdown(f"**Run many requests again** :small[on {escaped(target)}]")
        with st.container(horizontal=True, vertical_alignment="bottom"):
            verdict, eval_set = _source()
            more = st.text_input(
                "Parameters",
                key="batch_overrides",
                placeholder="retrieve.top_k=200",
                help="What to change, separated by spaces: stage.parameter=value. Empty: today's app as it is.",
                width=260,
            )
            st.button(
                "Run all",
                key="batch_run",
                type=viewer.main_button(),
                icon=":material/replay:",
                on_click=_start,
                args=(verdict, eval_set, tuple(more.split())),
            )


def _source() -> tuple[str, str]:
    """(verdict, eval set); one of them is empty."""
    facets = data.facets()
    sets = data.cases(ListCases(which=CaseFilter(), limit=1)).sets
    lost = [one for one in Verdict if one.value in facets.verdicts and one not in {Verdict.DELIVERED, Verdict.NO_LABEL}]
    choices = {_EVERY: (FAILED, "")}
    choices |= {f"verdict {one.words} ({facets.verdicts[one.value]})": (one.value, "") for one in lost}
    choices |= {f"eval set {name} ({count})": ("", name) for name, count in sets.items()}
    return choices[
        st.selectbox("Which requests", list(choices), key="batch_source", format_func=escaped, width=300, help=_HELP)
    ]


def _start(verdict: str, eval_set: str, overrides: tuple[str, ...]) -> None:
    def start() -> None:
        state = replays.start_batch(verdict, eval_set, overrides, _LIMIT)
        st.query_params[links.BATCH] = state.row.batch.batch_id

    notices.guarded(start)
