"""Requests as a noun of the store: what may be asked about them."""

from __future__ import annotations

from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict

from ..model import Diagnosis, IdMention, Outcome, RecordedRequest


class RequestFilter(BaseModel):
    """Which requests a list shows. An empty filter is all of them."""

    model_config = ConfigDict(frozen=True)

    words: str = ""
    """Every word must occur in the question or in the answer, or be the id that the app's own log gave; case does not
    matter in texts."""
    user: str = ""
    app: str = ""
    environment: str = ""
    outcome: Outcome | None = None
    verdict: str = ""
    """A Verdict value. "no_label" is every request without labels of its own or inherited."""
    labelled: bool | None = None
    """With a label of its own or an inherited one; False: without any."""
    complained: bool | None = None
    queue: str = ""
    """A TriageState value, or "open" for requests that are neither put off nor given up."""
    assigned_to: str = ""
    replay_of: str = ""
    """Replays of this request alone."""
    replays: bool | None = None
    """True: replays alone. False: none of them."""
    since_ns: int | None = None
    """Inclusive."""
    until_ns: int | None = None
    """Exclusive."""


class RequestRow(BaseModel):
    """One line of the list of requests."""

    model_config = ConfigDict(frozen=True)

    request_id: str
    start_ns: int
    question: str | None
    """At most 300 characters."""
    user: str | None
    session: str | None
    app: str
    app_version: str | None
    environment: str
    outcome: Outcome
    duration_ms: float | None
    verdict: str
    gold_path: str
    """The gold's ranks in short: "1 · 14 → 2 → 9 ✕5"; empty without a label."""
    labelled: bool
    inherited: bool
    complaints: tuple[str, ...]
    """Ticket ids; "thumbs down" for bad feedback."""
    missing: tuple[str, ...]
    replay_of: str | None
    queue: str = ""
    """A TriageState value; empty: in the queue."""
    assigned_to: str | None = None


class RequestPage(BaseModel):
    """A page of the list, newest first (start time descending, then request id)."""

    model_config = ConfigDict(frozen=True)

    rows: tuple[RequestRow, ...]
    matching: int
    """How many requests the filter lets through."""
    stored: int
    """How many there are at all."""


class SpanRow(BaseModel):
    """A raw span, for the Raw tab."""

    model_config = ConfigDict(frozen=True)

    span_id: str
    parent_span_id: str | None
    name: str
    start_ns: int
    end_ns: int | None
    attributes: dict[str, Any]


class SpanPage(BaseModel):
    """Spans of a request by start time."""

    model_config = ConfigDict(frozen=True)

    rows: tuple[SpanRow, ...]
    total: int


class Neighbours(BaseModel):
    """The requests before and after one in a filtered list."""

    model_config = ConfigDict(frozen=True)

    place: int | None
    """1-based place in the list; None: the filter does not let it through."""
    matching: int
    newer: str | None
    older: str | None


class Facets(BaseModel):
    """The values that filters offer."""

    model_config = ConfigDict(frozen=True)

    apps: tuple[str, ...]
    environments: tuple[str, ...]
    users: int
    verdicts: dict[str, int]


class Requests(Protocol):
    """Recorded requests. All methods may be called from any thread."""

    def page(self, which: RequestFilter, *, limit: int, offset: int = 0) -> RequestPage: ...

    def get(self, request_id: str, *, texts: bool = True) -> RecordedRequest | None:
        """The request with its stages and hits; with `texts=False` hits and prompts come without bodies."""
        ...

    def resolve(self, mention: IdMention) -> tuple[str, ...]:
        """The ids of the requests that an id found in a text may mean, newest first; at most 20."""
        ...

    def neighbours(self, request_id: str, which: RequestFilter) -> Neighbours: ...

    def spans(self, request_id: str, *, limit: int, offset: int = 0) -> SpanPage: ...

    def facets(self) -> Facets: ...

    def labelled_ids(self, among: tuple[str, ...] | None = None) -> tuple[str, ...]:
        """Requests with labels of their own or inherited; of all requests, or only among these."""
        ...

    def may_be_labelled(self, among: tuple[str, ...]) -> tuple[str, ...]:
        """Those of these requests, and their direct replays, that may have labels: none is missing, some too many.

        Quick where there are none, as for nearly every request that comes.
        """
        ...

    def judged_by_older_rules(self) -> tuple[str, ...]:
        """Requests whose stored diagnosis was made under another RULES_VERSION, newest first."""
        ...

    def with_case_key(self, case_key: str) -> tuple[str, ...]:
        """Requests that ask this question (`model.make_case_key` over what was recorded), newest first."""
        ...

    def replays_of(self, request_ids: tuple[str, ...]) -> tuple[str, ...]:
        """Requests that replay one of these, and those that replay such a replay, without these."""
        ...

    def save_diagnosis(self, diagnosis: Diagnosis, recorded: RecordedRequest | None = None) -> None:
        """Replaces the findings and gold ranks of one request.

        `recorded` is the request as it is stored, with its texts, where the caller has it.
        """
        ...

    def diagnosis(self, request_id: str) -> Diagnosis | None:
        """The stored diagnosis, or None where none is stored."""
        ...
