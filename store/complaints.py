"""Complaints and feedback as nouns of the store."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple, Protocol

from pydantic import BaseModel, ConfigDict

from ..model import Complaint, Feedback
from ..model.complaint import ComplaintState
from ..model.ticket import FoundRequest, TimeWindow


class ComplaintFilter(BaseModel):
    """Which complaints a list shows. An empty filter is all of them."""

    model_config = ConfigDict(frozen=True)

    words: str = ""
    """Every word must occur in the text, the ticket's id or its user; case does not matter."""
    states: tuple[ComplaintState, ...] = ()
    """Any of these; none given: all."""
    owner: str = ""
    """Case does not matter."""
    open: bool | None = None
    """True: without a closing. False: closed ones."""
    app: str = ""
    environment: str = ""
    since_ns: int | None = None
    """Inclusive."""
    until_ns: int | None = None
    """Exclusive."""


class ComplaintFacts(BaseModel):
    """A complaint with what is known of its request."""

    model_config = ConfigDict(frozen=True)

    complaint: Complaint
    state: ComplaintState
    stored_request: str | None = None
    """Id of its request, where that is stored."""
    question: str | None = None
    """At most 300 characters."""
    verdict: str = ""
    """A Verdict value; empty where there is no request or no diagnosis yet."""
    labelled: bool = False
    """The request has labels of its own, or inherits a case's."""
    promoted: bool = False


class ComplaintFactsPage(BaseModel):
    """Complaints, newest first, then by id."""

    model_config = ConfigDict(frozen=True)

    rows: tuple[ComplaintFacts, ...]
    matching: int
    """How many the filter lets through."""
    stored: int
    """How many there are at all."""
    states: dict[ComplaintState, int]
    """How many there are in each state, whatever states and `open` the filter asks for; without empty ones."""
    owners: tuple[str, ...]
    """Everybody who looks after one, by name."""


class KnownNames(BaseModel):
    """Names that requests were recorded with, as they are stored."""

    model_config = ConfigDict(frozen=True)

    users: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()


class CandidateQuery(BaseModel):
    """What is known of the request that a ticket means."""

    model_config = ConfigDict(frozen=True)

    words: tuple[str, ...] = ()
    users: tuple[str, ...] = ()
    """As they are stored, see `KnownNames`."""
    sessions: tuple[str, ...] = ()
    windows: tuple[TimeWindow, ...] = ()
    before_ns: int
    """Requests that started later are none that the ticket can mean."""
    app: str = ""
    environment: str = ""
    request_ids: tuple[str, ...] = ()
    """These come along, whatever they hold."""
    answers: bool = True
    """The answers are wanted too: for quotations. They are most of the work."""
    limit: int = 300
    """Of those that words alone bring in."""


class FoundCandidates(BaseModel):
    """Requests that anything speaks for, newest first. They are not ranked: comparing texts decides."""

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True)

    rows: tuple[FoundRequest, ...]
    searched: int
    """How many requests could be meant: those before the ticket, in its app."""


class ShownRequest(NamedTuple):
    """What a card shows of a request beside its question."""

    answer: str
    """The beginning of it; empty where there is none."""
    verdict: str
    """A Verdict value; empty where nothing was diagnosed yet."""


class Complaints(Protocol):
    """Tickets and thumbs."""

    def list(self, *, limit: int = 50, offset: int = 0) -> tuple[Complaint, ...]:
        """Newest first, then by complaint id."""
        ...

    def page(self, which: ComplaintFilter, *, limit: int, offset: int = 0) -> ComplaintFactsPage:
        """Newest first, then by complaint id, each with its state."""
        ...

    def facts(self, complaint_id: str) -> ComplaintFacts | None:
        """One complaint with its state."""
        ...

    def count(self) -> int: ...

    def get(self, complaint_id: str) -> Complaint | None: ...

    def with_prefix(self, beginning: str) -> tuple[str, ...]:
        """Ids of complaints that begin so, in order; at most 20. Case does not matter."""
        ...

    def of(self, request_id: str) -> tuple[Complaint, ...]: ...

    def perhaps_of(self, request_id: str) -> tuple[Complaint, ...]:
        """Those linked to the request, oldest first; then those of no request that hold the first eight digits of one
        of its two ids, newest first.
        """
        ...

    def history(self, complaint_id: str) -> tuple[Complaint, ...]:
        """All revisions, oldest first."""
        ...

    def feedback(self, request_id: str) -> tuple[Feedback, ...]: ...

    def unanswered_feedback(self, *, limit: int) -> tuple[Feedback, ...]:
        """Bad feedback about requests that no complaint is about, newest first."""
        ...

    def several(self, complaint_ids: Collection[str]) -> dict[str, Complaint]:
        """Those of these ids that are stored."""
        ...

    def save(self, complaint: Complaint) -> None: ...

    def save_all(self, complaints: Sequence[Complaint]) -> None:
        """Appends all of them, each of another id, without a look whether they say something new."""
        ...

    def known_names(self, names: tuple[str, ...]) -> KnownNames:
        """Which of these are users or sessions of requests."""
        ...

    def candidates(self, query: CandidateQuery) -> FoundCandidates:
        """Requests that a ticket may be about. Replays are none."""
        ...

    def shown(self, keys: tuple[int, ...], *, length: int) -> dict[int, ShownRequest]:
        """What a card shows of these requests, by their numbers (`FoundRequest.key`)."""
        ...
