"""Texts on their way out: redacted, cut, made valid, and each chunk text sent once a request."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from ..model.redaction import HIDDEN_TEXT, Redaction
from ..model.texthash import derived_chunk_id
from .guest import trouble

MAX_REMEMBERED: Final = 20_000
"""Chunk texts that one request remembers; later ones are sent again each time."""


class SentText(NamedTuple):
    """One text as it leaves the process."""

    text: str
    cut: int | None = None
    """True length in characters, where `text` is only its beginning."""
    hidden: bool = False
    """A redaction function failed, so nothing of it may leave."""
    repaired: bool = False
    """Lone surrogates were replaced."""


class TextRules(NamedTuple):
    """What is done to every text."""

    capture: bool = True
    redact: tuple[Redaction, ...] = ()
    max_chars: int = 5_000_000

    def apply(self, text: str) -> SentText:
        """`text` redacted, cut and made valid; redaction sees all of it, so that no cut hides a match."""
        if type(text) is not str:
            text = str.__str__(text)  # a subclass (numpy.str_, a marker) as its plain value
        for redact in self.redact:
            try:
                text = str(redact(text))
            except Exception as error:  # noqa: BLE001 - whatever an app's function raises, the text stays here
                trouble("a redact= function", error)
                return SentText(HIDDEN_TEXT, hidden=True)
        cut = len(text) if len(text) > self.max_chars else None
        if cut is not None:
            text = text[: self.max_chars]
        valid = text if text.isascii() else valid_text(text)
        return SentText(valid, cut=cut, repaired=valid is not text)

    def plain(self, value: Any) -> Any:
        """A JSON value (metadata, filters) whose texts went through the redaction functions; same shape."""
        if not self.redact:
            return value
        if isinstance(value, str):
            return self.apply(value).text
        if isinstance(value, dict):
            return {key: self.plain(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.plain(item) for item in value]
        return value


def valid_text(text: str) -> str:
    """`text` itself, or a copy in which lone surrogates are U+FFFD and split pairs are joined."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


class Numbered(NamedTuple):
    """A chunk text that this request has seen."""

    number: int
    sent: SentText


class TextBook:
    """The chunk texts of one request, so that a text goes with the first span to end that holds it.

    Not locked itself: `OpenRequest.lock` is held around one list.
    """

    __slots__ = ("_all_ids", "_ids", "_known", "scope")

    def __init__(self, scope: str) -> None:
        self.scope = scope
        """Numbers are unique inside it."""
        self._known: dict[str, Numbered] = {}
        self._ids: dict[str, str | None] = {}
        self._all_ids: set[str] = set()

    def number(self, text: str, rules: TextRules) -> tuple[Numbered, bool]:
        """The text's number, and whether this is its first time."""
        known = self._known.get(text)
        if known is not None:
            return known, False
        known = Numbered(len(self._known), rules.apply(text))
        if len(self._known) < MAX_REMEMBERED:
            self._known[text] = known
            return known, True
        return Numbered(-1, known.sent), True

    def remember(self, chunk_id: str, text: str | None) -> None:
        """Notes a hit that has an id of its own. Two ids for one text make the text ambiguous."""
        self._all_ids.add(chunk_id)
        if text is not None and self._ids.setdefault(text, chunk_id) != chunk_id:
            self._ids[text] = None

    def holds(self, text: str) -> bool:
        """Whether a hit of this request had exactly this text."""
        return text in self._ids or text in self._known

    def id_of(self, text: str) -> str | None:
        """The chunk id that came with exactly this text in this request, if there is just one."""
        return self._ids.get(text)

    def knows_id(self, chunk_id: str) -> bool:
        """Whether a hit of this request had that id."""
        return chunk_id in self._all_ids


def derived_id(text: str, rules: TextRules) -> str:
    """The id of a chunk that came without one, made from its text after redaction."""
    return derived_chunk_id(rules.apply(text).text)
