"""The request that a complaint is about: the linked one, else those that it may be."""

from __future__ import annotations

from datetime import tzinfo

import streamlit as st

from ...actions.complaints import ComplaintRow
from ...actions.find_candidates import FindCandidates
from ...actions.read_ticket import ReadTicket
from ...model import GoldrankError, short_id
from .. import complaints, data, links, marks, times
from ..text import cell, escaped, literal, message, shortened
from . import candidate_cards, notices, ticket_form, understood_chips

_WITHOUT = "without"
"""In the address: keys of the parts that do not count."""
_LOOKED = "looked"
"""In the address: "none" once somebody said that it is none of the candidates."""
_ANSWER = 700


def understood(row: ComplaintRow, zone: tzinfo) -> FindCandidates:
    """Draws zone and chips of a stored ticket; what to search for."""
    complaint_id = row.complaint.complaint_id
    chosen = ticket_form.zone_choice(zone)
    reading = complaints.reading(ReadTicket(complaint_id=complaint_id, zone=chosen))
    without = understood_chips.show(reading, zone, tuple(st.query_params.get_all(_WITHOUT)), _remove)
    return FindCandidates(complaint_id=complaint_id, zone=chosen, without=without)


def _remove(removed: tuple[str, ...]) -> None:
    if removed:
        st.query_params[_WITHOUT] = list(removed)
    else:
        st.query_params.pop(_WITHOUT, None)


def linked(row: ComplaintRow, zone: tzinfo) -> None:
    """The linked request: question, verdict, answer, the way there, and unlink."""
    complaint = row.complaint
    st.subheader("Its request", anchor=False)
    request_id = row.request_id
    if request_id is None:
        st.warning(
            f"The ticket is linked to {short_id(complaint.request_id or '')}, which is not in this store. It comes "
            "here by itself when the request is read; or unlink it and look for another one.",
            icon=":material/search_off:",
        )
        _unlink(complaint.complaint_id)
        return
    request = data.view(request_id).recorded.request
    chip = ""
    if row.verdict:
        chip = f" :{marks.verdict_colour(row.verdict)}-badge[{escaped(marks.verdict_words(row.verdict))}]"
    st.markdown(f"**{escaped(cell(request.question, 240)) or 'No question recorded'}**{chip}")
    facts = [times.minute(request.start_ns, zone), short_id(request_id), cell(request.user, 60)]
    by = complaint.linked_by
    facts.append(f"linked by {cell(by, 60)}" if by else "linked by itself: the text names it")
    st.caption(escaped(" · ".join(part for part in facts if part)))
    st.text(shortened(literal(request.answer or ""), _ANSWER) or "No answer recorded")
    st.caption(_next(row))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.page_link(
            links.REQUEST,
            label="Open the request",
            icon=":material/arrow_forward:",
            query_params=links.to_request(request_id),
            width="content",
        )
        _unlink(complaint.complaint_id)


def _next(row: ComplaintRow) -> str:
    if row.complaint.closing is not None:
        return "Closed."
    if not row.labelled:
        return "Next: open the request and mark the passage that should have answered."
    if not row.promoted:
        return "Next: open the request and promote it, so that the question is checked from now on."
    return "Next: when the app answers it, close the complaint with the case that passes."


def _unlink(complaint_id: str) -> None:
    st.button(
        "Unlink",
        key="unlink",
        icon=":material/link_off:",
        help="It is about another request. Nothing links it by itself again.",
        on_click=_do_unlink,
        args=(complaint_id,),
    )


def _do_unlink(complaint_id: str) -> None:
    notices.guarded(lambda: complaints.unlink(complaint_id))


def likely(ask: FindCandidates, zone: tzinfo) -> None:
    """The candidates of a stored ticket."""
    if st.query_params.get(_LOOKED) == "none":
        st.subheader("None of the likely requests", anchor=False)
        st.text(
            "Leave out what misleads, or put a chip back, and look again. If the app did not record it, or nothing "
            "fits, close the complaint as not reproducible and say what was tried."
        )
        st.button("Look again", key="look_again", icon=":material/search:", on_click=_look_again)
        return
    try:
        found = complaints.candidates(ask)
    except GoldrankError as error:
        st.error(message(str(error)), icon=":material/error:")
        return
    candidate_cards.show(
        found,
        zone,
        link=lambda request_id: _link(ask.complaint_id, request_id),
        none=lambda: _none(ask.complaint_id, [one.request_id for one in found.candidates]),
        keep="None of these",
    )


def _none(complaint_id: str, request_ids: list[str]) -> None:
    """Noted down: who comes next need not look at the same ones again."""
    if not notices.guarded(lambda: complaints.note(complaint_id, _said_none(request_ids))):
        st.rerun()
    st.query_params[_LOOKED] = "none"
    st.rerun()


def _said_none(request_ids: list[str]) -> str:
    named = ", ".join(short_id(one) for one in request_ids)
    return f"None of the likely requests is meant: {named}." if named else "No request is likely."


def _look_again() -> None:
    st.query_params.pop(_LOOKED, None)


def _link(complaint_id: str, request_id: str) -> None:
    """Links it and goes on to the request's page."""
    if not notices.guarded(lambda: complaints.link(complaint_id, request_id)):
        st.rerun()
    notices.done(f"Ticket {complaint_id} is linked to this request. Mark the passage that should have answered.")
    st.switch_page(links.REQUEST, query_params=links.to_request(request_id))
