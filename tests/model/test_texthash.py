"""What makes two texts the same."""

from __future__ import annotations

import random
import unicodedata

from goldrank.model.texthash import normalise_text

PIECES = (
    "a",
    " ",
    "  ",
    "\n",
    "\t",
    "é",
    "e\u0301",
    "\u00a0",
    "\u3000",
    "\u2028",
    "\x1c",
    "\u200b",
    "\ud800",
    "\u0958",
)


def test_no_white_space_but_the_space_is_printable():
    """By that a text is taken for normalised already."""
    assert [char for char in map(chr, range(0x110000)) if char.isspace() and char.isprintable()] == [" "]


def test_texts_are_normalised_whatever_is_in_them():
    """NFC, each run of white space one space, none at the ends: also where it looks as if nothing was to be done."""
    pick = random.Random(1)
    for _ in range(20_000):
        text = "".join(pick.choices(PIECES, k=pick.randrange(7)))
        assert normalise_text(text) == " ".join(unicodedata.normalize("NFC", text).split()), ascii(text)
