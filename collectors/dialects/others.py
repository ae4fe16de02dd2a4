"""Spans of other writers: a table of dialects, the most specific first, chosen span by span.

The first dialect that knows a span says what it is and gives its list; the next ones only fill what it leaves open. To
add one: a file here, a line in `OTHERS`, a recording in tests/captures or a sample in tests/collectors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

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

OtherDialect = Callable[[Span], Facts | None]

OTHERS: Final[tuple[OtherDialect, ...]] = (
    langsmith.read,
    langfuse.read,
    openinference.read,
    mlflow.read,
    haystack.read,
    vector_stores.read,
    traceloop.read,
    pydantic_ai.read,
    genai.read,
)


def read_other(span: Span) -> Facts | None:
    """What the dialects say of a span of another writer; None where nobody knows it, and of goldrank's own spans."""
    attributes = span.attributes
    if not attributes or wire.KIND in attributes or LOG_EVENT in attributes or pydantic_ai.is_placeholder(span):
        return None
    found = NOTHING
    for dialect in OTHERS:
        facts = dialect(span)
        if facts is not None:
            found = fill(found, facts)
    return found if found is not NOTHING else shape.read(span)
