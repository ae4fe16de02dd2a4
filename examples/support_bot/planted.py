"""The planted complaints: what was asked, in which set-up, and the ticket that came of it.

planted.json also holds what goldrank must say of each. The bot never reads that part; tests do.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from .rewriting import Turn
from .settings import Settings

FILE = Path(__file__).parent / "planted.json"


class Planted(NamedTuple):
    """One planted complaint."""

    ticket: str
    text: str
    """The ticket, with a mark such as {request_id} where it names the request."""
    who: str
    question: str
    history: tuple[Turn, ...]
    user: str
    groups: tuple[str, ...]
    settings: Settings
    fields: dict[str, Any]
    """The whole entry, with what goldrank must say."""


def planted() -> list[Planted]:
    """All planted complaints in the order of their tickets."""
    return [_read(entry) for entry in json.loads(FILE.read_text("utf-8"))]


def write_ticket(text: str, request_id: str, link: str) -> str:
    """The ticket as the user wrote it: the request named in one of the forms in which people copy it."""
    trace_id, _, span_id = request_id.partition("-")
    return text.format(
        request_id=request_id,
        prefix=_prefix(trace_id),
        trace_id=trace_id,
        traceparent=f"00-{trace_id}-{span_id}-01",
        link=link.format(request_id=request_id),
    )


def _prefix(trace_id: str) -> str:
    """The first eight digits, or so many more that a letter is among them: bare numbers are taken for amounts."""
    return next((trace_id[:n] for n in range(8, 32) if not trace_id[:n].isdigit()), trace_id)


def _read(entry: dict[str, Any]) -> Planted:
    changed: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in entry["settings"].items()
    }
    return Planted(
        ticket=entry["ticket"],
        text=entry["text"],
        who=entry["who"],
        question=entry["question"],
        history=tuple(entry["history"]),
        user=entry["user"],
        groups=tuple(entry["groups"]),
        settings=Settings(**changed),
        fields=entry,
    )
