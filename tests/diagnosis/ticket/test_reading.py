"""Reading a ticket: ids, names, quotations, and the words that say what it is about."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from goldrank.diagnosis.ticket.reading import read_ticket
from goldrank.model import IdForm, UsageError
from goldrank.model.ticket import TicketReading

OPENED_NS = int(datetime(2026, 11, 30, 9, 30, tzinfo=ZoneInfo("Europe/Berlin")).timestamp()) * 10**9


def read(text: str) -> TicketReading:
    """As written on Monday morning in Berlin."""
    return read_ticket(text, opened_ns=OPENED_NS, zone="Europe/Berlin")


def test_a_whole_ticket() -> None:
    """The head dates it, the sentence names the time, the quotation is the answer's."""
    reading = read(
        "From: dana@northwind.example\nSent: 29 Nov 2026, 16:40 (CET)\n\n"
        "Hi, this afternoon your assistant told me I can only get a refund within 14 days. "
        'It even said the money is "credited to your account balance".\n\nBest regards\nDana Moor'
    )
    assert reading.opened_ns == int(datetime(2026, 11, 29, 15, 40, tzinfo=ZoneInfo("UTC")).timestamp()) * 10**9
    assert [window.words for window in reading.windows] == ["this afternoon"]
    assert reading.windows[0].end_ns == reading.opened_ns
    assert reading.quotes[0].text == "credited to your account balance"
    assert reading.quotes[0].marked
    assert {"dana@northwind.example", "Dana Moor"} <= set(reading.names)
    assert {"refund", "14", "days", "balance"} <= set(reading.words)
    assert {"hi", "assistant", "told", "regards", "dana", "afternoon"}.isdisjoint(reading.words)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Hi team, your bot told me that refunds take five days. Thanks, Ann", "refunds take five days"),
        ("Hello! I asked the assistant about parental leave and the answer was wrong.", "parental leave"),
        ("Hallo, Ihr Assistent hat gesagt, dass Backups unmöglich sind. Viele Grüße", "backups unmöglich"),
        ("Can you check this please: annual plans cannot be cancelled", "annual plans cancelled"),
    ],
)
def test_greetings_and_phrases_are_left_out(text: str, words: str) -> None:
    """What every ticket says tells nothing."""
    assert set(read(text).words) == set(words.split())


def test_a_ticket_of_phrases_keeps_its_words() -> None:
    """Nothing is not more than something."""
    assert read("your bot is wrong").words != ()


def test_names_with_signs_of_an_id_and_announced_ones() -> None:
    """ "u-17" anywhere, "anna" behind "user"; a plain word is none: a user may be called "test"."""
    names = read("The test failed for u-17. Also user anna, session 9f-x2.").names
    assert {"u-17", "anna", "9f-x2"} <= set(names)
    assert "test" not in names


def test_ids_are_found_and_are_no_words() -> None:
    """In any form."""
    trace = "7f3a9c12" + "0" * 23 + "1"
    reading = read(f"See {trace} please")
    assert [one.form for one in reading.ids] == [IdForm.TRACE]
    assert all("7f3a" not in word for word in reading.words)


def test_reported_speech_is_a_quotation_without_marks() -> None:
    """Behind marked ones."""
    reading = read("It told me that the free plan has no widgets. „Das geht leider gar nicht“ was the rest.")
    assert [(one.text, one.marked) for one in reading.quotes] == [
        ("Das geht leider gar nicht", True),
        ("the free plan has no widgets", False),
    ]


def test_short_quotations_are_terms() -> None:
    """ "SSO" is no sentence of an answer."""
    assert read('the page "SSO" and the "admin area"').quotes == ()


@pytest.mark.parametrize("zone", ["Mars/Olympus", "+9x", "../etc"])
def test_a_zone_that_is_none_is_refused(zone: str) -> None:
    """With what may be written instead."""
    with pytest.raises(UsageError, match="no zone"):
        read_ticket("x", opened_ns=OPENED_NS, zone=zone)


@pytest.mark.parametrize("opened_ns", [0, -5, 2**62])
def test_any_clock_is_survived(opened_ns: int) -> None:
    """A ticket may be dated by a broken clock."""
    assert read_ticket("yesterday around 5pm", opened_ns=opened_ns, zone="UTC").words != ("x",)


def test_nothing_and_anything_is_read() -> None:
    """No text fails."""
    for text in ("", " \n", "\x00\ud800", "((((", "> " * 500, "a" * 50_000, "„" * 1000, "9" * 5000):
        assert read(text).opened_ns == OPENED_NS
