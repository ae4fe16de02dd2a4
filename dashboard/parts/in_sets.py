"""Whether the request has gone into an eval set, and the way to its case."""

from __future__ import annotations

import streamlit as st

from ...actions import RequestView
from ...model import EvalCase, short_id
from .. import links
from ..text import cell, escaped

_SHOWN = 5


def show(view: RequestView) -> None:
    """A link for each case of this request, or of another one with the same question; nothing without one."""
    request_id = view.recorded.request.request_id
    current = [case for case in view.cases if not case.archived]
    if not current:
        return
    with st.container(horizontal=True):
        for case in current[:_SHOWN]:
            st.page_link(
                links.CASE,
                label=escaped(words(case, request_id)),
                icon=":material/checklist:",
                query_params={links.CASE_ID: case.case_id},
            )


def words(case: EvalCase, request_id: str) -> str:
    """ "In eval set docs-bot as case 3f9a1c20"."""
    place = f"eval set {cell(case.eval_set, 60)} as case {short_id(case.case_id)}"
    return f"In {place}" if request_id in case.source_requests else f"The same question is in {place}"
