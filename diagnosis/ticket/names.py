"""What in a ticket may be the name of a user or of a session. The store knows which of them are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

MOST: Final = 40
_SHORTEST: Final = 2
_TOKEN = re.compile(r"[^\s,;:<>()\[\]{}\"'“”„«»|]+")
_CUE = re.compile(
    r"\b(?:user(?: ?(?:id|name))?|customer|client|account|login|member|employee|reporter|requester|from|by|von|"
    r"name is|"
    r"i am|i'm|this is|kunde|kundin|benutzer(?:in)?|nutzer(?:in)?|konto|session|conversation|chat|sitzung|regards|"
    r"thanks|"
    r"cheers|grüße|gruß|vg|lg)(?: id| no\.?| number| nr\.?)?\b[\s:#=,.!-]*"
    r"(?P<name>[^\s,;:<>()\[\]{}\"“”|]+(?: [A-ZÄÖÜ][^\W\d_]+)?)",
    re.IGNORECASE,
)
_SIGNED = re.compile(r"\n\s*[-–—]*\s*(?P<name>[^\W\d_]+(?: [^\W\d_]+){0,2})\s*$")


def possible_names(text: str) -> tuple[str, ...]:
    """In order of appearance, each once, as written; at most forty. Plain words count only where something says so:
    a user may be called "test"."""
    found: dict[str, str] = {}
    for name in _names(text):
        stripped = name.strip(".!?,;:-–#*_")
        if len(stripped) >= _SHORTEST and not stripped.startswith("["):
            found.setdefault(stripped.casefold(), stripped)
    return tuple(list(found.values())[:MOST])


def _names(text: str) -> Iterator[str]:
    for match in _CUE.finditer(text):
        yield match["name"]
        yield match["name"].split()[0]
    for match in _SIGNED.finditer(text):
        yield match["name"]
        yield match["name"].split()[0]
    for match in _TOKEN.finditer(text):
        if _is_peculiar(match[0]):
            yield match[0]


def _is_peculiar(token: str) -> bool:
    """Holds a digit, an @ or an underscore, or a dot or dash inside: no word of a language."""
    inner = token.strip(".!?-–")
    return any(sign.isdigit() or sign in "@_" for sign in inner) or any(sign in inner for sign in ".-/\\")
