"""Ids that a person would take for the same, and that are not: named, never counted."""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal
from urllib.parse import unquote

_LEADING_ZEROS = re.compile(r"(?<!\d)0+(?=\d)")
_NOT_HEX = re.compile(r"urn:uuid:|[-{}]")
_UUID = re.compile(r"[0-9a-f]{32}")
_NUMBER = re.compile(r"[+-]?\d{1,40}(\.\d{1,40})?([eE][+-]?\d{1,3})?", re.ASCII)
_WHOLE_NUMBER = re.compile(r"(\d+)\.0+$")


def near_miss(labelled: str, found: str) -> str | None:
    """How `found` resembles `labelled`, in words; None where it does not, or is the same text.

    `near_miss("042", "42")` is "looks like 42".
    """
    if labelled == found:
        return None
    if unicodedata.normalize("NFC", labelled) == unicodedata.normalize("NFC", found):
        return f"is the same after Unicode normalisation as {found}"
    uuid = _uuid(labelled)
    if uuid is not None and uuid == _uuid(found):
        return f"is the same UUID, other spelling, as {found}"
    if _plain(labelled) == _plain(found):
        return f"looks like {found}"
    if _same_number(labelled, found):
        return f"is the same number as {found}, but another text"
    return None


def _same_number(one: str, other: str) -> bool:
    """Whether both are numbers in another writing ("1e3" and "1000"), as a table calculation makes them."""
    if not (_NUMBER.fullmatch(one.strip()) and _NUMBER.fullmatch(other.strip())):
        return False
    return Decimal(one.strip()) == Decimal(other.strip())


def _uuid(text: str) -> str | None:
    digits = _NOT_HEX.sub("", text.strip().lower())
    return digits if _UUID.fullmatch(digits) else None


def _plain(text: str) -> str:
    """Without what the eye does not see (signs of width zero), case, outer spaces, %20 and leading zeros."""
    seen = "".join(one for one in unquote(text) if unicodedata.category(one) != "Cf")
    folded = " ".join(unicodedata.normalize("NFKC", seen).casefold().split())
    return _LEADING_ZEROS.sub("", _WHOLE_NUMBER.sub(r"\1", folded))
