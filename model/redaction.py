"""Redaction of what people write: e-mail addresses, phone numbers, card numbers, IBANs. Each text -> text.

    redact_all("Mail ann@example.org or call +49 30 1234567")  ->  "Mail [e-mail] or call [phone]"

They hide what looks like one with few mistakes (a card number must pass the Luhn check, an IBAN its checksum),
so that order numbers and error codes stay readable. They are no guarantee that a text names nobody.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

Redaction = Callable[[str], str]
"""A pure function from a text to the text that may be kept."""

HIDDEN_TEXT = "[hidden: redaction failed]"
"""Stands for a text whose redaction function failed."""

_EMAIL = re.compile(r"[\w.+%-]{1,64}@(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,24}\b")
_CARD = re.compile(r"(?<![\w.+-])(?:\d[ -]?){12,18}\d(?![\w-]|\.\d)")
_IBAN = re.compile(r"(?<![0-9A-Za-z])[A-Za-z]{2}\d{2}(?: ?[0-9A-Za-z]{4}){2,7}(?: ?[0-9A-Za-z]{1,3})?(?![0-9A-Za-z])")
_PHONE = re.compile(
    r"(?<![\w.,/#+-])"
    r"(?:(?:\+|00)\d{1,3}(?:[ ./-]?\(?0?\)?)?(?:[ ./-]?\(?\d{1,5}\)?){2,6}"
    r"|\(0?\d{2,5}\)[ ./-]?\d{2,5}(?:[ ./-]?\d{2,5}){1,3}"
    r"|0\d{2,5}[ /-]\d{2,5}(?:[ /-]?\d{2,5}){0,3}"
    r"|\d{3}[-.]\d{3}[-.]\d{4})"
    r"(?![\w-]|\.\d)"
)
_PHONE_DIGITS = range(7, 16)
"""A telephone number has 7 to 15 digits (ITU-T E.164 allows 15)."""


def redact_email(text: str) -> str:
    """`text` with every e-mail address replaced by "[e-mail]"."""
    return _EMAIL.sub("[e-mail]", text) if "@" in text else text


def redact_phone(text: str) -> str:
    """`text` with telephone numbers replaced by "[phone]".

    Taken for one: international numbers (+49 …, 0049 …), an area code in brackets or with a leading 0 followed
    by a separator, and 555-123-4567. A bare run of digits is none: it is an order number as often as not.
    """
    return _PHONE.sub(_phone_or_same, text)


def redact_card(text: str) -> str:
    """`text` with payment card numbers (13 to 19 digits that pass the Luhn check) replaced by "[card]"."""
    return _CARD.sub(lambda found: "[card]" if _passes_luhn(found.group()) else found.group(), text)


def redact_iban(text: str) -> str:
    """`text` with every IBAN whose checksum is right (ISO 13616, modulo 97) replaced by "[iban]"."""
    return _IBAN.sub(_iban_or_same, text)


BUILT_INS: Mapping[str, Redaction] = MappingProxyType(
    {"email": redact_email, "iban": redact_iban, "card": redact_card, "phone": redact_phone}
)
"""Name -> function, in the order in which they are applied: a card number must not be taken for a phone number."""


def redact_all(text: str) -> str:
    """`text` after every built-in."""
    for redact in BUILT_INS.values():
        text = redact(text)
    return text


def _phone_or_same(found: re.Match[str]) -> str:
    digits = sum(character.isdigit() for character in found.group())
    return "[phone]" if digits in _PHONE_DIGITS else found.group()


def _passes_luhn(number: str) -> bool:
    digits = [int(character) for character in reversed(number) if character.isdigit()]
    doubled = (sum(divmod(2 * digit, 10)) for digit in digits[1::2])
    return len(set(digits)) > 1 and (sum(digits[::2]) + sum(doubled)) % 10 == 0


def _iban_or_same(found: re.Match[str]) -> str:
    """ "[iban]" for the longest beginning of the find that is one, with the rest kept: words may follow it."""
    words = found.group().split(" ")
    for end in range(len(words), 0, -1):
        number = "".join(words[:end])
        if len(number) >= 15 and _passes_mod97(number):
            return " ".join(["[iban]", *words[end:]])
    return found.group()


def _passes_mod97(number: str) -> bool:
    turned = (number[4:] + number[:4]).upper()
    return int("".join(str(int(character, 36)) for character in turned)) % 97 == 1
