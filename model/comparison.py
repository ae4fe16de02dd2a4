"""Two requests side by side: what differs, stage by stage and rank by rank. The first is "then", the second "now"."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from .stage_words import StageKind


class Move(StrEnum):
    """What became of a chunk in a stage's list."""

    SAME = "same"
    UP = "up"
    DOWN = "down"
    CAME = "came"
    """It is only in the second list."""
    WENT = "went"
    """It is only in the first list."""


class ChunkMove(BaseModel):
    """One chunk in two lists of the same stage."""

    model_config = ConfigDict(frozen=True)

    chunk_id: str
    then_chunk_id: str | None = None
    """Its id in the first list, where the same text of the same document stands under another one now."""
    doc_id: str | None
    move: Move
    then: int | None
    """1-based rank; None: not in that list."""
    now: int | None
    gold: bool
    forbidden: bool
    text_changed: bool
    """Both texts are known and differ."""


class Difference(BaseModel):
    """One attribute that differs, in words: ("index version", "idx-3", "idx-4")."""

    model_config = ConfigDict(frozen=True)

    what: str
    then: str
    """Empty: not recorded."""
    now: str


class TextDiffPart(BaseModel):
    """A run of words of a text: in both, only then ("-"), or only now ("+")."""

    model_config = ConfigDict(frozen=True)

    sign: str
    """ " ", "-" or "+"."""
    text: str


class StagePair(BaseModel):
    """A stage of each request, aligned by kind, name and leg; one of them may be missing."""

    model_config = ConfigDict(frozen=True)

    kind: StageKind
    name: str
    then_id: str | None
    now_id: str | None
    differs: bool
    """The lists, texts or outcomes differ. Times do not count."""
    differences: tuple[Difference, ...] = ()
    """Query, top_k, filters, index, versions, settings, outcome, text."""
    moves: tuple[ChunkMove, ...] = ()
    """By rank now, then by rank then; empty where neither has a list."""
    text: tuple[TextDiffPart, ...] = ()
    """What a stage without a list wrote, a rewrite say, then and now; empty where that is the answer or the prompt."""
    pinned: bool = False
    """The second one returned what was recorded instead of running."""


class GoldShift(BaseModel):
    """Where a gold stands in both requests."""

    model_config = ConfigDict(frozen=True)

    label_id: str
    name: str
    """Chunk id, or the document at document level."""
    then_verdict: str
    """A Verdict value."""
    now_verdict: str
    then_place: str
    """ "rank 14 in dense", "position 2 of 5 in the prompt", "in no list"."""
    now_place: str
    sentence: str
    """ "refunds#2 is now at rank 2 after rerank, it was at 14; index version changed from idx-3 to idx-4." What
    changed stands beside it: that it is the cause is not said."""


class RequestComparison(BaseModel):
    """Two requests of any origin, aligned."""

    model_config = ConfigDict(frozen=True)

    then_id: str
    now_id: str
    sentence: str
    """What matters most, in one sentence."""
    differences: tuple[Difference, ...]
    """Of the requests as a whole: app version, environment, user, groups, as of, outcome, history, question."""
    stages: tuple[StagePair, ...]
    """In the order of the second request's flow, those that only the first has at their place there."""
    first_difference: int | None
    """0-based place in `stages` of the first that differs; None: all are the same."""
    golds: tuple[GoldShift, ...] = ()
    prompt: tuple[TextDiffPart, ...] = ()
    answer: tuple[TextDiffPart, ...] = ()
    answer_same: bool
    prompt_same: bool | None
    """None: one of the prompts was not recorded."""
