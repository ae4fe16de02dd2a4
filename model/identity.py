"""Request ids, and finding one inside any text a person pastes.

A request id is `<trace id>-<span id of its request span>`: 32 and 16 lower-case hex digits. A trace that
has no request span yet is one provisional request whose id is the bare trace id.
"""

from __future__ import annotations

import re
from enum import StrEnum

from pydantic import BaseModel, ConfigDict

_REQUEST = re.compile(r"(?<![0-9a-f])([0-9a-f]{32})-([0-9a-f]{16})(?![0-9a-f])", re.IGNORECASE)
_TRACEPARENT = re.compile(
    r"(?<![0-9a-f])[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?![0-9a-f])", re.IGNORECASE
)
_UUID = re.compile(r"(?<![0-9a-zA-Z])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-zA-Z])", re.IGNORECASE)
_DIGITS = re.compile(r"(?<![0-9a-zA-Z.,-])([0-9]{8,31})(?![0-9a-zA-Z-]|[.,][0-9])")
_HEX = re.compile(r"(?<![0-9a-zA-Z])([0-9a-f]{8,32})(?![0-9a-zA-Z])", re.IGNORECASE)


class IdForm(StrEnum):
    """In which form an id was written."""

    REQUEST = "request id"
    TRACEPARENT = "traceparent"
    TRACE = "trace id"
    SPAN = "span id"
    PREFIX = "prefix"


class IdMention(BaseModel):
    """An id found in a text. Exactly the parts that the form has are filled."""

    model_config = ConfigDict(frozen=True)

    form: IdForm
    trace_id: str | None = None
    """32 lower-case hex digits."""
    span_id: str | None = None
    """16 lower-case hex digits. In a traceparent: any span of the request, often not its request span."""
    prefix: str | None = None
    """8 to 31 lower-case hex digits: the beginning of a trace id or of a span id."""

    @property
    def digits(self) -> str:
        """As one text: "4bf92f35…-00f067aa…", or the prefix."""
        return self.prefix or "-".join(part for part in (self.trace_id, self.span_id) if part)


def find_ids(text: str) -> tuple[IdMention, ...]:
    """Every id in `text`, in order of certainty: request ids, traceparents, trace ids, span ids, prefixes.

    Within one form, in order of appearance; each once. A UUID is a trace id with dashes. A run of digits without a
    letter a-f counts as a prefix only if it is 16 or 32 long, so that invoice numbers and dates are not taken for ids.
    """
    found: dict[IdMention, None] = {}
    rest = text
    for match in _TRACEPARENT.finditer(rest):
        trace_id, span_id = match.group(1).lower(), match.group(2).lower()
        found[IdMention(form=IdForm.TRACEPARENT, trace_id=trace_id, span_id=span_id)] = None
    rest = _TRACEPARENT.sub(" ", rest)
    for match in _REQUEST.finditer(rest):
        trace_id, span_id = match.group(1).lower(), match.group(2).lower()
        found[IdMention(form=IdForm.REQUEST, trace_id=trace_id, span_id=span_id)] = None
    rest = _REQUEST.sub(" ", rest)
    for match in _UUID.finditer(rest):  # tools that write trace ids with dashes
        found[IdMention(form=IdForm.TRACE, trace_id=match.group().replace("-", "").lower())] = None
    rest = _UUID.sub(" ", rest)
    for match in _HEX.finditer(rest):
        digits = match.group(1).lower()
        if len(digits) == 32:
            found[IdMention(form=IdForm.TRACE, trace_id=digits)] = None
        elif len(digits) == 16:
            found[IdMention(form=IdForm.SPAN, span_id=digits)] = None
        elif not digits.isdigit():
            found[IdMention(form=IdForm.PREFIX, prefix=digits)] = None
    order = list(IdForm)
    return tuple(sorted(found, key=lambda mention: order.index(mention.form)))


def find_digits(text: str) -> tuple[IdMention, ...]:
    """Runs of 8 to 31 digits without a letter, in order, each once: beginnings of ids that `find_ids` leaves out.

    One id in forty begins so. Most are invoice numbers and dates: only a request that begins so tells them apart.
    """
    runs = dict.fromkeys(match.group(1) for match in _DIGITS.finditer(text) if len(match.group(1)) != 16)
    return tuple(IdMention(form=IdForm.PREFIX, prefix=run) for run in runs)
