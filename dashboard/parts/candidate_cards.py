"""The requests that a ticket may be about: cards in order, each with its reasons. A person links one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import tzinfo

import streamlit as st

from ...actions.find_candidates import Candidate, Candidates, OtherRequest
from ...model import short_id
from .. import amounts, links, marks, times, viewer
from ..text import cell, escaped, in_badge

_ANSWER = 260


def show(found: Candidates, zone: tzinfo, link: Callable[[str], None], none: Callable[[], None], keep: str) -> None:
    """`link` is called with the request that was chosen, `none` where it is none of these; `keep` is that button."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader("Likely requests", anchor=False, width="content")
        st.caption(
            f"{len(found.candidates)} of {amounts.counted(found.searched, 'request')} before the ticket · "
            "a person confirms"
        )
    if not found.candidates:
        st.info(_nothing(found), icon=":material/search_off:")
    for place, candidate in enumerate(found.candidates):
        with st.container(border=True, gap="xsmall", key=f"candidate_{place + 1}"):
            _card(candidate, zone, link, first=place == 0)
    icon = ":material/close:" if found.candidates else ":material/inbox:"
    if st.button(keep, key="none_of_these", icon=icon, type="tertiary"):
        none()


def _nothing(found: Candidates) -> str:
    if not found.searched:
        return "No request was recorded before this ticket. Look at its time and zone; Status shows what arrives."
    return (
        f"Nothing speaks for any of {amounts.counted(found.searched, 'request')}. "
        "Put a chip back, name the user, or paste more of what was said."
    )


def _card(candidate: Candidate, zone: tzinfo, link: Callable[[str], None], *, first: bool) -> None:
    with st.container(horizontal=True, vertical_alignment="top", wrap=False):
        with st.container(gap="xsmall", width="stretch"):
            chip = ""
            if candidate.verdict:
                colour = marks.verdict_colour(candidate.verdict)
                chip = f" :{colour}-badge[{escaped(marks.verdict_words(candidate.verdict))}]"
            question = escaped(cell(candidate.question, 200)) or "No question recorded"
            st.markdown(f"**{question}**{chip}")
            st.caption(
                escaped(_facts(candidate.start_ns, candidate.request_id, candidate.user, candidate.session, zone))
            )
            st.text(cell(candidate.answer, _ANSWER) or "No answer recorded")
            with st.container(horizontal=True, gap="xsmall"):
                for reason in candidate.reasons:
                    st.badge(in_badge(cell(reason, 90)), color="gray")
        with st.container(width=116, gap="xsmall", horizontal_alignment="right"):
            st.caption(candidate.likelihood, text_alignment="right")
            if st.button(
                "Link",
                key=f"link_{candidate.request_id}",
                icon=":material/link:",
                type=viewer.main_button() if first else "secondary",
                help="This is the request. Goes on to its page.",
            ):
                link(candidate.request_id)
            st.page_link(
                links.REQUEST, label="Open", query_params=links.to_request(candidate.request_id), width="content"
            )
    if candidate.others:
        _others(candidate, zone, link)


def _facts(start_ns: int, request_id: str, user: str | None, session: str | None, zone: tzinfo) -> str:
    parts = [
        times.minute(start_ns, zone),
        short_id(request_id),
        cell(user, 60),
        f"session {cell(session, 40)}" if session else "",
    ]
    return " · ".join(part for part in parts if part)


def _others(candidate: Candidate, zone: tzinfo, link: Callable[[str], None]) -> None:
    more = candidate.asked - 1
    shown = "" if more == len(candidate.others) else f", the likeliest {len(candidate.others)} here"
    with st.expander(f"Asked {amounts.counted(more, 'more time', 'more times')}{shown}"):
        for other in candidate.others:
            _other(other, zone, link)


def _other(other: OtherRequest, zone: tzinfo, link: Callable[[str], None]) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.page_link(
            links.REQUEST,
            label=escaped(_facts(other.start_ns, other.request_id, other.user, other.session, zone)),
            query_params=links.to_request(other.request_id),
            width="content",
        )
        st.caption(escaped(cell(" · ".join(other.reasons[:2]), 80)), width="stretch")
        if st.button("Link", key=f"link_{other.request_id}", icon=":material/link:"):
            link(other.request_id)
