"""Find the requests that a ticket may be about. A person confirms one: only an exact id links by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from ..diagnosis.ticket.ranking import Folded, Ranked, likelihoods, rank, reasons
from ..model import IdForm
from ..model.ticket import FoundRequest, TicketReading
from ..store import CandidateQuery, ShownRequest, Store
from .read_ticket import ReadTicket, completed, read_ticket
from .workspace import Workspace

_QUESTION: Final = 300
_ANSWER: Final = 600
_LATER_NS: Final = 15 * 60 * 10**9
"""A request may start so much after the ticket: clocks differ, and times are rounded."""


class FindCandidates(ReadTicket):
    """A ticket, and how many questions to answer with."""

    limit: int = Field(default=5, ge=1, le=50)
    """Questions."""
    others: int = Field(default=3, ge=0, le=50)
    """Further requests of each question."""


class OtherRequest(BaseModel):
    """Another request of the same question."""

    model_config = ConfigDict(frozen=True)

    request_id: str
    start_ns: int
    user: str | None
    session: str | None
    score: float
    reasons: tuple[str, ...]


class Candidate(BaseModel):
    """A request that the ticket may be about, the likeliest of its question."""

    model_config = ConfigDict(frozen=True)

    request_id: str
    question: str
    """At most 300 characters; empty where it is not known."""
    answer: str
    """At most 600 characters; empty where there is none."""
    user: str | None
    session: str | None
    app: str
    environment: str
    start_ns: int
    verdict: str
    """A Verdict value; empty where nothing was diagnosed yet."""
    likelihood: str
    """"very likely", "likely", "possible" or "unlikely"."""
    score: float
    """The sum of the parts: comparable inside one answer only."""
    parts: dict[str, float]
    """Part -> its share of the score; without those that are 0."""
    reasons: tuple[str, ...]
    """In words, the strongest first."""
    asked: int
    """How many of the requests looked at ask this question."""
    others: tuple[OtherRequest, ...] = ()
    """Likeliest first; where nothing tells them apart, newest first."""


class Candidates(BaseModel):
    """What a ticket may be about."""

    model_config = ConfigDict(frozen=True)

    reading: TicketReading
    exact: tuple[str, ...]
    """Requests that the text names by a whole id, newest first."""
    candidates: tuple[Candidate, ...]
    """Questions, likeliest first; those of `exact` come first."""
    questions: int
    """How many questions were looked at."""
    searched: int
    """How many requests could be meant: those before the ticket, in its app."""


def find_candidates(workspace: Workspace, ask: FindCandidates) -> Candidates:
    """The likeliest requests, folded by question, each with its reasons."""
    store = workspace.store
    reading = read_ticket(workspace, ask)
    scope = completed(workspace, ask)
    exact = _named(store, reading, exactly=True)
    named = frozenset((*exact, *_named(store, reading, exactly=False)))
    found = store.complaints.candidates(
        CandidateQuery(
            words=reading.words,
            users=tuple(mention.name for mention in reading.users),
            sessions=tuple(mention.name for mention in reading.sessions),
            windows=reading.windows,
            before_ns=reading.opened_ns + _LATER_NS,
            app=scope.app,
            environment=scope.environment,
            request_ids=tuple(sorted(named)),
            answers=bool(reading.quotes),
        )
    )
    folds = rank(found.rows, reading, named)
    best = folds[: ask.limit]
    shown = store.complaints.shown(tuple(fold.first.request.key for fold in best), length=_ANSWER)
    words = likelihoods([fold.first.likeness.score for fold in folds])
    return Candidates(
        reading=reading,
        exact=exact,
        candidates=tuple(
            _candidate(fold, shown, reading, word, ask.others) for fold, word in zip(best, words, strict=False)
        ),
        questions=len(folds),
        searched=found.searched,
    )


def _named(store: Store, reading: TicketReading, *, exactly: bool) -> tuple[str, ...]:
    """Requests whose id the text holds: whole, or the beginning of it."""
    mentions = [one for one in reading.ids if (one.form is not IdForm.PREFIX) == exactly]
    return tuple(dict.fromkeys(request_id for mention in mentions for request_id in store.requests.resolve(mention)))


def _candidate(
    fold: Folded, shown: Mapping[int, ShownRequest], reading: TicketReading, likely: str, others: int
) -> Candidate:
    beside = shown.get(fold.first.request.key, ShownRequest("", ""))
    first = fold.first._replace(request=fold.first.request._replace(answer=beside.answer))
    request = first.request
    return Candidate(
        request_id=request.request_id,
        question=request.question[:_QUESTION],
        answer=request.answer,
        user=request.user,
        session=request.session,
        app=request.app,
        environment=request.environment,
        start_ns=request.start_ns,
        verdict=beside.verdict,
        likelihood=likely,
        score=round(first.likeness.score, 3),
        parts={name: round(share, 3) for name, share in first.likeness.parts().items()},
        reasons=reasons(first, reading),
        asked=len(fold.requests),
        others=tuple(_other(one, reading) for one in fold.requests[1 : others + 1]),
    )


def _other(one: Ranked, reading: TicketReading) -> OtherRequest:
    request: FoundRequest = one.request
    return OtherRequest(
        request_id=request.request_id,
        start_ns=request.start_ns,
        user=request.user,
        session=request.session,
        score=round(one.likeness.score, 3),
        reasons=reasons(one, reading),
    )
