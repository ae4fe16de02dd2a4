"""What a ticket quotes: in quotation marks, behind "> ", or after words like "it told me that"."""

from __future__ import annotations

import re
from typing import Final

from ...model.ticket import TicketQuote

SHORTEST: Final = 3
"""Words. A shorter quotation is a name or a term."""
MOST: Final = 5
_LONGEST: Final = 400
"""Characters of a quotation that are compared."""

_MARKED = re.compile(r"[\"“”„«»‟]([^\"“”„«»‟\n]{8,1000})[\"“”„«»‟]|(?<!\w)['‘‚]([^'‘’\n]{12,1000})['’](?!\w)")
_REPLY = re.compile(r"^\s*>+ ?(.+)$", re.MULTILINE)
_REPORTED = re.compile(
    r"\b(?:(?:told|informed|assured) (?:me|us|him|her|my colleague|the customer)|(?:said|says|answered|answers|"
    r"replied|claims?|"
    r"claimed|stated|states|insisted|responded|wrote|suggested|tells me|keeps saying|explained)|(?:sagte?|"
    r"antwortete?|behauptet(?:e)?|"
    r"schrieb|meinte?|erklärte?)(?: mir| uns)?|(?:answer|response|reply|antwort)(?: i got)? (?:was|is|war|lautete|"
    r"ist))\b"
    r"[\s,:]*(?:that|dass|something like|sinngemäß)?[\s,:]*(?P<said>[^\n\"“„]{15,600}?)(?=[.!?](?:\s|$)|\n|$|[\"“„])",
    re.IGNORECASE,
)


def find_quotes(text: str) -> tuple[TicketQuote, ...]:
    """The quotations, marked ones first, each in order of appearance; at most five."""
    found: dict[str, bool] = {}
    for match in _MARKED.finditer(text):
        _note(found, match.group(1) or match.group(2), marked=True)
    replied = " ".join(_REPLY.findall(text))
    _note(found, replied, marked=True)
    for match in _REPORTED.finditer(text):
        said = match["said"]
        if not any(said.strip(" .,") in one for one in found):
            _note(found, said, marked=False)
    ordered = sorted(found.items(), key=lambda item: not item[1])
    return tuple(TicketQuote(text=quote, marked=marked) for quote, marked in ordered[:MOST])


def _note(found: dict[str, bool], text: str, *, marked: bool) -> None:
    quote = " ".join(text.split()).strip(" .,;:…")[:_LONGEST]
    if len(quote.split()) >= SHORTEST:
        found.setdefault(quote, marked)
