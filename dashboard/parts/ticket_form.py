"""The card that takes a ticket: its text, when it came, in which zone, and who wrote it."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from functools import cache
from typing import NamedTuple
from zoneinfo import available_timezones

import streamlit as st

from ...actions.add_complaint import AddComplaint
from ...actions.find_candidates import FindCandidates
from .. import times

TEXT = "ticket_text"
_FIELDS = {TEXT: "", "ticket_came": None, "ticket_id": "", "ticket_user": "", "ticket_session": ""}
_CLEAR = "ticket_clear"
_ZONE = "ticket_zone"


class Ticket(NamedTuple):
    """What stands in the form."""

    text: str
    at_ns: int | None
    """None: as its head says, else now."""
    zone: str
    ticket_id: str
    user: str
    session: str

    def question(self, without: tuple[str, ...] = ()) -> FindCandidates:
        """Which requests it may be about, without the parts that were taken away."""
        return FindCandidates(
            text=self.text,
            opened_ns=self.at_ns,
            zone=self.zone,
            who=self.user,
            session=self.session,
            without=without,
        )

    def complaint(self) -> AddComplaint:
        """As it is stored."""
        return AddComplaint(
            text=self.text,
            complaint_id=self.ticket_id,
            who=self.user or None,
            session=self.session or None,
            at_ns=self.at_ns,
            zone=self.zone,
        )


def clear(text: str = "") -> None:
    """Empties the form when it is drawn next, or puts a text in."""
    st.session_state[_CLEAR] = text


def show(zone: tzinfo) -> Ticket | None:
    """Draws the fields; None while no text stands in them."""
    if _CLEAR in st.session_state:
        st.session_state.update(_FIELDS | {TEXT: st.session_state.pop(_CLEAR)})
    text = st.text_area(
        "Text of the ticket",
        key=TEXT,
        persist_state="session",
        height=190,
        placeholder="Paste the whole ticket: names, times, quotations and ids in it are understood.",
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        came = st.datetime_input(
            "When it came",
            value=None,
            key="ticket_came",
            persist_state="session",
            help="Empty: now, or as the head of the ticket says (Sent: …). “Yesterday” is counted from it.",
            width=180,
        )
        chosen = zone_choice(zone)
    with st.popover("Ticket id, user, session", icon=":material/tune:"):
        ticket_id = st.text_input("Ticket id", key="ticket_id", persist_state="session", help="Empty: one is made")
        user = st.text_input("User", key="ticket_user", persist_state="session", help="As the app records users")
        session = st.text_input("Session", key="ticket_session", persist_state="session")
    if not text.strip():
        return None
    at_ns = None if came is None else _moment(came, chosen)
    return Ticket(text, at_ns, chosen, ticket_id.strip(), user.strip(), session.strip())


def zone_choice(zone: tzinfo) -> str:
    """In which zone the ticket's times are read: the viewer's until another one is chosen."""
    name = times.zone_name(zone)
    zones = _zones()
    options = zones if name in zones else (name, *zones)
    return st.selectbox(
        "Its times are in",
        options,
        index=options.index(name),
        key=_ZONE,
        persist_state="session",
        help="The zone of whoever wrote the ticket",
        width="stretch",
    )


@cache
def _zones() -> tuple[str, ...]:
    """Places and UTC; no abbreviations, whose hours nobody knows for certain."""
    return ("UTC", *sorted(name for name in available_timezones() if "/" in name and not name.startswith("Etc/")))


def _moment(came: datetime, zone: str) -> int:
    """Nanoseconds UTC of a wall clock's time in `zone`."""
    moment = came.replace(tzinfo=times.zone_named(zone)).astimezone(UTC)
    return round(moment.timestamp()) * times.SECOND_NS
