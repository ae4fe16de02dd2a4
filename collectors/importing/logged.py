"""A request as a log tells it, before it becomes spans."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ...model import StageKind


class LoggedStage(NamedTuple):
    """One stage."""

    name: str
    kind: StageKind
    attributes: Mapping[str, Any]
    """Of `model.wire`, its list among them."""
    ids: tuple[str, ...] | None = None
    """Its chunk ids in rank order, for people; "—" where a hit has none. None: it has no list."""
    duration_ns: int | None = None
    error: str = ""


class Gold(NamedTuple):
    """What a log says should have been found."""

    passage: str
    """Id of a chunk, or of a document."""
    grade: int
    """1 to 4; 0 means not relevant."""
    document: bool = False


class LoggedRequest(NamedTuple):
    """One request."""

    trace_id: str
    span_id: str
    line: int
    start_ns: int
    duration_ns: int | None
    """None: the log does not say."""
    attributes: Mapping[str, Any]
    """Of `model.wire`."""
    resource: tuple[tuple[str, str], ...]
    """App, environment and version, as OpenTelemetry names them."""
    stages: tuple[LoggedStage, ...] = ()
    error: str = ""
    golds: tuple[Gold, ...] = ()
    feedback: float | None = None
    """Below 0 bad, above 0 good."""
    comment: str | None = None
    remarks: tuple[str, ...] = ()
    """What of the row contradicts itself or could not be read, in words that are the same for the same trouble."""

    @property
    def request_id(self) -> str:
        """Its id."""
        return f"{self.trace_id}-{self.span_id}"
