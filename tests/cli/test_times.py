"""Times at the command line."""

from __future__ import annotations

import time

import pytest
from goldrank.commands.times import local_time, parse_time, zone_name
from goldrank.model import UsageError

NOW = 1_793_275_200_000_000_000
"""29 October 2026, 12:00 UTC."""
HOUR = 3600 * 1_000_000_000


@pytest.fixture(autouse=True)
def berlin(monkeypatch):
    """A zone that is not UTC, and has summer time."""
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2h", NOW - 2 * HOUR),
        ("3d", NOW - 72 * HOUR),
        ("2026-10-29", NOW - 13 * HOUR),
        ("2026-10-29T13:00", NOW),
        ("2026-10-29T12:00+00:00", NOW),
        ("2026-10-29T12:00:00.000001+00:00", NOW + 1000),
    ],
)
def test_a_time_is_read_in_the_local_zone(text, expected):
    """A day begins where the person is; a named zone is obeyed."""
    assert parse_time(text, now_ns=NOW) == expected


def test_the_last_day_is_included():
    """`--until 2026-10-29` goes to the end of that day, also on the day with 25 hours."""
    assert parse_time("2026-10-29", now_ns=NOW, end_of_day=True) == NOW + 11 * HOUR
    begin = parse_time("2026-10-25", now_ns=NOW)
    assert parse_time("2026-10-25", now_ns=NOW, end_of_day=True) - begin == 25 * HOUR


def test_what_is_no_time_is_refused_with_the_forms():
    """The message shows what can be written."""
    with pytest.raises(UsageError, match="'yesterday' is no time: write 2026-11-30"):
        parse_time("yesterday", now_ns=NOW)


def test_times_are_shown_in_the_local_zone_and_it_is_named():
    """Summer and winter differ."""
    assert (local_time(NOW), zone_name(NOW)) == ("2026-10-29 13:00", "CET")
    assert zone_name(NOW - 30 * 24 * HOUR) == "CEST"
