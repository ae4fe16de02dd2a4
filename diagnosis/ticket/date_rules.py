"""Rules that read days: by number, by name, weekends, weeks, parts of a day."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import Final

from .calendar import Clock, Days, Part
from .clock_rules import minute_of, zone_named
from .time_names import (
    LAST,
    MONTH,
    MONTHS,
    NO_NUMBER,
    PART,
    PARTS,
    SHORT_DAYS,
    WEEKDAY,
    WEEKDAYS,
    ZONE,
    Element,
    Read,
    back,
    group,
    named_part,
    rule,
    today,
)


def recent(day: int, month: int, year: str | None, opened: datetime) -> Days | None:
    """That date; without a year the last one that is not after the ticket. None where there is no such date."""
    years = [opened.year, opened.year - 1] if not year else [int(year) + (2000 if len(year) == 2 else 0)]
    for candidate in years:
        try:
            found = date(candidate, month, day)
        except ValueError:
            continue
        if found <= opened.date() + timedelta(days=1):
            return Days(found, found)
    return None


def _iso(found: re.Match[str], opened: datetime) -> Element | None:
    element = _numbered(found, opened)
    if element is None or not found["hour"]:
        return element
    minute = minute_of(found["hour"], found["minute"])
    zone = UTC if found["z"] else zone_named(found["zone"])
    return None if minute is None else element._replace(clock=Clock(minute, exact=True, zone=zone))


def _numbered(found: re.Match[str], opened: datetime) -> Element | None:
    days = recent(int(found["day"]), int(found["month"]), group(found, "year"), opened)
    return Element(days=days) if days else None


def _slashed(found: re.Match[str], opened: datetime) -> Element | None:
    """11/28/2026 as in America, 28/11/2026 as elsewhere; where both are dates, the later that is not to come."""
    one, two, year = int(found["one"]), int(found["two"]), group(found, "year")
    known = [days for days in (recent(two, one, year, opened), recent(one, two, year, opened)) if days is not None]
    return Element(days=max(known)) if known else None


def _month_date(found: re.Match[str], opened: datetime) -> Element | None:
    if found["month"] == "may" and not (found["year"] or found["ordinal"]):
        return None  # "it may 5 times": the month is written May
    days = recent(int(found["day"]), MONTHS[found["month"].lower()], found["year"], opened)
    return Element(days=days) if days else None


def _of_month(found: re.Match[str], opened: datetime) -> Element | None:
    """ "On the 28th": the last one."""
    for month in (opened.month, (opened.month - 2) % 12 + 1):
        days = recent(int(found["day"]), month, None, opened)
        if days is not None and days.first <= opened.date():
            return Element(days=days)
    return None


def _weekday(found: re.Match[str], opened: datetime) -> Element | None:
    name, cue = found["weekday"], (found["cue"] or "").lower()
    if name.lower() in SHORT_DAYS and not (cue or name[0].isupper()):
        return None  # "I sat", "the sun"
    since = (opened.date().weekday() - WEEKDAYS[name.lower()]) % 7
    if since == 0 and re.match(LAST, cue):
        since = 7
    part = named_part(found["part"]) if found["part"] else None
    return Element(days=back(opened, since), part=part)


def _weekend(found: re.Match[str], opened: datetime) -> Element:
    """The last one; on a Saturday or Sunday the present one, unless it is called the last."""
    since_saturday = (opened.date().weekday() - 5) % 7
    if since_saturday < 2 and re.match(LAST, found["cue"], re.IGNORECASE):
        since_saturday += 7
    return Element(days=back(opened, since_saturday, max(since_saturday - 1, 0)))


def _week(found: re.Match[str], opened: datetime) -> Element:
    monday = opened.date().weekday()
    if re.match(r"this|dies", found["cue"], re.IGNORECASE):
        return Element(days=back(opened, monday, 0))
    return Element(days=back(opened, monday + 7, monday + 1))


def _last_month(_found: re.Match[str], opened: datetime) -> Element:
    last = opened.date().replace(day=1) - timedelta(days=1)
    return Element(days=Days(last.replace(day=1), last, vague=True))


def _part(found: re.Match[str], _opened: datetime) -> Element:
    return Element(part=named_part(found["part"]), needs_day=not found["cue"])


def _this_part(found: re.Match[str], opened: datetime) -> Element:
    return Element(days=today(opened), part=named_part(found["part"]))


def _days_back(first: int, last: int | None = None, *, part: Part | None = None, vague: bool = False) -> Read:
    """A word that always means so many days before the ticket."""
    return lambda _found, opened: Element(days=back(opened, first, last, vague=vague), part=part)


def _today(part: Part | None = None) -> Read:
    """A word that means the day of the ticket."""
    return lambda _found, opened: Element(days=today(opened), part=part)


def _tomorrow(found: re.Match[str], _opened: datetime) -> Element | None:
    """To come. German says "heute Morgen um 9" and "Montag Morgen um 9" with the same word of a part of the day."""
    said = found[0].split()[0].lower()
    return None if said == "morgen" and _DAY_BEFORE.search(found.string[: found.start()]) else Element(void=True)


def _night_to(found: re.Match[str], opened: datetime) -> Element:
    """ "In der Nacht (von Freitag) auf Samstag" begins on the day before."""
    since = (opened.date().weekday() - WEEKDAYS[found["weekday"].lower()]) % 7
    return Element(days=back(opened, since + 1), part=PARTS["nacht"])


_DAY_BEFORE: Final = re.compile(rf"\b(?:heute|gestern|vorgestern|am|diesen|jenem|{WEEKDAY})\s+$", re.IGNORECASE)
_ORDINAL = r"(?P<ordinal>st|nd|rd|th|\.)?"

DATE_RULES: Final = (
    rule(
        r"(?<![\w/.-])(?P<year>\d{4})[-/.](?P<month>\d\d?)[-/.](?P<day>\d\d?)"
        rf"(?:[T ](?P<hour>\d\d):(?P<minute>\d\d)(?::\d\d(?:[.,]\d+)?)?(?:(?P<z>Z\b)|{ZONE}))?(?![\d-])",
        _iso,
    ),
    rule(
        r"(?<![\w/.,-])(?P<day>\d\d?)\.\s?(?P<month>0?[1-9]|1[0-2])\.(?P<year>\d{4}|\d\d(?!\d|:))?(?![\d.]*\d)",
        _numbered,
    ),
    rule(r"(?:(?<=\bam )|(?<=\bvom ))(?P<day>\d\d?)\.(?P<month>0?[1-9]|1[0-2])(?![\d.])", _numbered),
    rule(r"(?<![\w/.,-])(?P<one>\d\d?)/(?P<two>\d\d?)/(?P<year>\d{4}|\d\d)(?![\d/])", _slashed),
    rule(r"(?<=\bon )(?P<one>\d\d?)/(?P<two>\d\d?)(?![\d/])", _slashed),
    rule(
        rf"{NO_NUMBER}(?P<day>\d\d?){_ORDINAL}\s*(?:of\s+)?(?P<month>{MONTH})\b\.?(?:,?\s+(?P<year>20\d\d))?",
        _month_date,
    ),
    rule(
        rf"\b(?P<month>{MONTH})\b\.?\s+(?P<day>\d\d?){_ORDINAL}(?![\d:]|\.\d|\s*[ap]\.?m\b)(?!\w)"
        r"(?:,?\s+(?P<year>20\d\d))?",
        _month_date,
    ),
    rule(
        r"\b(?:on|am) (?:the )?(?P<day>\d\d?)(?:st|nd|rd|th|\.)(?!\w|\.\d)(?!\s*(?:percent|%|floor|place|try))",
        _of_month,
    ),
    rule(r"\b(?:the )?day before yesterday\b|\bvorgestern\b", _days_back(2)),
    rule(r"\byesterday\b|\bgestern\b", _days_back(1)),
    rule(r"\b(?:earlier )?today\b|\bheute\b|\bvorhin\b", _today()),
    rule(
        rf"\b(?:in der |die )?nacht (?:vo[nm] (?:{WEEKDAY}) )?(?:auf|zum?) (?:den )?(?P<weekday>{WEEKDAY})\b",
        _night_to,
    ),
    rule(r"\btonight\b", _today(Part(17 * 60, 28 * 60))),
    rule(r"\blast night\b|\bletzte nacht\b|\bovernight\b|\büber nacht\b", _days_back(1, part=PARTS["night"])),
    rule(r"\btomorrow\b|\bmorgen\s+(?=um|gegen|früh|ab|bis)|\bübermorgen\b", _tomorrow),
    rule(rf"\b(?:this|diese[nrms]?)\s+(?P<part>{PART})\b", _this_part),
    rule(
        rf"(?:\b(?P<cue>on|{LAST}|this|am|diesen|vom)\s+)?\b(?P<weekday>{WEEKDAY})(?:s?(?P<part>{PART})s?)?\b(?!')",
        _weekday,
    ),
    rule(
        rf"\b(?P<cue>over|at|on|during|this|{LAST}|am|übers?|über das|dieses)\s+(?:the\s+|last\s+|letzten\s+)?"
        r"(?:weekend|wochenende)\b",
        _weekend,
    ),
    rule(rf"\b(?P<cue>{LAST}|this|dieser?)\s+(?:week|woche)\b", _week),
    rule(rf"\b(?:{LAST})\s+(?:month|monat)\b", _last_month),
    rule(r"\b(?:the other day|recently|lately|neulich|kürzlich|letztens)\b", _days_back(8, 0, vague=True)),
    rule(rf"\b(?:(?P<cue>in the|at|during the|am|in der)\s+)?(?P<part>{PART})s?\b", _part),
)
