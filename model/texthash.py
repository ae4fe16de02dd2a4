"""The one definition of "the same text".

Two texts are the same when their normalised forms are equal: Unicode NFC, every run of white space one
space, none at the ends, case kept. It is applied after redaction, so what is compared is what is stored.
"""

from __future__ import annotations

import hashlib
import unicodedata

DERIVED_ID_PREFIX = "sha256:"
"""Marks a chunk id that was made from the chunk's text because the app gave none."""


def normalise_text(text: str) -> str:
    """`text` in NFC with white space collapsed and none at the ends; case kept."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    # White space other than single spaces is not printable. Looking is quicker than taking apart.
    if text.isprintable() and "  " not in text and text[:1] != " " and text[-1:] != " ":
        return text
    return " ".join(text.split())


def text_hash(text: str) -> str:
    """32 hex digits (128 bits of SHA-256) of the normalised text. The empty text has a hash too."""
    return hashlib.sha256(normalise_text(text).encode("utf-8", "replace")).hexdigest()[:32]


def derived_chunk_id(text: str) -> str:
    """The chunk id of a chunk that came without one: `sha256:` and the first 16 digits of its text hash."""
    return DERIVED_ID_PREFIX + text_hash(text)[:16]
