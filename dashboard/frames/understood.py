"""What was understood of a ticket, as parts that a person can take away."""

from __future__ import annotations

from datetime import timedelta, tzinfo
from typing import Final, NamedTuple

from ...model.ticket import TicketReading, TimeWindow
from .. import times
from ..text import cell

MOST_WORDS: Final = 14
"""Words that are parts of their own; the others are one part."""


class Part(NamedTuple):
    """One thing that speaks for a request."""

    kind: str
    """ "id", "user", "session", "time", "quote" or "word"."""
    words: tuple[str, ...]
    """What the ticket says: a search without all of them is one without this part."""
    label: str
    """Plain text, not escaped."""

    @property
    def key(self) -> str:
        """One text for it, the same as long as the ticket says the same."""
        return f"{self.kind} {self.words[0]}"


def parts(reading: TicketReading, zone: tzinfo) -> tuple[Part, ...]:
    """In the order of their weight: ids, users, sessions, times, quotations, words; each once."""
    found = [
        *(Part("id", (one.digits,), f"id {cell(one.digits, 13)}") for one in reading.ids),
        *(Part("user", (one.words,), _named(one.words, one.name)) for one in reading.users),
        *(Part("session", (one.words,), _named(one.words, one.name)) for one in reading.sessions),
        *(Part("time", (one.words,), f"{window_words(one, zone)} · “{one.words}”") for one in reading.windows),
        *(Part("quote", (" ".join(one.text.split()),), cell(one.text, 60)) for one in reading.quotes),
        *_words(reading.words),
    ]
    return tuple({part.key: part for part in reversed(found)}.values())[::-1]


def _named(words: str, name: str) -> str:
    return cell(name, 40) if words.casefold() == name.casefold() else cell(words, 60)


def _words(words: tuple[str, ...]) -> list[Part]:
    single = [Part("word", (word,), cell(word, 40)) for word in words[:MOST_WORDS]]
    rest = words[MOST_WORDS:]
    return [*single, Part("word", rest, f"and {len(rest)} more")] if rest else single


def window_words(window: TimeWindow, zone: tzinfo) -> str:
    """The window in `zone`: "29 Nov", "29 Nov 11:00–15:40", "28 Nov 22:00 – 29 Nov 02:00", "around 29 Nov 17:00"."""
    if window.at_ns is not None:
        return f"around {times.minute(window.at_ns, zone)}"
    begin, end = times.at(window.begin_ns, zone), times.at(window.end_ns, zone)
    last = end - timedelta(microseconds=1)
    if begin.time() == end.time() == begin.time().min:
        first_day, last_day = f"{begin.day} {begin:%b}", f"{last.day} {last:%b}"
        return first_day if first_day == last_day else f"{first_day} – {last_day}"
    if begin.date() == last.date():
        return f"{times.minute(window.begin_ns, zone)}–{last.replace(microsecond=0) + timedelta(seconds=1):%H:%M}"
    return f"{times.minute(window.begin_ns, zone)} – {times.minute(window.end_ns, zone)}"
