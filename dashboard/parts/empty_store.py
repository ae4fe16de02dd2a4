"""What the requests page says before anything has arrived: how to send the first request, and where it listens."""

from __future__ import annotations

import shlex

import streamlit as st

from ...actions import Status
from .. import amounts, links
from ..text import literal


def _example(spool: str) -> str:
    return f"""import goldrank
goldrank.init(app="my-app", directory={spool!r})

@goldrank.request
def answer(question): ...

@goldrank.retrieve(index="docs", top_k="k")
def search(query, k=50): ..."""


def show(status: Status) -> None:
    """The card, with the eight lines that instrument an app; while something is being read, only that."""
    if status.spool_unread:
        st.info(
            f"Reading what was recorded: {amounts.counted(status.spool_unread, 'segment')} of the spool. "
            "The requests appear here by themselves.",
            icon=":material/hourglass_top:",
        )
        return
    folder = status.spool.removesuffix("/spool")
    with st.container(border=True, width=720):
        st.markdown("**No request has arrived yet**")
        st.text("Decorate the entry point and the retrievers of your app, then ask it one question.")
        st.text("It appears here within 5 seconds.")
        st.code(_example(folder), language="python")
        st.text("Nothing to record yet? In a terminal, this loads one recorded request for each way to fail:")
        st.code(f"goldrank demo --directory {shlex.quote(folder)}", language="bash")
        st.page_link(links.STATUS, label="Check the connection", icon=":material/sensors:")
    if status.hub:
        st.text(literal(f"Listening on {status.hub['url']}/v1/traces (OTLP/HTTP, protobuf)"))
    if status.spool_written:
        st.text(literal(f"The spool {status.spool} was written, and holds no finished request yet."))
    else:
        st.text(literal(f"The spool {status.spool} has never been written. Point your app there: init(directory=…)"))
        st.text(literal(f"or GOLDRANK_DIR={folder}"))
