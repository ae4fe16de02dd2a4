"""Rules that read times of day, and how long ago something was."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone, tzinfo
from typing import Final

from .calendar import DAY_S, HOUR_S, Clock, Span
from .time_names import (
    ABOUT,
    COUNT,
    COUNTS,
    NO_NUMBER,
    ZONE,
    ZONES,
    Element,
    Read,
    back,
    group,
    number_of,
    rule,
    unit_seconds,
)

_APPROXIMATELY = re.compile(r"around|about|approx|by|gegen|ca\b|circa|ungefähr|etwa|kurz|shortly|just", re.IGNORECASE)
_SPOKEN = {
    "half past": 30,
    "halb": -30,
    "quarter past": 15,
    "viertel nach": 15,
    "quarter to": -15,
    "viertel vor": -15,
}
"""Minutes beside the hour: German "halb drei" is half past two."""


def minute_of(hour: str, minute: str | None, half: str | None = None) -> int | None:
    """Minutes from midnight; None where it is no time of day. `half` is "am" or "pm" in some spelling."""
    hours, minutes = int(hour), int(minute or 0)
    if minutes > 59 or hours > 24 or (half and not 1 <= hours <= 12):
        return None
    if half:
        hours = hours % 12 + (12 if half.lower().startswith("p") else 0)
    return hours * 60 + minutes


def zone_named(name: str | None) -> tzinfo | None:
    """The zone of "CET" or "UTC+1"; None where none is named."""
    if not name or name in ZONES:
        return ZONES[name] if name else None
    digits = re.sub(r"[^\d+-]", "", name)
    hours, minutes = int(digits[1:3]), int(digits[3:5] or 0)
    if hours > 14 or minutes > 59:
        return None
    return timezone((-1 if digits[0] == "-" else 1) * timedelta(hours=hours, minutes=minutes))


def _clock(found: re.Match[str], _opened: datetime) -> Element | None:
    half, said = group(found, "half"), group(found, "minute")
    hour = number_of(found["hour"])
    minute = None if hour is None else minute_of(str(int(hour)), said, half)
    if minute is None:
        return None
    twelve = half is None and 0 < minute < 12 * 60 and not found["hour"].startswith("0")
    exact = bool(said) and not _APPROXIMATELY.match(found[0])
    clock = Clock(minute, exact=exact, twelve=twelve, zone=zone_named(group(found, "zone")))
    return Element(clock=clock, needs_day=group(found, "bare") is not None)


def _hour_and_minute(found: re.Match[str], opened: datetime) -> Element | None:
    """14 Uhr, 14.30 Uhr, 14 Uhr 30, 14h30."""
    element = _clock(found, opened)
    behind = found["behind"] or found["minutes"]
    if element is None or element.clock is None or not behind or int(behind) > 59:
        return element
    return element._replace(clock=element.clock._replace(minute=element.clock.minute + int(behind), exact=True))


def _between(found: re.Match[str], _opened: datetime) -> Element | None:
    """Between two times of day. One "pm" counts for both; without any sign of a clock it is none."""
    first, second = found["half"], found["half2"]
    if not (first or second or found["uhr"] or (found["minute"] and found["minute2"])):
        return None
    begin, end = (
        minute_of(found["hour"], found["minute"], first or second),
        minute_of(found["hour2"], found["minute2"], second),
    )
    if begin is None or end is None:
        return None
    if second and not first and begin > end:
        begin -= 720  # 11 to 1 pm
    twelve = not (first or second) and begin < 13 * 60 and end < 13 * 60
    return Element(clock=Clock(max(begin, 0), until=end, twelve=twelve, zone=zone_named(found["zone"])))


def _spoken(found: re.Match[str], _opened: datetime) -> Element | None:
    """ "Half past two", "quarter to three", "halb drei", "viertel nach drei"."""
    hour = number_of(found["hour"])
    if hour is None or not 1 <= hour <= 12:
        return None
    how = " ".join(found["how"].lower().replace("a quarter", "quarter").split())
    return Element(clock=Clock(int(hour) * 60 + _SPOKEN[how], exact=True, twelve=True))


def _at(minute: int) -> Read:
    return lambda _found, _opened: Element(clock=Clock(minute))


def _ago(found: re.Match[str], opened: datetime) -> Element | None:
    unit_s = unit_seconds(found["unit"])
    count = 0.5 if found["half"] else number_of(found["count"])
    if count is None or unit_s is None:
        return None
    return _back_by((count + (0.5 if found["and_half"] else 0.0)) * unit_s, unit_s, opened)


def _few_ago(found: re.Match[str], opened: datetime) -> Element | None:
    """ "A few minutes ago" is up to half an hour, "a few days ago" two to seven."""
    unit_s = unit_seconds(found["unit"])
    if unit_s is None:
        return None
    if unit_s >= DAY_S:
        days = round(unit_s / DAY_S)
        return Element(days=back(opened, 7 * days, 2 * days, vague=True))
    short = unit_s < HOUR_S
    least_s, most_s = (0.0, 1800.0) if short else (1.5 * unit_s, 6 * unit_s)
    begin, end = opened - timedelta(seconds=most_s), opened - timedelta(seconds=least_s)
    return Element(span=Span(begin, end, None, 0.5 * HOUR_S if short else HOUR_S))


def _back_by(amount_s: float, unit_s: float, opened: datetime) -> Element | None:
    if amount_s > 800 * DAY_S:
        return None
    days = round(amount_s / DAY_S)
    if unit_s >= 7 * DAY_S:
        beside = 1 if unit_s == 7 * DAY_S else 10
        return Element(days=back(opened, days + beside, max(days - beside, 0), vague=True))
    if unit_s == DAY_S and amount_s >= DAY_S:
        return Element(days=back(opened, days))
    at, beside_s = opened - timedelta(seconds=amount_s), max(600.0, 0.35 * amount_s)
    aside = timedelta(seconds=beside_s)
    return Element(span=Span(at - aside, min(at + aside, opened), at, beside_s))


def _just_now(_found: re.Match[str], opened: datetime) -> Element:
    return Element(span=Span(opened - timedelta(minutes=30), opened, None, 0.5 * HOUR_S))


_HOUR = r"(?P<hour>\d\d?)(?:[:.](?P<minute>\d\d))?"
_HOUR2 = r"(?P<hour2>\d\d?)(?:[:.](?P<minute2>\d\d))?(?!\d)"
_HALF = r"(?P<half>[ap]m\b|[ap]\.m\.?)"
_HALF2 = r"(?P<half2>[ap]m\b|[ap]\.m\.?)"
_EN_UNIT = r"(?P<unit>seconds?|secs?|minutes?|mins?|hours?|hrs?|h|days?|weeks?|months?|moments?)"
_DE_UNIT = r"(?P<unit>sekunden?|sek\.?|minuten?|min\.?|stunden?|std\.?|tag(?:en?)?|wochen?|monat(?:en?)?)"
_NO_AMOUNT = (
    r"(?![.,:/]?\d|\s*(?:%|percent|prozent|€|\$|eur\b|usd\b|days?|tage?n?\b|min|hours?|weeks?|st\b|nd\b|rd\b|th\b))"
)

_SPOKEN_HOUR = "|".join(sorted((word for word, count in COUNTS.items() if 2 <= count <= 12), key=len, reverse=True))

CLOCK_RULES: Final = (
    rule(
        rf"\b(?:about |around |roughly |some )?(?:(?P<half>half an?)|(?P<count>\d{{1,3}}|{COUNT})(?: of)?)"
        rf"(?P<and_half> and a half)?\s*{_EN_UNIT}(?: or (?:so|two))?\s+(?:ago|earlier|back)\b",
        _ago,
    ),
    rule(
        r"\bvor\s+(?:etwa |ca\.? |ungefähr |rund |gut )?(?:(?P<half>eine[rm] halben)|"
        rf"(?P<count>\d{{1,3}}|{COUNT}))(?P<and_half>einhalb)?\s+{_DE_UNIT}(?!\w)",
        _ago,
    ),
    rule(rf"\b(?:a few|a couple(?: of)?|several|some|many)\s+{_EN_UNIT}\s+(?:ago|earlier|back)\b", _few_ago),
    rule(rf"\bvor\s+(?:ein paar|einigen|wenigen|mehreren)\s+{_DE_UNIT}(?!\w)", _few_ago),
    rule(r"\b(?:just|only|right) now\b|\ba (?:moment|minute|second) ago\b|\b(?:gerade eben|soeben)\b", _just_now),
    rule(
        rf"\b(?:between|from|zwischen|von)\s+{_HOUR}\s*{_HALF}?\s*(?:uhr\s*)?(?:and|to|-|–|until|und|bis)\s*"
        rf"{_HOUR2}\s*{_HALF2}?\s*(?P<uhr>uhr\b|o['’]?clock\b|h\b)?{ZONE}",
        _between,
    ),
    rule(
        rf"{NO_NUMBER}{_HOUR}\s*{_HALF}?\s*[-–]\s*{_HOUR2}\s*(?:{_HALF2}|(?P<uhr>uhr\b)){ZONE}",
        _between,
    ),
    rule(rf"{ABOUT}?{NO_NUMBER}{_HOUR}(?::\d\d)?\s*{_HALF}{ZONE}", _clock),
    rule(
        rf"{ABOUT}?{NO_NUMBER}{_HOUR}\s*(?:(?:uhr|h|hrs)\b(?:\s*(?P<behind>\d\d)\b(?![.:]))?|h(?P<minutes>\d\d)\b){ZONE}",
        _hour_and_minute,
    ),
    rule(
        rf"(?:{ABOUT}|\b(?:since|seit|ab)\s+|(?<=[\w.,]\s)|^)(?<![\w.:/-])"
        rf"(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)(?::[0-5]\d)?(?![\d:]){ZONE}",
        _clock,
    ),
    rule(
        rf"{ABOUT}?\b(?P<how>half past|(?:a )?quarter (?:past|to)|halb|viertel (?:vor|nach))\s+"
        rf"(?P<hour>\d\d?|{COUNT})\b(?![.:]?\d)",
        _spoken,
    ),
    rule(rf"{ABOUT}?\b(?P<hour>\d\d?|{COUNT})\s*o['’]?clock\b{ZONE}", _clock),
    rule(rf"(?<!\w){ABOUT}(?P<hour>{_SPOKEN_HOUR})(?P<bare>)\b{_NO_AMOUNT}(?!\s+\w+(?:s|en)\b)", _clock),
    rule(rf"{ABOUT}(?P<hour>\d\d?)(?P<bare>)\b{_NO_AMOUNT}", _clock),
    rule(rf"(?:{ABOUT})?\b(?:noon|midday|lunch(?: ?time)?|zu mittag|mittags)\b", _at(12 * 60)),
    rule(rf"(?:{ABOUT})?\b(?:midnight|mitternacht)\b", _at(24 * 60)),
)
