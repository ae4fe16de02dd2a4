"""What a ticket says about the request it means: ids, people, times, quotes and words."""

from __future__ import annotations

from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from .identity import IdMention


class TimeWindow(BaseModel):
    """A time that a ticket speaks of, in the words it was read from. A soft hint, never a filter."""

    model_config = ConfigDict(frozen=True)

    words: str
    """As they stand in the ticket: "yesterday around 5pm"."""
    place: tuple[int, int]
    """Where they stand: 0-based characters, the end exclusive."""
    begin_ns: int
    """The time meant, inclusive."""
    end_ns: int
    """Exclusive; never after the ticket."""
    at_ns: int | None = None
    """The one moment meant, where the words say one."""
    slack_ns: int
    """How far beside it a request may well lie: people round, and write later than they asked."""


class Mention(BaseModel):
    """A user or a session that a ticket names."""

    model_config = ConfigDict(frozen=True)

    words: str
    """As they stand in the ticket, or the field of the ticket that says so: "reported by"."""
    name: str
    """As it is stored with requests."""


class TicketQuote(BaseModel):
    """Words that somebody else is said to have used: most often the answer's."""

    model_config = ConfigDict(frozen=True)

    text: str
    marked: bool
    """It stands in quotation marks or behind "> "; otherwise it follows words like "it told me that"."""


class TicketReading(BaseModel):
    """What was understood of a ticket. Each part can be left out of a search by its words."""

    model_config = ConfigDict(frozen=True)

    opened_ns: int
    """What "yesterday" is counted from: the ticket's own time, or that of its head ("Sent: ...")."""
    zone: str
    """The zone that its times were read in."""
    ids: tuple[IdMention, ...] = ()
    names: tuple[str, ...] = ()
    """What may be the name of a user or a session; the store knows which are. In order of appearance."""
    users: tuple[Mention, ...] = ()
    """Those that requests were recorded of."""
    sessions: tuple[Mention, ...] = ()
    windows: tuple[TimeWindow, ...] = ()
    """In order of appearance."""
    quotes: tuple[TicketQuote, ...] = ()
    said: str = ""
    """The text without greetings, signatures, names, times and the usual phrases of tickets."""
    words: tuple[str, ...] = ()
    """The telling words of it, lower case, in order, each once."""


class FoundRequest(NamedTuple):
    """A stored request that a ticket may be about, with what a comparison needs."""

    request_id: str
    question: str
    """The beginning of it; empty where it is not known."""
    answer: str
    """The beginning of it; empty where there is none."""
    user: str | None
    session: str | None
    app: str
    environment: str
    start_ns: int
    words: float
    """Weight of the ticket's words in question and answer (BM25); 0 where it has none of them."""
    key: int
    """The store's own number of it, to ask for more."""
