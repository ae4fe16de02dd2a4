"""How much speaks for a request being the one that a ticket means: a sum of parts, each with its reason in words.

    words 0..1 + wording 0..1 + quotation 0..0.8 + user 0.6 + session 0.8 + time 0..0.6 + recency 0..0.25 + id 2

The words are BM25 over question and answer, as a share of the heaviest.

The wording is rapidfuzz's token_set_ratio of the telling words of question and ticket: word order and additions cost
nothing, typos little. A question that stands in the ticket as it was asked counts as much, whatever its words.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from ...model.ticket import FoundRequest, TicketReading, TimeWindow
from .calendar import HOUR_S, NS
from .reading import folded, telling_words

QUOTE_WEIGHT: Final = 0.8
USER_WEIGHT: Final = 0.6
SESSION_WEIGHT: Final = 0.8
TIME_WEIGHT: Final = 0.6
RECENCY_WEIGHT: Final = 0.25
NAMED_WEIGHT: Final = 2.0
RECENCY_S: Final = 36 * HOUR_S
_QUOTE_FLOOR: Final = 60.0
"""A partial ratio that unrelated texts reach."""
_SHORTEST: Final = 12
"""Characters of a question that is looked for as a whole."""
_SAME: Final = 80.0
"""From this ratio on two words are taken for one with a slip of the pen."""


class Likeness(NamedTuple):
    """What speaks for one request."""

    words: float
    wording: float
    quote: float
    user: float
    session: float
    time: float
    recency: float
    named: float
    quoted: str
    """ "answer" or "question", where the ticket quotes it; else empty."""
    window: TimeWindow | None
    """The time of the ticket that fits best, where one fits."""

    @property
    def score(self) -> float:
        """The sum."""
        return sum(self.parts().values())

    def parts(self) -> dict[str, float]:
        """Part -> its share of the score; without those that are 0."""
        shares: dict[str, float] = {name: getattr(self, name) for name in PARTS}
        return {name: share for name, share in shares.items() if share}


PARTS: Final = ("words", "wording", "quote", "user", "session", "time", "recency", "named")


def likenesses(
    found: Sequence[FoundRequest], reading: TicketReading, named: Collection[str] = frozenset()
) -> list[Likeness]:
    """One for each request, in their order. `named` are requests whose id the ticket holds, or begins."""
    heaviest = max((one.words for one in found), default=0.0)
    said = _Said(" ".join(reading.words), folded(reading.said))
    users = {mention.name.casefold() for mention in reading.users}
    sessions = {mention.name.casefold() for mention in reading.sessions}
    quotes = [folded(quote.text) for quote in reading.quotes]
    compared: dict[str, float] = {}
    result = []
    for one in found:
        if one.question not in compared:
            compared[one.question] = _wording(said, one.question)
        quote, quoted = _quoted(quotes, one)
        time, window = _time(reading.windows, one.start_ns)
        age_s = max(0, reading.opened_ns - one.start_ns) / NS
        result.append(
            Likeness(
                words=one.words / heaviest if heaviest else 0.0,
                wording=compared[one.question],
                quote=quote,
                user=USER_WEIGHT if one.user and one.user.casefold() in users else 0.0,
                session=SESSION_WEIGHT if one.session and one.session.casefold() in sessions else 0.0,
                time=time,
                recency=RECENCY_WEIGHT * math.exp(-age_s / RECENCY_S),
                named=NAMED_WEIGHT if one.request_id in named else 0.0,
                quoted=quoted,
                window=window,
            )
        )
    return result


class _Said(NamedTuple):
    """The ticket, for comparing."""

    words: str
    text: str


def _wording(said: _Said, question: str) -> float:
    from rapidfuzz import fuzz

    asked = " ".join(telling_words(question))
    if not asked:
        return 0.0
    wording = fuzz.token_set_ratio(said.words, asked) / 100
    whole = folded(question)
    if _SHORTEST <= len(whole) <= len(said.text) + 4:
        wording = max(wording, _above_floor(fuzz.partial_ratio(whole, said.text, score_cutoff=_QUOTE_FLOOR)))
    return wording


def _above_floor(ratio: float) -> float:
    """0 at the floor and below, 1 at 100."""
    return max(0.0, ratio - _QUOTE_FLOOR) / (100 - _QUOTE_FLOOR)


def _quoted(quotes: Sequence[str], one: FoundRequest) -> tuple[float, str]:
    """The best of the quotations, in the answer or in the question."""
    from rapidfuzz import fuzz

    best, where = 0.0, ""
    if not quotes:
        return best, where
    for name, text in (("answer", folded(one.answer)), ("question", folded(one.question))):
        for quote in quotes:
            if not text or len(text) < len(quote) / 2:
                continue
            ratio = fuzz.partial_ratio(quote, text, score_cutoff=_QUOTE_FLOOR)
            share = _above_floor(ratio)
            if share > best:
                best, where = share, name
    return QUOTE_WEIGHT * best, where if best >= 0.5 else ""


def _time(windows: Sequence[TimeWindow], start_ns: int) -> tuple[float, TimeWindow | None]:
    """By the time that fits best."""
    best, fitting = 0.0, None
    for window in windows:
        share = math.exp(-((distance_ns(window, start_ns) / window.slack_ns) ** 2) / 2)
        if share > best:
            best, fitting = share, window
    return TIME_WEIGHT * best, fitting if best >= 0.1 else None


def distance_ns(window: TimeWindow, start_ns: int) -> int:
    """How far a request is from the time meant: from its one moment, else from the window; 0 inside."""
    if window.at_ns is not None:
        return abs(start_ns - window.at_ns)
    return max(0, window.begin_ns - start_ns, start_ns - window.end_ns)


class SharedWords(NamedTuple):
    """How many words a ticket and a text have in common."""

    both: int
    asked: int
    """Telling words of the text."""


def shared_words(said: Sequence[str], text: str) -> SharedWords:
    """Telling words of `text` that the ticket has too, a slip of the pen or another ending aside."""
    from rapidfuzz import fuzz, process

    asked = telling_words(text)
    known = set(said)
    both = sum(
        word in known
        or (len(word) > 3 and process.extractOne(word, said, scorer=fuzz.ratio, score_cutoff=_SAME) is not None)
        for word in asked
    )
    return SharedWords(both, len(asked))
