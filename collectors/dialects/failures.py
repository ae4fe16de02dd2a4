"""Errors of spans: type and message, without stack traces."""

from __future__ import annotations

import re
from typing import Any, Final

from ...model import Span

ERROR_STATUS: Final = 2
NO_WORDS: Final = "failed, without a message"
_LENGTH: Final = 2000
_WRAPPED: Final = re.compile(r"(?P<type>[A-Za-z_][\w.]*)\((?P<quote>['\"])(?P<message>.*)(?P=quote),?\)\Z", re.DOTALL)
_TRACEBACK: Final = "Traceback (most recent call last)"


def error_of(span: Span) -> str | None:
    """What went wrong in this span, as "Type: message"; None where its status is no error."""
    if span.status != ERROR_STATUS:
        return None
    kind, message = _from_event(span)
    kind = kind or _text(span.attributes.get("error.type")) or ""
    message = message or _text(span.attributes.get("error.message")) or span.status_message
    message = message.partition(_TRACEBACK)[0].strip()
    wrapped = _WRAPPED.match(message)
    if wrapped is not None:
        kind, message = kind or wrapped["type"], wrapped["message"]
    kind = kind.rpartition(".")[2]
    if not message or message == kind:
        return kind or NO_WORDS
    said = message if not kind or message.startswith(kind) else f"{kind}: {message}"
    return said[:_LENGTH]


def _from_event(span: Span) -> tuple[str, str]:
    for event in reversed(span.events):
        if event.name == "exception":
            return _text(event.attributes.get("exception.type")), _text(event.attributes.get("exception.message"))
    return "", ""


def _text(value: Any) -> str:  # noqa: ANN401 - an attribute
    return value if isinstance(value, str) else ""
