"""The words that times are made of, English and German, and what a rule is."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta, timezone, tzinfo
from typing import Final, NamedTuple

from .calendar import DAY_S, HOUR_S, Clock, Days, Part, Span


class Element(NamedTuple):
    """What one piece of text means; pieces that stand together are read as one time."""

    days: Days | None = None
    part: Part | None = None
    clock: Clock | None = None
    span: Span | None = None
    needs_day: bool = False
    """Means nothing without a day beside it: "Guten Morgen", "at 5"."""
    void: bool = False
    """Is no time of a request, and what stands with it is none either: "next Monday at 5pm"."""


Read = Callable[[re.Match[str], datetime], Element | None]
"""From a match and the moment of the ticket to what is meant; None where it is no time after all."""


class Rule(NamedTuple):
    """A pattern and how to read it."""

    pattern: re.Pattern[str]
    read: Read


def rule(pattern: str, read: Read) -> Rule:
    """A rule; case does not matter."""
    return Rule(re.compile(pattern, re.IGNORECASE), read)


MONTHS: Final = {
    name: number
    for number, names in enumerate(
        (
            "january januar jan jänner",
            "february februar feb",
            "march märz maerz mar mär mrz",
            "april apr",
            "may mai",
            "june juni jun",
            "july juli jul",
            "august aug",
            "september sept sep",
            "october oktober oct okt",
            "november nov",
            "december dezember dec dez",
        ),
        start=1,
    )
    for name in names.split()
}
WEEKDAYS: Final = {
    name: number
    for number, names in enumerate(
        (
            "monday mon montag",
            "tuesday tues tue dienstag",
            "wednesday wed mittwoch",
            "thursday thurs thur thu donnerstag",
            "friday fri freitag",
            "saturday sat samstag sonnabend",
            "sunday sun sonntag",
        )
    )
    for name in names.split()
}
SHORT_DAYS: Final = frozenset({"mon", "tues", "tue", "wed", "thurs", "thur", "thu", "fri", "sat", "sun"})
PARTS: Final = {
    "early morning": Part(4 * 60, 9 * 60),
    "morning": Part(5 * 60, 12 * 60),
    "forenoon": Part(8 * 60, 12 * 60),
    "early afternoon": Part(12 * 60, 15 * 60),
    "late afternoon": Part(15 * 60, 19 * 60),
    "afternoon": Part(12 * 60, 18 * 60),
    "early evening": Part(16 * 60, 20 * 60),
    "evening": Part(17 * 60, 23 * 60),
    "night": Part(18 * 60, 28 * 60),
    "nacht": Part(20 * 60, 29 * 60),
    "früh": Part(4 * 60, 10 * 60),
    "frueh": Part(4 * 60, 10 * 60),
    "morgen": Part(5 * 60, 11 * 60),
    "vormittag": Part(8 * 60, 12 * 60),
    "mittag": Part(11 * 60, 14 * 60),
    "nachmittag": Part(12 * 60, 18 * 60),
    "abend": Part(17 * 60, 23 * 60),
}
COUNTS: Final = {
    word: float(number)
    for number, words in enumerate(
        (
            "",
            "a an one ein eine einer einem einen",
            "two zwei couple",
            "three drei",
            "four vier",
            "five fünf fuenf",
            "six sechs",
            "seven sieben",
            "eight acht",
            "nine neun",
            "ten zehn",
            "eleven elf",
            "twelve zwölf zwoelf",
        )
    )
    for word in words.split()
} | {"fifteen": 15.0, "twenty": 20.0, "thirty": 30.0, "half": 0.5, "halben": 0.5, "halbe": 0.5}
UNITS: Final = {
    "s": 1.0, "sec": 1.0, "min": 60.0, "h": HOUR_S, "hr": HOUR_S, "hour": HOUR_S, "stunde": HOUR_S, "std": HOUR_S,
    "minute": 60.0, "mins": 60.0, "second": 1.0, "sekunde": 1.0, "day": DAY_S, "tag": DAY_S, "week": 7 * DAY_S,
    "woche": 7 * DAY_S, "month": 30 * DAY_S, "monat": 30 * DAY_S, "moment": 120.0, "augenblick": 120.0,
}  # fmt: skip
ZONES: Final[dict[str, tzinfo]] = {
    name: timezone(timedelta(hours=hours))
    for hours, names in (
        (0, "UTC GMT WET"), (1, "CET MEZ BST WEST"), (2, "CEST MESZ EET"), (3, "EEST MSK"), (-4, "EDT"),
        (-5, "EST CDT"), (-6, "CST MDT"), (-7, "MST PDT"), (-8, "PST"), (5.5, "IST"), (9, "JST"),
    )
    for name in names.split()
}  # fmt: skip


MONTH: Final = "|".join(sorted(MONTHS, key=len, reverse=True))
WEEKDAY: Final = "|".join(sorted(WEEKDAYS, key=len, reverse=True))
SMALL_HOURS: Final = 5
"""Until this hour somebody who is awake may mean the day before by "today" and "this morning"."""
PART: Final = "|".join(sorted(PARTS, key=len, reverse=True))
COUNT: Final = "|".join(sorted((word for word, count in COUNTS.items() if count >= 1), key=len, reverse=True))
LAST: Final = "last|this past|past|letzte[nrms]?|vorige[nrms]?|vergangene[nrms]?"
ZONE: Final = rf"(?:\s*\(?(?P<zone>(?:UTC|GMT)?[+-]\d\d?:?(?:\d\d)?(?!\d)|(?-i:{'|'.join(ZONES)})\b)\)?)?"
NO_NUMBER: Final = r"(?<![\w.,:/+#-])"
"""The number is not a part of a longer one, of a version or of a name."""
ABOUT: Final = (
    r"(?:(?:(?:at|um)\s+)?(?:(?:at|around|about|approx\.?|approximately|by|um|gegen|ca\.?|circa|ungefähr|etwa|"
    r"(?:kurz|shortly|just) (?:vor|nach|before|after))\s+|~\s*))"
)


def number_of(text: str) -> float | None:
    """3 of "3" and of "three"."""
    return float(text) if text.isdigit() else COUNTS.get(text.lower())


def unit_seconds(text: str) -> float | None:
    """Seconds of "hours", "Stunden", "Std.", "min"."""
    name = text.lower().rstrip(".")
    return next((UNITS[one] for one in (name, name[:-1], name[:-2]) if one in UNITS), None)


def back(opened: datetime, days: int, until: int | None = None, *, vague: bool = False) -> Days:
    """So many days before the ticket's; with `until` all from there to so many before it."""
    first = opened.date() - timedelta(days=days)
    return Days(first, first if until is None else opened.date() - timedelta(days=until), vague)


def today(opened: datetime) -> Days:
    """What people call today: in the small hours the day that they have not slept after yet, too."""
    return back(opened, 1 if opened.hour < SMALL_HOURS else 0, 0)


def group(found: re.Match[str], name: str) -> str | None:
    """What a named group of the pattern holds; None where the pattern has no such group."""
    return found[name] if name in found.re.groupindex else None


def named_part(text: str) -> Part:
    """The part of a day, by its name in singular or plural."""
    name = " ".join(text.lower().split())
    return PARTS[name] if name in PARTS else PARTS[name.removesuffix("s")]
