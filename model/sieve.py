"""What was erased and must not come back: known by keyed hashes alone, so that nothing of it stands here.

    sieve = Sieve(secret, tombstones)
    sieve.is_gone("trace", trace_id)      a late span of a request that was pruned or forgotten
    sieve.mask("Mail ann@example.org!")   "Mail [forgotten]!" where that text was forgotten

A text is found again by its words: whatever stands between them, whatever their case, and only whole ones.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Any, Final, NamedTuple

from .span import Span, SpanEvent

FORGOTTEN: Final = "[forgotten]"
"""Stands where a text was that was to be forgotten."""
HEAD_WORDS: Final = 12
"""A longer text is looked for by its first words; what follows is compared then."""

_NO_SPACES: Final = "\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
"""Scripts without spaces between words: each character counts as a word."""
_WORD: Final = re.compile(rf"\\[nrt]|([{_NO_SPACES}]|(?:(?![{_NO_SPACES}])[\w\u0300-\u036f])+)")
_ESCAPED: Final = re.compile(r"\\+u([dD][89abAB][0-9a-fA-F]{2})\\+u([dD][c-fC-F][0-9a-fA-F]{2})|\\+u([0-9a-fA-F]{4})")
"""A character as JSON writes it in ASCII, once or several times over: two halves, or one number."""
_FIELD: Final = re.compile(r"[a-z_][a-z0-9_.]*")
"""A name of a field: structure, and no text of anybody."""
_JSON_BEGINS: Final = frozenset('[{"')


class Cause(StrEnum):
    """Why something is gone."""

    PRUNED = "pruned"
    FORGOTTEN = "forgotten"


class Kind(StrEnum):
    """What a tombstone stands for."""

    TRACE = "trace"
    SPAN = "span"
    """Trace id and span id with a dash between: of requests whose trace holds others that stay."""
    REQUEST = "request"
    COMPLAINT = "complaint"
    CASE = "case"
    USER = "user"
    """With a time: what this user did before it."""
    TEXT = "text"


class Tombstone(NamedTuple):
    """One thing that is gone."""

    kind: str
    """A `Kind` value."""
    digest: int
    """64 bits of a keyed hash."""
    head: int
    """Of a text: the same of its first words. 0 for anything else."""
    words: int
    """Of a text: how many words it has. 0 for anything else."""
    cause: str
    """A `Cause` value."""
    at_ns: int
    """When it went."""


class Word(NamedTuple):
    """A word of a text, as it is compared, and where it stands: 0-based, `end` is behind its last character."""

    text: str
    start: int
    end: int


def words_of(text: str) -> list[Word]:
    """The words of a text in order: NFC, case-folded, and with their letters where JSON's escapes stand for them.

    A prompt often quotes the JSON of its documents, in which "J\\u00f6rg" is the word jörg.
    """
    if "\\u" in text:
        plain, places = unescaped(text)
        return [Word(word, places[start], places[end]) for word, start, end in _words_in(plain)]
    return _words_in(text)


def _words_in(text: str) -> list[Word]:
    """The words of a text whose characters stand for themselves."""
    return [
        Word(unicodedata.normalize("NFC", match[1]).casefold(), match.start(), match.end())
        for match in _WORD.finditer(text)
        if match[1]
    ]


def unescaped(text: str) -> tuple[str, array[int]]:
    """The text with characters for their escapes, and where each of them begins in `text`; last, where it ends."""
    parts: list[str] = []
    places = array("q")
    position = 0
    for match in _ESCAPED.finditer(text):
        parts.append(text[position : match.start()])
        places.extend(range(position, match.start() + 1))
        high, low, alone = match.groups()
        parts.append(
            chr(int(alone, 16) if alone else 0x10000 + (int(high, 16) - 0xD800) * 1024 + int(low, 16) - 0xDC00)
        )
        position = match.end()
    parts.append(text[position:])
    places.extend(range(position, len(text) + 1))
    return "".join(parts), places


def digest(secret: bytes, kind: str, text: str) -> int:
    """64 bits that name `text` to those who have the secret."""
    joined = f"{kind}\x00{text}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(joined, digest_size=8, key=secret).digest(), "big")


def bury(secret: bytes, kind: Kind, text: str, *, cause: Cause, at_ns: int) -> Tombstone:
    """The tombstone of one thing, named by its id, or of a text."""
    if kind is not Kind.TEXT:
        return Tombstone(kind.value, digest(secret, kind, text), 0, 0, cause.value, at_ns)
    found = [word.text for word in words_of(text)]
    head = digest(secret, kind, " ".join(found[:HEAD_WORDS]))
    return Tombstone(kind.value, digest(secret, kind, " ".join(found)), head, len(found), cause.value, at_ns)


class Sieve:
    """Asked of everything that comes. False where nothing was ever erased, and then it need not be asked."""

    def __init__(self, secret: bytes = b"", tombstones: Iterable[Tombstone] = ()) -> None:
        self._secret = secret
        gone: dict[str, list[int]] = defaultdict(list)
        self._causes: dict[str, list[str]] = {}
        self._users: dict[int, int] = {}
        self._texts: dict[int, dict[int, set[int]]] = {}
        """Number of words in a head -> digest of the head -> numbers of words of texts that begin so."""
        self._whole: set[tuple[int, int]] = set()
        """(number of words, digest) of texts."""
        self._forgotten: set[tuple[str, int]] = set()
        for one in tombstones:
            if one.kind == Kind.USER:
                self._users[one.digest] = max(one.at_ns, self._users.get(one.digest, 0))
            elif one.kind == Kind.TEXT:
                heads = self._texts.setdefault(min(one.words, HEAD_WORDS), {})
                heads.setdefault(one.head, set()).add(one.words)
                self._whole.add((one.words, one.digest))
            else:
                gone[one.kind].append(one.digest)
                if one.cause == Cause.FORGOTTEN:
                    self._forgotten.add((one.kind, one.digest))
        self._gone = {kind: array("Q", sorted(digests)) for kind, digests in gone.items()}
        self._asked: dict[tuple[str, str], Cause | None] = {}

    def __bool__(self) -> bool:
        return bool(self._gone or self._users or self._texts)

    @property
    def masks(self) -> bool:
        """Whether any text was forgotten."""
        return bool(self._texts)

    def why_gone(self, kind: Kind, text: str) -> Cause | None:
        """Why the thing of this id is gone; None where it is not."""
        known = self._gone.get(kind)
        if not known or not text:
            return None
        if (kind, text) not in self._asked:
            if len(self._asked) > 50_000:
                self._asked.clear()
            named = digest(self._secret, kind, text)
            place = bisect_left(known, named)
            found = place < len(known) and known[place] == named
            cause = Cause.FORGOTTEN if (kind.value, named) in self._forgotten else Cause.PRUNED
            self._asked[kind, text] = cause if found else None
        return self._asked[kind, text]

    def is_gone(self, kind: Kind, text: str | None) -> bool:
        """Whether the thing of this id was erased."""
        return text is not None and self.why_gone(kind, text) is not None

    def request_gone(self, request_id: str | None) -> bool:
        """Whether this request was erased, or all of its trace."""
        if request_id is None:
            return False
        return self.is_gone(Kind.REQUEST, request_id) or self.is_gone(Kind.TRACE, request_id.partition("-")[0])

    def user_gone(self, user: str | None, at_ns: int) -> bool:
        """Whether this user was forgotten at that time or later."""
        if not user or not self._users:
            return False
        return at_ns <= self._users.get(digest(self._secret, Kind.USER, user), -1)

    def span_gone(self, span: Span) -> Cause | None:
        """Why a span belongs to something that is gone: by its trace, its own id, or its parent's."""
        cause = self.why_gone(Kind.TRACE, span.trace_id)
        for one in (span.span_id, span.parent_span_id):
            if cause is None and one is not None:
                cause = self.why_gone(Kind.SPAN, f"{span.trace_id}-{one}")
        return cause

    def mask_span(self, span: Span) -> Span:
        """The span with forgotten texts masked; the same object where there are none."""
        if not self._texts:
            return span
        masked = span._replace(
            name=self.mask(span.name),
            status_message=self.mask(span.status_message),
            attributes=self.mask_value(span.attributes),
            resource=self.mask_value(span.resource),
            events=tuple(SpanEvent(one.name, one.time_ns, self.mask_value(one.attributes)) for one in span.events),
        )
        return span if masked == span else masked

    def mask_value(self, value: Any) -> Any:  # noqa: ANN401 - JSON in, JSON out
        """A JSON value with forgotten texts masked wherever they stand, names of fields excepted."""
        if not self._texts:
            return value
        if isinstance(value, str):
            return self.mask(value)
        if isinstance(value, dict):
            return {self._mask_key(key): self.mask_value(one) for key, one in value.items()}
        if isinstance(value, list | tuple):
            return [self.mask_value(one) for one in value]
        if isinstance(value, bytes):
            text = value.decode("utf-8", "replace")
            return value if self.mask(text) == text else FORGOTTEN.encode()
        if isinstance(value, int | float) and not isinstance(value, bool):
            return value if self.mask(str(value)) == str(value) else FORGOTTEN
        return value

    def mask(self, text: str) -> str:
        """`text` with FORGOTTEN for each forgotten text in it; the same object where there is none.

        A JSON text is masked inside its own texts, whatever escapes they are written with.
        """
        if not text or not self._texts:
            return text
        if text.lstrip()[:1] in _JSON_BEGINS:
            try:
                value = json.loads(text)
                masked = self.mask_value(value)
            except (ValueError, RecursionError):
                pass  # it only looks like JSON, or is nested too deep to be read: masked as any other text
            else:
                if masked == value:
                    return text
                return json.dumps(masked, ensure_ascii=False, separators=(",", ":"))
        parts, position = [], 0
        for start, end in self._places(text):
            parts += [text[position:start], FORGOTTEN]
            position = end
        return "".join((*parts, text[position:])) if parts else text

    def _mask_key(self, key: str) -> str:
        return key if _FIELD.fullmatch(key) else self.mask(key)

    def _places(self, text: str) -> Iterator[tuple[int, int]]:
        """Where forgotten texts stand, from left to right, none inside another."""
        found = words_of(text)
        position = 0
        while position < len(found):
            length = self._longest_at(found, position)
            if length:
                yield found[position].start, found[position + length - 1].end
            position += length or 1

    def _longest_at(self, found: list[Word], position: int) -> int:
        """How many words the longest forgotten text has that begins here; 0 for none."""
        longest = 0
        for size, heads in self._texts.items():
            if position + size > len(found):
                continue
            lengths = heads.get(self._named(found, position, size), ())
            for length in lengths:
                fits = position + length <= len(found) and length > longest
                if fits and (length, self._named(found, position, length)) in self._whole:
                    longest = length
        return longest

    def _named(self, found: list[Word], position: int, size: int) -> int:
        return digest(self._secret, Kind.TEXT, " ".join(word.text for word in found[position : position + size]))
