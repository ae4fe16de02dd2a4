"""Text from traces on its way to a terminal: what would steer the terminal is shown as a mark instead."""

from __future__ import annotations

import re
from typing import Final

_C0_PICTURES: Final = 0x2400
"""U+2400 SYMBOL FOR NULL and its 31 successors; U+2421 is the one for DEL."""
_DELETE: Final = 0x7F
_DELETE_PICTURE: Final = "\u2421"

# C1 controls steer 8-bit terminals; bidirectional marks reorder what stands beside them; line and paragraph
# separators break a line; a lone surrogate cannot be written at all.
_OTHERS: Final = "\x80-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff"
_IN_A_LINE: Final = re.compile(f"[\x00-\x1f\x7f{_OTHERS}]")
_IN_A_TEXT: Final = re.compile(f"[\x00-\x08\x0b-\x1f\x7f{_OTHERS}]")
_IN_JSON: Final = re.compile(f"[\x7f{_OTHERS}]")


def visible_line(text: str) -> str:
    """The text as one line: line ends and tabs are shown as marks too."""
    return _IN_A_LINE.sub(_mark, text)


def visible_text(text: str) -> str:
    """The text with its lines: `\\r\\n` counts as one line end, and tabs stay."""
    return _IN_A_TEXT.sub(_mark, text.replace("\r\n", "\n"))


def safe_json(document: str) -> str:
    """A JSON document in which everything that a terminal obeys stands as an escape; it says the same."""
    return _IN_JSON.sub(lambda match: f"\\u{ord(match.group()):04x}", document)


def _mark(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code <= 0x1F:
        return chr(_C0_PICTURES + code)
    if code == _DELETE:
        return _DELETE_PICTURE
    return f"\\u{code:04x}"
