"""The words of stages: kinds, ends, completeness, where flow is known from.

Apart from the models, which an app that records never needs and pydantic builds slowly.
"""

from __future__ import annotations

from enum import StrEnum


class StageKind(StrEnum):
    """What a stage does. The glossary of DESIGN says what each word means."""

    REWRITE = "rewrite"
    EMBED = "embed"
    RETRIEVE = "retrieve"
    FUSE = "fuse"
    FILTER = "filter"
    RERANK = "rerank"
    ASSEMBLE = "assemble"
    GENERATE = "generate"
    TOOL = "tool"
    GUARD = "guard"
    OTHER = "other"


class Outcome(StrEnum):
    """How a request or a stage ended."""

    OK = "ok"
    ERROR = "error"
    CANCELLED = "cancelled"
    """The task was cancelled (client gone, time limit): neither an answer nor a failure."""
    CLOSED_EARLY = "closed_early"
    """A stream whose reader went away; what was read so far is kept."""
    INCOMPLETE = "incomplete"
    """No end was received."""


class Completeness(StrEnum):
    """What is known about a recorded list."""

    COMPLETE = "complete"
    TOP_MISSING = "top_missing"
    """The best ranks are missing (an exporter dropped them); `Stage.missing_top` says how many."""
    TRUNCATED = "truncated"
    """Recorded up to a limit; `Stage.length` is the true length where it is known."""
    REDACTED = "redacted"
    SUPPRESSED = "suppressed"
    PARTLY_READABLE = "partly_readable"
    """All ranks are here; at some of them something stands that is no hit. Its chunk is not known."""
    TEXT_NOT_RECEIVED = "text_not_received"
    """Ids and ranks are all here; the span that carried some of the texts never came."""
    NOT_RECORDED = "not_recorded"


class FlowSource(StrEnum):
    """How it is known which stages' output a stage took in, the most certain first."""

    DECLARED = "declared"
    RECORDED = "recorded"
    DERIVED = "derived"
    UNKNOWN = "unknown"
