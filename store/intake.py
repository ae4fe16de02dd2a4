"""The way in: what the ingester commits, and what it needs to know to do so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict, SkipValidation

from ..model import Complaint, CorpusManifest, Drops, Feedback, HitColumns, RecordedRequest, Span


class Progress(BaseModel):
    """How far a segment was read."""

    model_config = ConfigDict(frozen=True)

    segment: str
    upto: int
    """Bytes from the segment's start up to which every frame is committed or set aside."""


class BadFrame(BaseModel):
    """A frame that was set aside."""

    model_config = ConfigDict(frozen=True)

    segment: str
    offset: int
    reason: str
    """Never holds the payload."""
    saved_as: str | None
    at_ns: int


class ReceiverCounts(BaseModel):
    """What one receiver took and refused since it first ran."""

    model_config = ConfigDict(frozen=True)

    receiver: str
    """What it is, its machine and its port: "collector web-1:4318"."""
    received: dict[str, int] = {}
    """What was acknowledged: "requests", "spans", "bytes", ..."""
    refused: dict[str, int] = {}
    """Reason -> how many requests."""
    last_ns: int
    """Of its last report."""


class IntakeBatch(BaseModel):
    """Everything that one transaction brings in."""

    model_config = ConfigDict(frozen=True, arbitrary_types_allowed=True)

    spans: SkipValidation[tuple[Span, ...]] = ()
    """New and changed spans, as received."""
    stored: SkipValidation[frozenset[tuple[str, str]] | None] = None
    """(trace id, span id) of those of `spans` that are stored already; None: not known."""
    requests: tuple[RecordedRequest, ...] = ()
    """Every request that these spans belong to, composed anew from all spans of its trace."""
    lists: SkipValidation[Mapping[str, Mapping[str, HitColumns]]] = {}
    """Request id -> stage id -> its hits, where the stages of `requests` come without them."""
    members: SkipValidation[Mapping[str, tuple[tuple[str, str], ...]]] = {}
    """Request id -> (trace id, span id) of all its spans."""
    dissolved: tuple[str, ...] = ()
    """Provisional request ids that no longer exist, because a request span came."""
    renamed: dict[str, str] = {}
    """Provisional request id -> the request that takes over its row and labels."""
    feedback: tuple[Feedback, ...] = ()
    complaints: tuple[Complaint, ...] = ()
    corpora: tuple[CorpusManifest, ...] = ()
    drops: tuple[Drops, ...] = ()
    bad_frames: tuple[BadFrame, ...] = ()
    progress: tuple[Progress, ...] = ()
    finished: tuple[str, ...] = ()
    """Segments read to their end: their progress rows may go once the files are deleted."""


class Intake(Protocol):
    """What the ingester uses."""

    def progress(self) -> dict[str, int]:
        """Segment -> bytes read."""
        ...

    def spans_of(self, trace_ids: tuple[str, ...]) -> tuple[Span, ...]:
        """All stored spans of these traces, with everything that was received in their attributes."""
        ...

    def trace_of_request(self, request_ids: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
        """Request id -> the traces whose spans belong to it, for requests joined over several traces."""
        ...

    def request_ids(self) -> tuple[str, ...]:
        """Every request that is stored, newest first."""
        ...

    def members_of(self, trace_ids: tuple[str, ...]) -> dict[str, tuple[tuple[str, str], ...]]:
        """Request id -> (trace id, span id) of its stored spans in these traces."""
        ...

    def rebuild_search(self) -> None:
        """Makes the tables for search anew from stored lists, manifests, questions and answers, in one change."""
        ...

    def commit(self, batch: IntakeBatch) -> None:
        """Stores the batch and its progress in one transaction; a span that is already there is replaced."""
        ...

    def forget_segments(self, segments: tuple[str, ...]) -> None:
        """Drops the progress rows of deleted segments."""
        ...

    def counts(self) -> dict[str, Any]:
        """For Status: rows a table, drops by app and reason, what receivers took and refused, bad frames, store size
        in bytes, schema version, and how many requests were judged by other rules than today's.

        Of labels, cases, complaints and feedback each counts once, however many revisions it has.
        """
        ...

    def bad_frames(self, *, limit: int = 50) -> tuple[BadFrame, ...]: ...
