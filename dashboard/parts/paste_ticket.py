"""Paste a ticket, see what was understood, and link it to the request it is about."""

from __future__ import annotations

import hashlib
from datetime import tzinfo

import streamlit as st

from ...model import GoldrankError
from .. import complaints, links, viewer
from ..text import message
from . import candidate_cards, notices, ticket_form, ticket_import, understood_chips
from .ticket_form import Ticket

_SEARCHED = "ticket_searched"
_REMOVED = "ticket_removed"
_FIND = "ticket_find"


def fill(text: str) -> None:
    """A ticket that was pasted on another page: it stands in the form and is searched for when the page is drawn."""
    _forget()
    ticket_form.clear(text)
    st.session_state[_FIND] = True


def show(zone: tzinfo) -> None:
    """Two cards: the ticket, and the requests that it may be about."""
    left, right = st.columns([4, 7])
    with left.container(border=True, height="stretch", key="paste_ticket"):
        ticket, without = _ticket(zone)
    with right.container(border=True, height="stretch", key="likely_requests"):
        if ticket is None or st.session_state.get(_SEARCHED) != _digest(ticket):
            _before()
            return
        try:
            found = complaints.candidates(ticket.question(without))
        except GoldrankError as error:
            st.error(message(str(error)), icon=":material/error:")
            return
        candidate_cards.show(
            found,
            zone,
            link=lambda request_id: _link(ticket, request_id),
            none=lambda: _keep(ticket),
            keep="None of these: keep the ticket" if found.candidates else "Keep the ticket in the queue",
        )


def _ticket(zone: tzinfo) -> tuple[Ticket | None, tuple[str, ...]]:
    st.subheader("Paste a ticket", anchor=False)
    ticket = ticket_form.show(zone)
    without: tuple[str, ...] = ()
    if ticket is not None:
        try:
            reading = complaints.reading(ticket.question())
        except GoldrankError as error:
            st.error(message(str(error)), icon=":material/error:")
            ticket = None
        else:
            removed = _removed(ticket)
            without = understood_chips.show(reading, zone, removed, lambda keys: _remove(ticket, keys))
    searched = ticket is not None and st.session_state.get(_SEARCHED) == _digest(ticket)
    with st.container(horizontal=True):
        pressed = st.button(
            "Find the request",
            key="find_request",
            icon=":material/search:",
            type="secondary" if searched else viewer.main_button(),
        )
        ticket_import.button()
    if pressed or st.session_state.pop(_FIND, False):
        _find(ticket)
    return ticket, without


def _before() -> None:
    st.subheader("Likely requests", anchor=False)
    st.text(
        "Paste a ticket and press Find the request. Requests are found by ids, users and sessions that the text "
        "names, by its times, and by what question and answer have in common with it. Each comes with its reasons; "
        "a person confirms. Only a whole request id links by itself."
    )


def _removed(ticket: Ticket) -> tuple[str, ...]:
    """Keys of the parts of this text that do not count; another text begins with all of them."""
    text, keys = st.session_state.get(_REMOVED, ("", ()))
    return tuple(keys) if text == ticket.text else ()


def _remove(ticket: Ticket, keys: tuple[str, ...]) -> None:
    st.session_state[_REMOVED] = (ticket.text, keys)


def _digest(ticket: Ticket) -> str:
    return hashlib.sha256(repr(ticket).encode("utf-8", "replace")).hexdigest()


def _find(ticket: Ticket | None) -> None:
    """A ticket that names one stored request by its whole id is stored and linked by that.

    No callback: a click into the button also brings the text that was typed, and a callback knows only the last one.
    """
    if ticket is None:
        notices.failed("There is no ticket to read: paste its text.")
        st.rerun()

    def act() -> None:
        found = complaints.candidates(ticket.question(()))
        st.session_state[_SEARCHED] = _digest(ticket)
        if len(found.exact) == 1 and not _taken_away(ticket, found.exact[0]):
            _stored(ticket, "The ticket names its request by a whole id, so it is linked by itself.")

    notices.guarded(act)
    st.rerun()


def _taken_away(ticket: Ticket, request_id: str) -> bool:
    return any(key.startswith("id ") and key[3:] in request_id for key in _removed(ticket))


def _stored(ticket: Ticket, said: str) -> None:
    """Stores the ticket and opens its view."""
    row = complaints.add(ticket.complaint())
    complaint_id = row.complaint.complaint_id
    if row.request_id and _taken_away(ticket, row.request_id):
        complaints.unlink(complaint_id)
    st.query_params.from_dict(links.to_complaint(complaint_id))
    notices.done(said)
    _forget()


def _keep(ticket: Ticket) -> None:
    """Stores the ticket without a request."""
    notices.guarded(lambda: _stored(ticket, "The ticket is in the queue, without a request."))
    st.rerun()


def _link(ticket: Ticket, request_id: str) -> None:
    """Stores the ticket, links it, and goes on to the request's page."""
    try:
        complaint_id = complaints.add(ticket.complaint()).complaint.complaint_id
        complaints.link(complaint_id, request_id)
    except GoldrankError as error:
        notices.failed(str(error))
        st.rerun()
    _forget()
    notices.done(f"Ticket {complaint_id} is linked to this request. Mark the passage that should have answered.")
    st.switch_page(links.REQUEST, query_params=links.to_request(request_id))


def _forget() -> None:
    ticket_form.clear()
    for name in (_SEARCHED, _REMOVED):
        st.session_state.pop(name, None)
