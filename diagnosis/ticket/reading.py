"""Reading a ticket: what it says of the request it means. Pure: a text, the moment it was written, a zone."""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, datetime, timedelta
from typing import Final

from ...model import find_ids
from ...model.ticket import TicketReading, TimeWindow
from .boilerplate import COMMON, without_boilerplate
from .calendar import NS, zone_of
from .names import possible_names
from .quotes import find_quotes
from .time_words import LONGEST, read_times

MOST_WORDS: Final = 120
FEWEST_WORDS: Final = 2
"""Telling words of a ticket that are looked for alone."""
_SENT = re.compile(
    r"^\s*(?:sent|date|gesendet|datum|created|received|reported|erstellt)(?: at| on|"
    r" am)?\s*:\s*(?P<when>[^\n]{6,80})$",
    re.IGNORECASE | re.MULTILINE,
)
_ID = re.compile(r"(?<![0-9a-zA-Z])(?=[0-9a-f]*\d)[0-9a-f]{8,}(?:-[0-9a-f]{2,})*(?![0-9a-zA-Z])", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_LATEST = datetime(2200, 1, 1, tzinfo=UTC)


def read_ticket(text: str, *, opened_ns: int, zone: str = "") -> TicketReading:
    """What `text`, written at `opened_ns`, says. Its own head ("Sent: ...") goes before a later `opened_ns`.

    `zone` is an IANA name or an offset; empty is the machine's. UsageError where it is no zone.
    """
    text = text[:LONGEST]
    opened, head = _opened(text, opened_ns, zone)
    windows = tuple(one for one in read_times(text, opened) if not head[0] <= one.place[0] < head[1])
    timeless = _without(text, windows)
    said = without_boilerplate(timeless)
    return TicketReading(
        opened_ns=round(opened.timestamp() * NS) if head != (0, 0) else opened_ns,
        zone=zone or (opened.tzname() or "UTC"),
        ids=find_ids(text),
        names=possible_names(text),
        windows=windows,
        quotes=find_quotes(timeless),
        said=said,
        words=telling_words(said, at_least=FEWEST_WORDS),
    )


def telling_words(text: str, *, at_least: int = 1) -> tuple[str, ...]:
    """Lower-case words without the commonest ones, in order, each once; all of them where fewer than `at_least`
    remain: "How does it do that?" has no other."""
    words = list(dict.fromkeys(word.replace("’", "'") for word in _WORD.findall(folded(text))))
    telling = [word for word in words if word not in COMMON and word.split("'")[0] not in COMMON]
    return tuple((telling if len(telling) >= at_least else words)[:MOST_WORDS])


def folded(text: str) -> str:
    """`text` for comparing: compatible letters, lower case, white space collapsed."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _opened(text: str, opened_ns: int, zone: str) -> tuple[datetime, tuple[int, int]]:
    """When the ticket was written, and where its head says so ((0, 0): nowhere)."""
    there = zone_of(zone)
    seconds = min(max(opened_ns, 86_400 * NS) // 1000 / 1e6, _LATEST.timestamp())
    given = datetime.fromtimestamp(seconds, UTC).astimezone(there)
    sent = _SENT.search(text)
    if sent is None:
        return given, (0, 0)
    windows = read_times(sent["when"], given + timedelta(minutes=1))
    if not windows or windows[0].at_ns is None:
        return given, sent.span("when")
    return datetime.fromtimestamp(windows[0].at_ns / NS, UTC).astimezone(there), sent.span("when")


def _without(text: str, windows: tuple[TimeWindow, ...]) -> str:
    """The text without times and ids: they are searched in their own ways."""
    for window in reversed(windows):
        text = f"{text[: window.place[0]]} {text[window.place[1] :]}"
    return _ID.sub(" ", text)
