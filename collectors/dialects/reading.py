"""What a dialect gives, and what it is given: marks, readings, and the texts of one request."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, NamedTuple

from ...model import Stage, TextState


class Role(StrEnum):
    """What a span is, before its content is read."""

    REQUEST = "request"
    STAGE = "stage"
    OTHER = "other"


class Mark(NamedTuple):
    """The part of a span that decides to which request it belongs; cheap to take."""

    role: Role = Role.OTHER
    request_id: str | None = None
    """The request that the span itself names."""


class KnownText(NamedTuple):
    """A chunk's text as one span of the request carried it."""

    text: str | None
    """None: hidden by redaction."""
    text_hash: str | None
    state: TextState


class Texts:
    """The chunk texts that the spans of one request carry, by scope and number.

    A text travels once, with the first span to end that holds it; all the others refer to its number.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[str, int], KnownText] = {}
        self.lists: dict[tuple[str, str], Any] = {}
        """(trace id, span id) -> the list of that span as parsed, so that it is parsed once."""

    def add(self, scope: str, number: int, known: KnownText) -> None:
        """The first carrier of a number counts: a number never means two texts."""
        self._known.setdefault((scope, number), known)

    def find(self, scope: str, number: int) -> KnownText | None:
        """None: the span that carried it has not come."""
        return self._known.get((scope, number))


class Reading(NamedTuple):
    """What a dialect read from one span."""

    request: dict[str, Any] | None = None
    """Fields of `model.Request` that a request span says; None for any other span."""
    stage: Stage | None = None
    """With the parent, the clock note and the order still open: those need the other spans."""
    troubles: tuple[str, ...] = ()
    """What could not be read, in words: "the hits of rerank are not readable"."""
