"""Times in a ticket: finds what the rules read, joins what stands together, and says which window is meant.

"the bot told me yesterday around 5pm that ..."   ->   yesterday 16:00 to 18:00, most likely 17:00
"""

from __future__ import annotations

import itertools
import re
from datetime import date, datetime, timedelta
from typing import Final, NamedTuple

from ...model.ticket import TimeWindow
from .calendar import NS, Days, Span, span_of
from .clock_rules import CLOCK_RULES
from .date_rules import DATE_RULES
from .time_names import Element

LONGEST: Final = 20_000
"""Characters of a ticket that are read."""
RULES: Final = (*DATE_RULES, *CLOCK_RULES)
"""Where two match the same text, the longer wins, then the earlier."""
MOST: Final = 6
"""Times that are kept of one ticket: the first ones."""
_OLDEST: Final = timedelta(days=400)
"""Older dates are birthdays and contracts."""

_BETWEEN = re.compile(
    r"[\s,;()–-]*(?:\b(?:at|around|about|approx\.?|approximately|shortly|just|before|after|of|in|the|on|um|gegen|"
    r"ca\.?|"
    r"circa|etwa|ungefähr|kurz|vor|nach|so|am|den|der|dem|im|sometime|irgendwann)(?![^\W\d])[\s,.()]*)*",
    re.IGNORECASE,
)
_TO_COME = re.compile(
    r"\b(?:next|until|till|by|every|each|before|bis|bis zum|nächste[nrms]?|jede[nrms]?|kommende[nrms]?|tomorrow|"
    r"morgen|"
    r"to|through|valid|due|paid|bought|ordered|invoiced|charged|booked|signed|joined|expires?|ends?|deadline|"
    r"version|release|v|section|chapter|§)\s+(?:the\s+|on\s+|am\s+|zum\s+)?$",
    re.IGNORECASE,
)
"""Before a day: it lies in the future, comes again and again, or is no day."""
_TO = re.compile(r"\s*(?:-|–|to|through|bis|and|und|or|oder)\s*", re.IGNORECASE)
_SINCE = re.compile(r"\b(?:since|seit|starting|ever since)\s+(?:the\s+|dem\s+|der\s+)?$", re.IGNORECASE)


class _Piece(NamedTuple):
    start: int
    end: int
    element: Element


def read_times(text: str, opened: datetime) -> tuple[TimeWindow, ...]:
    """The windows of time that `text` speaks of, in order of appearance; `opened` is when it was written, with a zone.

    What lies after the ticket, comes every week, or is long gone is none.
    """
    text = text[:LONGEST]
    windows = []
    for start, end, said in _joined(text, _pieces(text, opened)):
        if said.void or (said.needs_day and said.days is None):
            continue
        span = said.span or span_of(said.days, said.part, said.clock, opened)
        if span is not None and opened - _OLDEST < span.end and span.begin <= opened:
            windows.append(_window(text, start, end, span))
    return tuple(windows[:MOST])


def _pieces(text: str, opened: datetime) -> list[_Piece]:
    """What the rules read, without overlaps: the longest counts, then the earlier rule. In order of appearance."""
    found: list[tuple[int, int, _Piece]] = []
    for number, one in enumerate(RULES):
        for match in one.pattern.finditer(text):
            element = one.read(match, opened)
            if element is not None:
                piece = _in_its_place(text, match, element, opened)
                found.append((match.start() - match.end(), number, piece))
    kept: list[_Piece] = []
    for _, _, piece in sorted(found, key=lambda one: one[:2]):
        if all(piece.end <= other.start or other.end <= piece.start for other in kept):
            kept.append(piece)
    return _without_ranges(text, sorted(kept, key=lambda piece: piece.start))


def _in_its_place(text: str, match: re.Match[str], element: Element, opened: datetime) -> _Piece:
    """The piece, with what stands before it: "next Monday" is to come, "since Monday" reaches to the ticket."""
    before = text[max(0, match.start() - 24) : match.start()]
    start = match.start()
    if element.days is not None and _TO_COME.search(before):
        return _Piece(start, match.end(), Element(void=True))
    since = _SINCE.search(before)
    if element.days is not None and since:
        days = element.days._replace(last=max(opened.date(), element.days.first))
        return _Piece(start - len(before) + since.start(), match.end(), Element(days=days))
    return _Piece(start, match.end(), element)


def _without_ranges(text: str, pieces: list[_Piece]) -> list[_Piece]:
    """ "Monday to Friday" as no time: opening hours are none of a request."""
    void: set[int] = set()
    for place, (one, two) in enumerate(itertools.pairwise(pieces)):
        if _is_weekday(text, one) and _is_weekday(text, two) and _TO.fullmatch(text[one.end : two.start]):
            void |= {place, place + 1}
    return [piece._replace(element=Element(void=True)) if at in void else piece for at, piece in enumerate(pieces)]


def _is_weekday(text: str, piece: _Piece) -> bool:
    said = piece.element
    named = not any(character.isdigit() for character in text[piece.start : piece.end])
    return said.void or (said.days is not None and said.clock is None and named)


def _joined(text: str, pieces: list[_Piece]) -> list[_Piece]:
    """Neighbours that complete each other become one time."""
    said: list[_Piece] = []
    for piece in pieces:
        last = said[-1] if said else None
        joined = (
            _join(last.element, piece.element) if last and _BETWEEN.fullmatch(text[last.end : piece.start]) else None
        )
        if last is not None and joined is not None:
            said[-1] = _Piece(last.start, piece.end, joined)
        else:
            said.append(piece)
    return said


def _join(last: Element, new: Element) -> Element | None:
    """Both as one; None where they speak of different times."""
    if last.void or new.void:
        return Element(void=True)
    if last.span or new.span or (last.part and new.part) or (last.clock and new.clock):
        return None
    greeting = (last.part and last.needs_day and not new.days) or (new.part and new.needs_day and not last.days)
    if greeting:
        return None  # "Good morning, at 14:05 ..."
    days = _same_days(last.days, new.days)
    if last.days and new.days and days is None:
        return None
    part, clock = last.part or new.part, last.clock or new.clock
    return Element(days, part, clock, None, last.needs_day and new.needs_day)


def _same_days(one: Days | None, two: Days | None) -> Days | None:
    """ "Saturday, 28 November": the narrower, where one lies in the other. "Last week on Tuesday" likewise."""
    if one is None or two is None:
        return one or two
    wide, narrow = (one, two) if one.last - one.first >= two.last - two.first else (two, one)
    if wide.first <= narrow.first and narrow.last <= wide.last:
        return narrow
    if wide.first != wide.last and narrow.first == narrow.last:
        for weeks in (1, 2):  # the weekday was taken for the newest one
            earlier: date = narrow.first - timedelta(days=7 * weeks)
            if wide.first <= earlier <= wide.last:
                return Days(earlier, earlier)
    return None


def _window(text: str, start: int, end: int, span: Span) -> TimeWindow:
    return TimeWindow(
        words=" ".join(text[start:end].split()),
        place=(start, end),
        begin_ns=_ns(span.begin),
        end_ns=_ns(span.end),
        at_ns=None if span.at is None else _ns(span.at),
        slack_ns=round(span.slack_s * NS),
    )


def _ns(moment: datetime) -> int:
    return round(moment.timestamp() * 1_000_000) * 1000
