"""How spans of different writers are read: a table of dialects, the most specific first.

A dialect is one function: given a span and the texts of its request, it says what the span is, or None for
a span that it does not know. To add one: a file here, a line in `DIALECTS`, a sample in its tests.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ...model import Span
from . import goldrank, plain
from .reading import Mark, Reading, Role, Texts

Dialect = Callable[[Span, Texts], Reading | None]

DIALECTS: Final[tuple[Dialect, ...]] = (goldrank.read, plain.read)


def read_span(span: Span, texts: Texts) -> Reading:
    """What the first dialect that knows the span says of it; an empty reading where none does."""
    for dialect in DIALECTS:
        reading = dialect(span, texts)
        if reading is not None:
            return reading
    return Reading()


__all__ = ["DIALECTS", "Dialect", "Mark", "Reading", "Role", "Texts", "read_span"]
