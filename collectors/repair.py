"""Characters that no text may hold: lone surrogates, in strings and as escapes inside JSON texts.

Half a character (a lone surrogate) has no UTF-8 form, so one of them would make a whole batch unreadable.
Each becomes U+FFFD, and the span that held it is marked. NUL and the other control characters are
characters like any other: they are kept.
"""

from __future__ import annotations

import re
from typing import Final

REPLACEMENT: Final = "\N{REPLACEMENT CHARACTER}"

_LONE = re.compile("[\ud800-\udfff]")
# Any JSON escape, so that an escaped backslash in front of "ud83e" is not taken for an escape itself; a
# whole pair is one match and stays.
_ESCAPE = re.compile(r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", re.DOTALL)
_SINGLE_ESCAPE_LENGTH: Final = 6


def repair_text(text: str) -> str:
    """`text` with every lone surrogate replaced by U+FFFD; the same object where there is none."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return _LONE.sub(REPLACEMENT, text)
    return text


def repair_json(text: str) -> str:
    """A JSON text with every escape of a lone surrogate replaced by that of U+FFFD; else the same object."""
    if "\\" not in text or ("\\ud" not in text and "\\uD" not in text):
        return text
    return _ESCAPE.sub(_repair_escape, text)


def repair_utf8(raw: bytes) -> str:
    """UTF-8 decoded; a surrogate that was encoded in three bytes becomes one U+FFFD, as other bad bytes do."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        pass  # encoded surrogates, or bytes that are nothing
    try:
        return repair_text(raw.decode("utf-8", "surrogatepass"))
    except UnicodeDecodeError:
        return raw.decode("utf-8", "replace")


def _repair_escape(match: re.Match[str]) -> str:
    escape = match.group()
    lone = len(escape) == _SINGLE_ESCAPE_LENGTH and escape[2] in "dD" and escape[3] in "89abcdefABCDEF"
    return "\\ufffd" if lone else escape
