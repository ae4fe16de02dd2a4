"""Read a ticket: which ids, people, times, quotations and words it holds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pydantic import BaseModel, ConfigDict

from ..diagnosis.ticket import reading as tickets
from ..model import UsageError, find_digits
from ..model.ticket import Mention, TicketReading
from ..store import Store
from .complaint_change import required_complaint
from .workspace import Workspace

_MOST_DIGITS: Final = 10
"""Numbers of a ticket that are looked up as the beginning of an id."""
_SIGNS: Final = "\"'.,;:!?()[]…“”„’"


class ReadTicket(BaseModel):
    """A ticket as pasted, or a stored complaint."""

    model_config = ConfigDict(frozen=True)

    text: str = ""
    complaint_id: str = ""
    """A stored complaint; its text, time, user and session count where the fields here are empty."""
    opened_ns: int | None = None
    """When the ticket was written; None: the complaint's time, else now."""
    zone: str = ""
    """IANA name or offset in which its times are read; empty is the machine's."""
    who: str = ""
    """The user who wrote it, where the help desk says so."""
    session: str = ""
    app: str = ""
    """Only requests of this app."""
    environment: str = ""
    without: tuple[str, ...] = ()

    """Parts that do not count, by their words: of a time, user, session or quotation, or one of the words."""


def read_ticket(workspace: Workspace, ask: ReadTicket) -> TicketReading:
    """What is understood of the ticket; users and sessions are those that requests were recorded with."""
    ask = completed(workspace, ask)
    reading = tickets.read_ticket(ask.text, opened_ns=ask.opened_ns or workspace.now_ns(), zone=ask.zone)
    digits = tuple(one for one in find_digits(ask.text)[:_MOST_DIGITS] if workspace.store.requests.resolve(one))
    reading = reading.model_copy(update={"ids": (*reading.ids, *digits)})
    return _without(_with_names(workspace.store, reading, ask), ask.without)


def completed(workspace: Workspace, ask: ReadTicket) -> ReadTicket:
    """The question with what the stored complaint says; UsageError where there is nothing to read."""
    if ask.complaint_id:
        complaint = required_complaint(workspace.store, ask.complaint_id)
        said = {
            "text": ask.text or complaint.text,
            "opened_ns": ask.opened_ns or complaint.at_ns,
            "who": ask.who or complaint.who or "",
            "session": ask.session or complaint.session or "",
            "app": ask.app or complaint.app,
            "environment": ask.environment or complaint.environment,
        }
        ask = ask.model_copy(update=said)
    if not ask.text.strip():
        raise UsageError("There is no ticket to read: paste its text, or name a complaint.")
    return ask


def _with_names(store: Store, reading: TicketReading, ask: ReadTicket) -> TicketReading:
    given = [name for name in (ask.who, ask.session) if name]
    known = store.complaints.known_names((*given, *reading.names))
    as_written = {name.casefold(): name for name in reading.names}
    users = _mentions(known.users, as_written, ask.who, "reported by")
    sessions = _mentions(known.sessions, as_written, ask.session, "in session")
    names = {mention.name.casefold() for mention in (*users, *sessions)}
    words = tuple(word for word in reading.words if word not in names)
    return reading.model_copy(update={"users": users, "sessions": sessions, "words": words or reading.words})


def _mentions(known: Iterable[str], as_written: dict[str, str], given: str, field: str) -> tuple[Mention, ...]:
    """The known names with the words that say them. What redaction hid names nobody."""
    return tuple(
        Mention(words=as_written.get(name.casefold(), f"{field} {name}"), name=name)
        for name in known
        if not name.startswith("[") and (name.casefold() in as_written or name.casefold() == given.casefold())
    )


def _without(reading: TicketReading, removed: tuple[str, ...]) -> TicketReading:
    """Without the parts that a person took away."""
    gone = {" ".join(one.split()).casefold() for one in removed}
    if not gone:
        return reading
    return reading.model_copy(
        update={
            "users": tuple(one for one in reading.users if not {one.words.casefold(), one.name.casefold()} & gone),
            "ids": tuple(one for one in reading.ids if one.digits not in gone),
            "sessions": tuple(
                one for one in reading.sessions if not {one.words.casefold(), one.name.casefold()} & gone
            ),
            "windows": tuple(one for one in reading.windows if one.words.casefold() not in gone),
            "quotes": tuple(one for one in reading.quotes if " ".join(one.text.split()).casefold() not in gone),
            "words": tuple(word for word in reading.words if word not in gone),
            "said": " ".join(one for one in reading.said.split() if one.strip(_SIGNS).casefold() not in gone),
        }
    )
