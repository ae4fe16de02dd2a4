"""The top of a request's page: the way back, its neighbours in the list, and what can be done with it."""

from __future__ import annotations

from datetime import tzinfo

import streamlit as st

from ...actions import RequestView
from ...model import Judgement, Outcome, Request, short_id
from .. import amounts, data, holder, links, marks, times, viewer
from ..frames.request_filter import in_words, request_filter
from ..text import cell, escaped, shortened
from . import pressing, promote_dialog, queue_bar

_LONG_QUESTION = 240


def show(view: RequestView, zone: tzinfo) -> None:
    """Back, neighbours, Promote; the question; one line of facts."""
    request = view.recorded.request
    within = st.query_params.get(links.WITHIN, "")
    params = links.unpacked(within)
    place = data.neighbours(request.request_id, request_filter(params, zone, holder.workspace().now_ns()))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.page_link(
            links.REQUESTS, label="Requests", icon=":material/arrow_back:", query_params=params, width="content"
        )
        if place.place is not None:
            words = in_words(params)
            st.caption(
                f"{amounts.count(place.place)} of {amounts.count(place.matching)}"
                + (f" · {escaped(words)}" if words else ""),
                width="stretch",
            )
        else:
            st.space("stretch")
        _ways(request)
        _neighbour(request.request_id, "Newer", "k", ":material/keyboard_arrow_up:", place.newer)
        _neighbour(request.request_id, "Older", "j", ":material/keyboard_arrow_down:", place.older)
        _promote(view)
    queue_bar.show_end(place, params)
    st.header(heading(request), anchor=False)
    if len(request.question or "") > _LONG_QUESTION:
        length = amounts.counted(len(request.question or ""), "character")
        st.caption(f"The question has {length}; the Queries tab shows all of them.")
    st.caption(escaped(facts(view, zone)))
    queue_bar.show(view)


def heading(request: Request) -> str:
    """The question as Markdown, cut; a request without one says whether it was empty or is not recorded."""
    question = request.question
    if question is not None and not question.strip():
        return "*The question is an empty text*"
    return escaped(shortened(question or "", _LONG_QUESTION)) or "*No question recorded*"


def _ways(request: Request) -> None:
    """To the request a stage at a time, to a run of it on today's app, and to one that passes beside it."""
    params = links.to_request(request.request_id)
    st.page_link(links.STEPS, label="Steps", icon=":material/steps:", query_params=params, width="content")
    st.page_link(links.REPLAY, label="Replay", icon=":material/replay:", query_params=params, width="content")
    beside = {links.THEN: request.replay_of, links.NOW: request.request_id} if request.replay_of else None
    st.page_link(
        links.COMPARE,
        label="Compare",
        icon=":material/compare_arrows:",
        query_params=beside or {links.THEN: request.request_id},
        width="content",
    )


def _neighbour(request_id: str, label: str, key: str, icon: str, target: str | None) -> None:
    # The request is part of the key: two quick presses are one step, not a request that nobody saw.
    st.button(
        label,
        key=f"go_{key}_{request_id}",
        icon=icon,
        help=f"The next {label.lower()} request of this list",
        shortcut=key,
        disabled=target is None,
        on_click=pressing.go,
        args=(request_id, target),
    )


def _promote(view: RequestView) -> None:
    marked = any(label.judgement is not Judgement.NOT_RELEVANT for label in view.labels)
    st.button(
        "Promote",
        key="promote",
        icon=":material/library_add_check:",
        type=viewer.main_button() if marked else "secondary",
        disabled=not view.labels,
        help=None if view.labels else "Mark the passage that should have answered first",
        on_click=promote_dialog.open_for,
        args=(view.recorded.request.request_id,),
    )


def facts(view: RequestView, zone: tzinfo) -> str:
    """Time with seconds and zone, id, user, groups, session, app, index, duration; what is not known is left out."""
    request = view.recorded.request
    indexes = {
        " ".join(part for part in (stage.index, stage.index_version) if part)
        for stage in view.recorded.stages
        if stage.index
    }
    parts = [
        times.second(request.start_ns, zone),
        short_id(request.request_id),
        _named("user", request.user),
        _named("tenant", request.tenant),
        _groups(request),
        _named("session", request.session),
        " ".join(part for part in (request.app, request.app_version) if part),
        request.environment,
        *(f"index {index}" for index in sorted(indexes)),
        amounts.took(request.duration_ms),
        "" if request.outcome is Outcome.OK else f"ended: {marks.outcome_words(request.outcome)}",
        "replay" if request.replay_of else "",
    ]
    return " · ".join(cell(part, 120) for part in parts if part)


def _named(name: str, value: str | None) -> str:
    return f"{name} {value}" if value else ""


def _groups(request: Request) -> str:
    if request.groups is None:
        return ""
    return f"groups {', '.join(request.groups)}" if request.groups else "in no group"
