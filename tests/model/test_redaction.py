"""Redaction: what is hidden, and what must stay readable."""

from __future__ import annotations

import pytest
from goldrank.model.redaction import BUILT_INS, redact_all, redact_card, redact_email, redact_iban, redact_phone


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mail ann@example.org now", "Mail [e-mail] now"),
        ("<ann.lee+x@mail.example.co.uk>", "<[e-mail]>"),
        ("ann@example.org.", "[e-mail]."),
        ("jörg@müller.de", "[e-mail]"),
        ("@ann wrote to team@localhost", "@ann wrote to team@localhost"),
        ("price @ 3.50", "price @ 3.50"),
    ],
)
def test_email(text, expected):
    """Addresses are hidden; mentions and hosts without a domain are none."""
    assert redact_email(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("call +49 30 1234567 today", "call [phone] today"),
        ("call +49 (0)30 123 45 67.", "call [phone]."),
        ("0049 30 1234567", "[phone]"),
        ("(030) 123 4567", "[phone]"),
        ("030 1234567", "[phone]"),
        ("030/1234567", "[phone]"),
        ("555-123-4567", "[phone]"),
        ("+1-555-123-4567", "[phone]"),
        ("order 1234567890", "order 1234567890"),
        ("error E-4012, version 3.5.12", "error E-4012, version 3.5.12"),
        ("on 2026-10-29 at 12:30", "on 2026-10-29 at 12:30"),
        ("from 10.0.0.1", "from 10.0.0.1"),
        ("between 10 and 20", "between 10 and 20"),
        ("1.234.567,89 EUR", "1.234.567,89 EUR"),
        ("page 0 of 12", "page 0 of 12"),
    ],
)
def test_phone(text, expected):
    """Numbers as people write telephones are hidden; order numbers, dates, versions, prices and addresses are not."""
    assert redact_phone(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("4111 1111 1111 1111", "[card]"),
        ("card 5500-0000-0000-0004 ends", "card [card] ends"),
        ("378282246310005", "[card]"),
        ("4111 1111 1111 1112", "4111 1111 1111 1112"),
        ("invoice 1234567890123456", "invoice 1234567890123456"),
        ("0000 0000 0000 0000", "0000 0000 0000 0000"),
        ("trace 4bf92f3577b34da6a3ce929d0e0e4736", "trace 4bf92f3577b34da6a3ce929d0e0e4736"),
    ],
)
def test_card(text, expected):
    """Only what passes the Luhn check is a card number."""
    assert redact_card(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("IBAN DE89 3704 0044 0532 0130 00 please", "IBAN [iban] please"),
        ("DE89370400440532013000", "[iban]"),
        ("gb82 west 1234 5698 7654 32", "[iban]"),
        ("FR14 2004 1010 0505 0001 3M02 606 and more", "[iban] and more"),
        ("DE89 3704 0044 0532 0130 01", "DE89 3704 0044 0532 0130 01"),
        ("part AB12 CDEF 3456 GHIJ", "part AB12 CDEF 3456 GHIJ"),
    ],
)
def test_iban(text, expected):
    """Only what passes the checksum is an IBAN; words behind it stay."""
    assert redact_iban(text) == expected


def test_all_in_one_text():
    """Each is hidden as what it is."""
    text = "ann@example.org, +49 30 1234567, 4111 1111 1111 1111, DE89 3704 0044 0532 0130 00, order 4711"
    assert redact_all(text) == "[e-mail], [phone], [card], [iban], order 4711"


@pytest.mark.parametrize("name", BUILT_INS)
@pytest.mark.parametrize("text", ["", "nothing here", "€ 漢字 \ud800", "0" * 50_000, "a@" * 20_000, "AB12 " * 10_000])
def test_any_text_is_taken(name, text):
    """No text breaks a built-in or keeps it busy (the time limit of the test would say so)."""
    assert isinstance(BUILT_INS[name](text), str)
