"""What a dialect gives, and what it is given: marks, readings, and the chunks of one request."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, NamedTuple

from ...model import HitColumns, Stage
from .hit_form import HitForm


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
    state: str
    """A TextState value."""


class ChunkBook:
    """What the spans of one request say of its chunks together.

    A text travels once, with the first span to end that holds it; all the others refer to its number, which is
    unique inside its scope. The index of a chunk is said by the retriever that found it.
    """

    def __init__(self) -> None:
        self._texts: dict[str, dict[int, KnownText]] = {}
        self._indexes: dict[str, str | None] = {}
        self.lists: dict[tuple[str, str], HitForm] = {}
        """(trace id, span id) -> the list of that span as parsed, so that it is parsed once."""

    def texts_of(self, scope: str) -> dict[int, KnownText]:
        """Number -> text of one scope, to read and to add to. What is not in it has not come."""
        return self._texts.setdefault(scope, {})

    def add_index(self, chunk_id: str, index: str) -> None:
        """The index that a retriever found the chunk in."""
        self._indexes[chunk_id] = index if self._indexes.get(chunk_id, index) == index else None

    def find_index(self, chunk_id: str) -> str | None:
        """The one index that the chunk came from; None where none is named, or two: which it is cannot be told."""
        return self._indexes.get(chunk_id)


class Reading(NamedTuple):
    """What a dialect read from one span."""

    request: dict[str, Any] | None = None
    """Fields of `model.Request` that a request span says; None for any other span."""
    stage: Stage | None = None
    """With the parent, the clock note and the order still open: those need the other spans. Its hits are in `hits`."""
    hits: HitColumns | None = None
    """The list of the stage; None where it has none."""
    troubles: tuple[str, ...] = ()
    """What could not be read, in words: "the hits of rerank are not readable"."""
