"""Texts on their way out: redacted, cut, made valid, and each chunk text sent once a request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from .guest import trouble
from .values import is_a

if TYPE_CHECKING:
    from ..model.redaction import Redaction

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
    as_is: bool = True
    """A valid text that is not too long leaves as it is: captured, and nothing to redact."""

    @classmethod
    def of(cls, *, capture: bool, redact: tuple[Redaction, ...], max_chars: int) -> TextRules:
        """The rules for these settings."""
        return cls(capture, redact, max_chars, as_is=capture and not redact)

    def apply(self, text: str) -> SentText:
        """`text` redacted, cut and made valid; redaction sees all of it, so that no cut hides a match."""
        if type(text) is not str:
            text = str.__str__(text)  # a subclass (numpy.str_, a marker) as its plain value
        for redact in self.redact:
            try:
                text = str(redact(text))
            except Exception as error:  # noqa: BLE001 - whatever an app's function raises, the text stays here
                from ..model.redaction import HIDDEN_TEXT

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
        if is_a(value, str):
            return self.apply(value).text
        if is_a(value, dict):
            return {key: self.plain(item) for key, item in value.items()}
        if is_a(value, list | tuple):
            return [self.plain(item) for item in value]
        return value


def valid_text(text: str) -> str:
    """`text` itself, or a copy in which lone surrogates are U+FFFD and split pairs are joined."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


class ReadList(Protocol):
    """A list of hits as read (`hits.HitList`)."""

    texts: list[str | None]
    """Each hit's text as the app gave it."""

    def ids(self) -> Sequence[str | None]:
        """Each hit's id, where the app gave one."""
        ...


class TextBook:
    """The chunk texts of one request, so that a text goes with the first span to end that holds it.

    Not locked itself: `OpenRequest.lock` is held around one list.
    """

    __slots__ = ("_by_text", "_ids", "_pending", "numbers", "scope")

    def __init__(self, scope: str, numbers: dict[str, int] | None = None) -> None:
        self.scope = scope
        """Numbers are unique inside it."""
        self.numbers = {} if numbers is None else numbers
        """Text as the app gave it -> its number. Full at MAX_REMEMBERED: then texts are sent without a number."""
        self._pending: list[ReadList] = []
        self._ids: set[str] = set()
        self._by_text: dict[str, set[str]] = {}

    def remember(self, found: ReadList) -> None:
        """Keeps a list for the questions below; its ids are asked for only if one is asked."""
        self._pending.append(found)

    def id_of(self, text: str) -> str | None:
        """The chunk id that came with exactly this text in this request, if there is just one."""
        self._look_through()
        ids = self._by_text.get(text, ())
        return next(iter(ids)) if len(ids) == 1 else None

    def holds(self, text: str) -> bool:
        """Whether a hit of this request had exactly this text."""
        self._look_through()
        return text in self._by_text

    def knows_id(self, chunk_id: str) -> bool:
        """Whether a hit of this request had that id."""
        self._look_through()
        return chunk_id in self._ids

    def _look_through(self) -> None:
        for found in self._pending:
            for chunk_id, text in zip(found.ids(), found.texts, strict=True):
                if text is not None:
                    self._by_text.setdefault(text, set())
                if chunk_id is not None:
                    self._ids.add(chunk_id)
                    if text is not None:
                        self._by_text[text].add(chunk_id)
        self._pending.clear()
