"""The one meaning of each colour and glyph: verdicts, marks on chunks, outcomes."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from ..model import ChunkMark, Judgement, Outcome, Verdict
from ..model.complaint import ComplaintState

Colour = Literal["red", "orange", "yellow", "blue", "green", "violet", "gray"]


class MarkStyle(NamedTuple):
    """How a mark is shown. The glyph or the word always goes with the colour."""

    glyph: str
    colour: Colour


MARKS: Final[dict[ChunkMark, MarkStyle]] = {
    ChunkMark.FORBIDDEN: MarkStyle("⊘", "red"),
    ChunkMark.GOLD: MarkStyle("★", "orange"),
    ChunkMark.NOT_RELEVANT: MarkStyle("○", "gray"),
    ChunkMark.SUPERSEDED: MarkStyle("↺", "violet"),
    ChunkMark.NEAR_DUPLICATE: MarkStyle("≈", "blue"),
    ChunkMark.SAME_TEXT: MarkStyle("≡", "blue"),
}
"""In the order of their weight: where only one glyph fits, the first one speaks."""

_LOST: Final = "red"
_VERDICTS: Final[dict[Verdict, Colour]] = {
    Verdict.DELIVERED: "green",
    Verdict.IGNORED: "yellow",
    Verdict.PARTLY_FOUND: "yellow",
    Verdict.STALE_LABEL: "violet",
    Verdict.NO_LABEL: "gray",
    Verdict.UNKNOWN: "gray",
    Verdict.REACHED_LAST_LIST: "gray",
}


def verdict_colour(verdict: str) -> Colour:
    """Green delivered, yellow half of it, violet a label out of date, gray where nothing can be told, else red."""
    try:
        return _VERDICTS.get(Verdict(verdict), _LOST)
    except ValueError:
        return "gray"


def verdict_words(verdict: str) -> str:
    """As pages show it: "below cut"."""
    return verdict.replace("_", " ")


def judgement_colour(judgement: Judgement) -> Colour:
    """Amber is gold's alone."""
    return {Judgement.GOLD: "orange", Judgement.FORBIDDEN: "red"}.get(judgement, "gray")  # type: ignore[return-value]


def ordered(marks: tuple[ChunkMark, ...]) -> tuple[ChunkMark, ...]:
    """The marks by weight."""
    return tuple(mark for mark in MARKS if mark in marks)


def glyphs(marks: tuple[ChunkMark, ...]) -> str:
    """The glyphs of the marks by weight, without spaces; empty without marks."""
    return "".join(MARKS[mark].glyph for mark in ordered(marks))


def outcome_words(outcome: Outcome) -> str:
    """As pages show it: "closed early"."""
    return outcome.value.replace("_", " ")


def state_colour(state: ComplaintState) -> Colour:
    """Blue asks for somebody, green is done."""
    return {ComplaintState.NEW: "blue", ComplaintState.FIXED: "green"}.get(state, "gray")  # type: ignore[return-value]


def state_words(state: ComplaintState) -> str:
    """As pages show it: "not reproducible"."""
    return state.value.replace("_", " ")
