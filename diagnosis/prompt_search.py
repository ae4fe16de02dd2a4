"""Finding recorded texts in a prompt: word for word, but for white space; whole, cut, or by the chunk's id alone.

The exact text is looked for first (fast in prompts of any size); the prompt is normalised once, and only when a
text was not found as it is.
"""

from __future__ import annotations

import json
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, islice
from typing import NamedTuple

from ..model import normalise_text
from .chunks import SHORT

_PLACES_TRIED = 50
_PROBE = 40
"""Characters of a beginning that must be there before a cut text is believed."""
_SLICE = 100_000
_LARGE = 2_000_000
"""Characters of a prompt from which on places are found by a pattern instead of a table of all its words."""
_RUN = 8
"""Words in a row that no two texts share by accident."""
_BEFORE_SHORT = re.compile(
    r"\s*(?:[-*•>]\s*)?(?:(?:\[[^\]\n]{1,80}\]|\([^)\n]{1,40}\)|<[^>\n]{1,80}>|\d+[.)]|[\w .#-]{1,40}:)\s*){0,2}[\"'“]?"
)
_AFTER_SHORT = re.compile(r"[\"'”]?\s*(?:\n|$|</)")
_AFTER_CUT = re.compile(r"\s*(?:\n|$|…|\.\.|\[|<|\(trunc|\(cut|[\"'”])")
_AFTER_CUT_AT_ONCE = frozenset(" .…[<(\"'”")
_BEFORE_ID = re.compile(
    r"\s*(?:[-*#>•]+\s*)?(?:\[[^\]\n]{1,20}\]\s*)?(?:[\w .]{0,20}[:=]\s*)?[\[(<{\"'`]?|\s*<\w[^>\n]{0,80}=[\"']?"
)
_AFTER_ID = re.compile(r"[\])>}\"'`:,|]|\s|$")
_SPACE = re.compile(r"\s")
_NO_SPACE = re.compile(r"\S+")
_POSITION = re.compile(r"[A-Za-z]{0,2}\d{1,3}")
"""[1] and [S1] are positions in a prompt, whatever chunks are called."""


class Span(NamedTuple):
    """Start and end in characters of the prompt."""

    start: int
    end: int

    def inside(self, other: Span) -> bool:
        """Whether all of it lies in `other`."""
        return other.start <= self.start and self.end <= other.end


class Cut(NamedTuple):
    """A beginning of a text, found in a prompt."""

    span: Span
    chars: int
    """How many characters of the normalised text were found."""


class PromptText:
    """A prompt, to be searched. `raw` is its text in NFC; spans refer to it.

    `users_words` are the normalised texts of the question and of what was said before it: a short text that stands
    in them is no chunk that was sent.
    """

    def __init__(self, raw: str, users_words: Sequence[str] = ()) -> None:
        self._users_words = users_words
        self.raw = raw if unicodedata.is_normalized("NFC", raw) else unicodedata.normalize("NFC", raw)
        self.claimed: list[Span] = []

    @cached_property
    def normal(self) -> str:
        """White space collapsed."""
        return normalise_text(self.raw)

    @cached_property
    def _words(self) -> frozenset[str]:
        """The different words of the prompt: most texts that are not in it cost no search."""
        words: set[str] = set()
        start = 0
        while start < len(self.raw):
            end = start + _SLICE
            # A slice ends between words, so that none is cut in two.
            gap = _SPACE.search(self.raw, end)
            end = gap.start() if gap else len(self.raw)
            words.update(self.raw[start:end].split())
            start = end
        return frozenset(words)

    @cached_property
    def _all_words(self) -> str:
        return "\n".join(self._words)

    def _may_hold(self, text: str) -> bool:
        """False where a word of the text is surely not in the prompt. Its ends may stick to other characters."""
        return self._words.issuperset(text.split()[1:-1])

    @cached_property
    def _escaped(self) -> bool:
        return "\\n" in self.raw or '\\"' in self.raw

    def places(self, text: str, normal: str) -> Iterator[Span]:
        """Where the whole text stands, from the start on; at most 50 places. Claimed ones are among them."""
        found = False
        if self._may_hold(normal):
            for span in self._as_it_is(text.strip(), normal):
                found = True
                yield span
            if not found and normal in self.normal:
                for span in self._spaced(normal):
                    found = True
                    yield span
        if not found and self._escaped:
            escaped = json.dumps(text, ensure_ascii=False)[1:-1]
            if escaped != text and self._may_hold(escaped):
                yield from self._as_it_is(escaped, normal)

    def _as_it_is(self, text: str, normal: str) -> Iterator[Span]:
        start = self.raw.find(text) if text else -1
        for _ in range(_PLACES_TRIED):
            if start < 0:
                return
            span = Span(start, start + len(text))
            if len(normal) >= SHORT or self._stands_alone(span):
                yield span
            start = self.raw.find(text, start + len(text))

    def _spaced(self, normal: str) -> Iterator[Span]:
        """Places of a text whose words stand here with other white space between them."""
        for span in islice(self._any_space(normal), _PLACES_TRIED):
            if len(normal) >= SHORT or self._stands_alone(span):
                yield span

    def _any_space(self, normal: str) -> Iterator[Span]:
        return self._by_pattern(normal) if len(self.raw) > _LARGE else self._by_table(normal)

    def _by_pattern(self, normal: str) -> Iterator[Span]:
        pattern = re.compile(re.escape(normal).replace(r"\ ", r"\s+"))
        return (Span(*match.span()) for match in pattern.finditer(self.raw))

    def _by_table(self, normal: str) -> Iterator[Span]:
        start = self.normal.find(normal)
        while start >= 0:
            yield Span(self._in_raw(start), self._in_raw(start + len(normal) - 1) + 1)
            start = self.normal.find(normal, start + len(normal))

    @cached_property
    def _word_starts(self) -> tuple[list[int], list[int]]:
        """Where each word begins: in `raw`, and in `normal`."""
        words = [match.span() for match in _NO_SPACE.finditer(self.raw)]
        lengths = accumulate((end - start + 1 for start, end in words), initial=0)
        return [start for start, _ in words], list(lengths)[:-1]

    def _in_raw(self, place: int) -> int:
        """The place in `raw` of a character of `normal`."""
        raw, normal = self._word_starts
        word = bisect_right(normal, place) - 1
        return raw[word] + place - normal[word]

    def _stands_alone(self, span: Span) -> bool:
        """Whether a short text is a whole line, or all of a line behind a marker."""
        line = self._line_before(span.start)
        return _BEFORE_SHORT.fullmatch(line) is not None and _AFTER_SHORT.match(self.raw, span.end) is not None

    def mentions(self, normal: str) -> Span | None:
        """Where a short text stands unclaimed among other words: it may be there by accident, or be what was sent."""
        if not 0 < len(normal) < SHORT or normal not in self.normal:
            return None
        told = [text for text in self._users_words if normal in text and text in self.normal]
        aside = [span for text in told for span in islice(self._any_space(text), _PLACES_TRIED)]
        for span in islice(self._any_space(normal), _PLACES_TRIED):
            if any(span.inside(one) for one in aside):
                continue
            beside = self.raw[max(0, span.start - 1) : span.start] + self.raw[span.end : span.end + 1]
            if not any(char.isalnum() for char in beside) and self.claimant(span) is None:
                return span
        return None

    def _line_before(self, start: int) -> str:
        begin = max(self.raw.rfind("\n", 0, start) + 1, start - 200)
        return self.raw[begin:start]

    def free(self, spans: Iterable[Span], at_most: int = 1) -> list[Span]:
        """The first of `spans` that do not lie inside a text that is claimed."""
        found: list[Span] = []
        for span in spans:
            if not self.claimant(span):
                found.append(span)
                if len(found) == at_most:
                    break
        return found

    def claimant(self, span: Span) -> Span | None:
        """The claimed text around `span`."""
        return next((one for one in self.claimed if span.inside(one)), None)

    def cut(self, normal: str) -> Cut | None:
        """The longest beginning of a text that stands here unclaimed and ends where a part of a prompt ends."""
        probe = normal[:_PROBE]
        if len(normal) <= _PROBE or not self._may_hold(probe):
            return None
        best: Cut | None = None
        start = self.normal.find(probe)
        tried = 0
        while start >= 0 and tried < _PLACES_TRIED:
            length = _common(self.normal, start, normal)
            goes_on = self.normal[start + length : start + length + 1]
            plausible = goes_on in _AFTER_CUT_AT_ONCE or normal[length - 1] == " " or not goes_on
            if plausible and (best is None or length > best.chars):
                best = self._believable(normal[:length].rstrip(), best)
            start = self.normal.find(probe, start + 1)
            tried += 1
        return best

    def _believable(self, beginning: str, best: Cut | None) -> Cut | None:
        for span in self.places(beginning, beginning):
            if self.claimant(span) is None and _AFTER_CUT.match(self.raw, span.end):
                return Cut(span, len(beginning))
        return best

    def marker(self, chunk_id: str) -> Span | None:
        """Where the id stands as a marker at the beginning of a line; None for ids that look like positions."""
        if len(chunk_id) < 3 or _POSITION.fullmatch(chunk_id):
            return None
        if "".join(chunk_id.split(None, 1)[:1]) not in self._all_words:
            return None
        start = self.raw.find(chunk_id)
        for _ in range(_PLACES_TRIED):
            if start < 0:
                return None
            span = Span(start, start + len(chunk_id))
            marks = _BEFORE_ID.fullmatch(self._line_before(start)) and _AFTER_ID.match(self.raw, span.end)
            if marks and self.claimant(span) is None:
                return span
            start = self.raw.find(chunk_id, span.end)
        return None

    def named_before(self, span: Span, chunk_ids: Sequence[str]) -> str | None:
        """The one of these ids that stands right before the text: on its line, or alone on the line above."""
        line = self._line_before(span.start)
        if not line.strip():
            line = self._line_before(max(0, span.start - len(line) - 1))
        named = [one for one in chunk_ids if not _POSITION.fullmatch(one) and _stands_in(one, line)]
        return named[0] if len(named) == 1 else None

    def resembles(self, normal: str) -> bool:
        """Whether eight words in a row of the text stand in an unclaimed part of the prompt."""
        words = normal.split(" ")
        for first in range(0, max(1, len(words) - _RUN + 1), _RUN):
            run = words[first : first + _RUN]
            if len(run) == _RUN and " ".join(run) in self.normal and self.free(self._spaced(" ".join(run))):
                return True
        return False


def _stands_in(word: str, text: str) -> bool:
    """Whether `word` stands in `text` with no other character of a word or an id beside it."""
    return re.search(rf"(?<![\w#/.-]){re.escape(word)}(?![\w#/-])", text) is not None


def _common(whole: str, start: int, text: str) -> int:
    """How many characters of `text` stand in `whole` from `start` on."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if whole.startswith(text[:middle], start):
            low = middle
        else:
            high = middle - 1
    return low
