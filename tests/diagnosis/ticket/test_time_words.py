"""Times in tickets, English and German, read on Monday 30 November 2026, 09:30 in Berlin."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from goldrank.diagnosis.ticket.time_words import read_times

BERLIN = ZoneInfo("Europe/Berlin")
OPENED = datetime(2026, 11, 30, 9, 30, tzinfo=BERLIN)


def local(at_ns: int | None) -> str:
    """ "Sun 29 17:00", in Berlin."""
    return "" if at_ns is None else datetime.fromtimestamp(at_ns / 1e9, UTC).astimezone(BERLIN).strftime("%a %d %H:%M")


MOMENTS = [
    ("yesterday around 5pm", "Sun 29 17:00"),
    ("last Tuesday around noon", "Tue 24 12:00"),
    ("gestern gegen 17 Uhr", "Sun 29 17:00"),
    ("28.11.2026 um 14 Uhr", "Sat 28 14:00"),
    ("at 5 yesterday", "Sun 29 17:00"),
    ("On Friday at 14:05", "Fri 27 14:05"),
    ("heute früh um halb neun", "Mon 30 08:30"),
    ("vor einer halben Stunde", "Mon 30 09:00"),
    ("2 hours ago", "Mon 30 07:30"),
    ("2026-11-28T14:05Z", "Sat 28 15:05"),
    ("28 Nov 2026, 16:40 (CET)", "Sat 28 16:40"),
    ("3 pm EST yesterday", "Sun 29 21:00"),
    ("November 28th at 3.30pm", "Sat 28 15:30"),
    ("11/28/2026 3pm", "Sat 28 15:00"),
    ("yesterday afternoon at 3", "Sun 29 15:00"),
    ("letzten Freitag so gegen 15:30", "Fri 27 15:30"),
    ("at 11pm", "Sun 29 23:00"),
    ("14 Uhr 30", "Sun 29 14:30"),
    ("yesterday, shortly before 6 in the evening", "Sun 29 18:00"),
    ("at about quarter past two yesterday", "Sun 29 14:15"),
    ("yesterday at 17h30", "Sun 29 17:30"),
    ("last Fri at ~2pm", "Fri 27 14:00"),
    ("an hour or so ago", "Mon 30 08:30"),
    ("heute Morgen um 9 Uhr", "Mon 30 09:00"),
    ("Montag Morgen um kurz nach acht", "Mon 30 08:00"),
    ("gestern Morgen gegen acht", "Sun 29 08:00"),
    ("this morning shortly after nine", "Mon 30 09:00"),
    ("yesterday at 17:00 UTC+2", "Sun 29 16:00"),
    ("at 12:30", "Sun 29 12:30"),
]


@pytest.mark.parametrize(("text", "moment"), MOMENTS, ids=[text for text, _ in MOMENTS])
def test_a_clock_is_a_moment_with_time_beside_it(text: str, moment: str) -> None:
    """The one moment meant, inside its window, and never after the ticket."""
    (window,) = read_times(f"It was wrong, {text} I think.", OPENED)
    assert local(window.at_ns) == moment
    assert window.begin_ns < (window.at_ns or 0) <= window.end_ns
    assert window.begin_ns <= OPENED.timestamp() * 1e9


WINDOWS = [
    ("in der Nacht auf Samstag", "Fri 27 20:00", "Sat 28 05:00"),
    ("in der Nacht von Freitag auf Samstag", "Fri 27 20:00", "Sat 28 05:00"),
    ("over the weekend", "Sat 28 00:00", "Mon 30 00:00"),
    ("am Wochenende", "Sat 28 00:00", "Mon 30 00:00"),
    ("a few minutes ago", "Mon 30 09:00", "Mon 30 09:30"),
    ("this morning", "Mon 30 05:00", "Mon 30 09:30"),
    ("am Dienstag Nachmittag", "Tue 24 12:00", "Tue 24 18:00"),
    ("Dienstagabend", "Tue 24 17:00", "Tue 24 23:00"),
    ("last night", "Sun 29 18:00", "Mon 30 04:00"),
    ("vorgestern", "Sat 28 00:00", "Sun 29 00:00"),
    ("between 2 and 3 pm yesterday", "Sun 29 14:00", "Sun 29 15:00"),
    ("zwischen 14 und 15 Uhr", "Sun 29 14:00", "Sun 29 15:00"),
    ("last week on Tuesday", "Tue 24 00:00", "Wed 25 00:00"),
    ("Saturday, 28 November", "Sat 28 00:00", "Sun 29 00:00"),
    ("on the 28th", "Sat 28 00:00", "Sun 29 00:00"),
    ("vor ein paar Tagen", "Mon 23 00:00", "Sun 29 00:00"),
    ("since yesterday", "Sun 29 00:00", "Mon 30 09:30"),
    ("seit Freitag", "Fri 27 00:00", "Mon 30 09:30"),
    ("three days ago in the evening", "Fri 27 17:00", "Fri 27 23:00"),
]


@pytest.mark.parametrize(("text", "begin", "end"), WINDOWS, ids=[text for text, _, _ in WINDOWS])
def test_days_and_parts_of_days_are_windows(text: str, begin: str, end: str) -> None:
    """In the zone of the ticket, cut at the ticket, with the words they came from."""
    (window,) = read_times(f"So {text} it failed.", OPENED)
    assert (local(window.begin_ns), local(window.end_ns), window.at_ns) == (begin, end, None)
    assert window.words == text


@pytest.mark.parametrize(
    "text",
    [
        "error 4711",
        "version 3.5 of may",
        "We lost half a day",
        "24/7 support",
        "within 14 days",
        "I have 30 days left",
        "Section 3.5. of the contract",
        "it may 5 times fail",
        "ratio 16:9",
        "at 100%",
        "I sat there in the sun",
        "port 8080 at 10.0.0.1:2379",
        "v1.2.3",
        "Good morning team",
        "Guten Abend",
        "open Monday to Friday",
        "next Monday at 5pm",
        "due by Friday",
        "tomorrow at 5pm",
        "it costs 5.50 at 3 shops",
        "born on 12.03.1999",
        "morgen um 9",
        "around eight people asked",
        "um zwei Dokumente gekürzt",
        "by two more",
    ],
)
def test_what_is_no_time_of_a_request_gives_none(text: str) -> None:
    """Numbers, versions, deadlines, opening hours, greetings, and what is still to come."""
    assert read_times(text, OPENED) == ()


def test_several_times_stand_in_their_order() -> None:
    """Each with its own place in the text."""
    text = "Yesterday at 5pm it was right, this morning it was wrong."
    windows = read_times(text, OPENED)
    assert [text[slice(*one.place)] for one in windows] == ["Yesterday at 5pm", "this morning"]


@pytest.mark.parametrize(
    ("text", "begin", "end"),
    [
        ("this morning", "Sun 29 05:00", "Sun 29 12:00"),
        ("heute Nachmittag", "Sun 29 12:00", "Sun 29 18:00"),
        ("tonight", "Sun 29 17:00", "Mon 30 00:48"),
        ("today", "Sun 29 00:00", "Mon 30 00:48"),
        ("today at 5pm", "Sun 29 16:00", "Sun 29 18:00"),
        ("today at 00:30", "Mon 30 00:10", "Mon 30 00:48"),
        ("on 29 November", "Sun 29 00:00", "Mon 30 00:00"),
    ],
)
def test_in_the_small_hours_the_day_before_is_not_over(text: str, begin: str, end: str) -> None:
    """Who writes at 0:48 of "this morning" has not slept since."""
    (window,) = read_times(f"So {text} it failed.", OPENED.replace(hour=0, minute=48))
    assert (local(window.begin_ns), local(window.end_ns)) == (begin, end)


def test_the_zone_decides_what_yesterday_is() -> None:
    """Half past midnight in Berlin is still yesterday in New York."""
    at = datetime(2026, 11, 30, 0, 30, tzinfo=BERLIN)
    (berlin,) = read_times("yesterday", at)
    (york,) = read_times("yesterday", at.astimezone(ZoneInfo("America/New_York")))
    assert york.begin_ns == berlin.begin_ns - 18 * 3600 * 10**9


def test_a_long_ticket_is_read_in_time() -> None:
    """Whatever somebody pastes: the rules look at each place a bounded number of times."""
    assert len(read_times("at 5 on the 3. of may, 1.1. 11:11 between 1 and " * 2000, OPENED)) <= 6
