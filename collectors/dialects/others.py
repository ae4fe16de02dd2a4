"""Spans of other writers: a table of dialects, the most specific first, chosen span by span.

The first dialect that knows a span says what it is and gives its list; the next ones only fill what it leaves open. To
add one: a file here, a line in `OTHERS`, a recording in tests/captures or a sample in tests/collectors.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple

from ...model import Span, wire
from . import (
    genai,
    haystack,
    langfuse,
    langsmith,
    mlflow,
    openinference,
    pydantic_ai,
    shape,
    traceloop,
    vector_stores,
)
from .facts import LOG_EVENT, NOTHING, Facts, fill


class Other(NamedTuple):
    """A dialect of another writer."""

    families: frozenset[str]
    """First parts of the names of attributes (or events) of which a span must have one to be read by it at all."""
    read: Callable[[Span], Facts | None]


def _other(read: Callable[[Span], Facts | None], *families: str) -> Other:
    return Other(frozenset(families), read)


OTHERS: Final[tuple[Other, ...]] = (
    _other(langsmith.read, "langsmith"),
    _other(langfuse.read, "langfuse"),
    _other(openinference.read, "openinference"),
    _other(mlflow.read, "mlflow"),
    _other(haystack.read, "haystack"),
    _other(vector_stores.read, "db"),
    _other(traceloop.read, "traceloop", "gen_ai"),
    _other(pydantic_ai.read, *(mark.partition(".")[0] for mark in pydantic_ai.MARKS)),
    _other(genai.read, "gen_ai", "llm"),
)


@lru_cache(maxsize=16_384)
def _family(name: str) -> str:
    """The first part of a name; the same names come with every span of a kind."""
    return name.partition(".")[0]


def _find_families(names: tuple[str, ...]) -> frozenset[str]:
    return frozenset(map(_family, names))


_families = lru_cache(maxsize=256)(_find_families)
"""The same, kept: spans of a kind come with the same names again and again."""
_MANY_NAMES: Final = 512
"""Spans with more attributes are no kind of span that comes again."""


def read_other(span: Span) -> Facts | None:
    """What the dialects say of a span of another writer; None where nobody knows it, and of goldrank's own spans."""
    attributes = span.attributes
    if not attributes or wire.KIND in attributes or LOG_EVENT in attributes or pydantic_ai.is_placeholder(span):
        return None
    names = tuple(attributes)
    families = (_families if len(names) <= _MANY_NAMES else _find_families)(names)
    if span.events:
        families = families.union(_family(event.name) for event in span.events)
    found = NOTHING
    for other in OTHERS:
        if not families.isdisjoint(other.families):
            facts = other.read(span)
            if facts is not None:
                found = fill(found, facts)
    return found if found is not NOTHING else shape.read(span)
