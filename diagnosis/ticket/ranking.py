"""Candidates in order: likeliest first, folded by question, each with its reasons in words and how likely it is."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from ...model import normalise_question
from ...model.ticket import FoundRequest, TicketReading
from .calendar import HOUR_S, NS
from .likeness import Likeness, distance_ns, likenesses, shared_words

VERY_LIKELY: Final = "very likely"
LIKELY: Final = "likely"
POSSIBLE: Final = "possible"
UNLIKELY: Final = "unlikely"
_WEAKEST_LAST: Final = (VERY_LIKELY, LIKELY, POSSIBLE, UNLIKELY)


class Ranked(NamedTuple):
    """A request with what speaks for it."""

    request: FoundRequest
    likeness: Likeness


class Folded(NamedTuple):
    """The requests of one question, the likeliest first; where nothing tells them apart, the newest."""

    requests: tuple[Ranked, ...]

    @property
    def first(self) -> Ranked:
        """The likeliest of them."""
        return self.requests[0]


def rank(found: Sequence[FoundRequest], reading: TicketReading, named: Collection[str] = frozenset()) -> list[Folded]:
    """The questions that may be meant, likeliest first; ties by the newer request, then by id.

    `named` are requests whose id the ticket holds, or begins.
    """
    ranked = [Ranked(one, likeness) for one, likeness in zip(found, likenesses(found, reading, named), strict=True)]
    ranked.sort(key=lambda one: (-one.likeness.score, -one.request.start_ns, one.request.request_id))
    folds: dict[tuple[str, str], list[Ranked]] = {}
    for one in ranked:
        folds.setdefault((one.request.app, normalise_question(one.request.question)), []).append(one)
    return [Folded(tuple(same)) for same in folds.values()]


def likelihood(score: float, next_score: float) -> str:
    """How likely in words: by what speaks for it, and by how far the next question is behind."""
    ahead = score - next_score
    if score >= 2.2 and ahead >= 0.4:
        return VERY_LIKELY
    if score >= 1.7 and ahead >= 0.1:
        return LIKELY
    return POSSIBLE if score >= 1.2 else UNLIKELY


def likelihoods(scores: Sequence[float]) -> tuple[str, ...]:
    """How likely each is, of scores in order; nothing is called likelier than what stands before it."""
    words: list[str] = []
    for score, next_score in zip(scores, [*scores, 0.0][1:], strict=True):
        word = likelihood(score, next_score)
        words.append(max(words[-1], word, key=_WEAKEST_LAST.index) if words else word)
    return tuple(words)


def reasons(one: Ranked, reading: TicketReading) -> tuple[str, ...]:
    """What speaks for a request, the strongest first."""
    request, likeness = one
    found: list[tuple[float, str]] = []
    if likeness.named:
        found.append((likeness.named, f"names it: {request.request_id[:8]}"))
    if likeness.session:
        found.append((likeness.session, f"same session {request.session}"))
    if likeness.user:
        found.append((likeness.user, f"same user {request.user}"))
    if likeness.quoted:
        found.append((likeness.quote, f"quotes its {likeness.quoted}"))
    if likeness.window is not None:
        found.append((likeness.time, _when(likeness, request)))
    shared = shared_words(reading.words, request.question)
    if shared.both:
        found.append(
            (
                likeness.wording,
                f"{shared.both} of {shared.asked} {'word' if shared.asked == 1 else 'words'} of the question",
            )
        )
    if not found and likeness.words:
        in_answer = shared_words(reading.words, request.answer)
        found.append((likeness.words, f"{in_answer.both} of the ticket's {len(reading.words)} words in its answer"))
    return tuple(text for _, text in sorted(found, key=lambda reason: -reason[0]))


def _when(likeness: Likeness, request: FoundRequest) -> str:
    window = likeness.window
    if window is None:
        return ""
    distance_s = distance_ns(window, request.start_ns) / NS
    if window.at_ns is None and distance_s == 0:
        return f"in the time “{window.words}”"
    if distance_s < 60:
        return f"at the time “{window.words}”"
    return f"{_amount(distance_s)} from “{window.words}”"


def _amount(seconds: float) -> str:
    for size, name in ((24 * HOUR_S, "day"), (HOUR_S, "hour"), (60.0, "minute")):
        if seconds >= 1.5 * size or name == "minute":
            count = round(seconds / size)
            return f"{count} {name}{'' if count == 1 else 's'}"
    return ""
