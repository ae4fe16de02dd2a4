"""How spans of different writers are read: a table of dialects, the most specific first.

A dialect is one function: given a span and the chunks of its request, it says what the span is, or None for
a span that it does not know. To add one: a file here, a line in `DIALECTS`, a sample in its tests.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ...model import Span
from . import goldrank, plain
from .reading import ChunkBook, Mark, Reading, Role

Dialect = Callable[[Span, ChunkBook], Reading | None]

DIALECTS: Final[tuple[Dialect, ...]] = (goldrank.read, plain.read)


def read_span(span: Span, book: ChunkBook) -> Reading:
    """What the first dialect that knows the span says of it; an empty reading where none does."""
    for dialect in DIALECTS:
        reading = dialect(span, book)
        if reading is not None:
            return reading
    return Reading()


__all__ = ["DIALECTS", "ChunkBook", "Dialect", "Mark", "Reading", "Role", "read_span"]
