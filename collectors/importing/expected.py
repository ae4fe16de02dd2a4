"""What a log says of an answer's worth: passages that should have been found, thumbs, stars."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from ...model import derived_chunk_id, text_hash, wire
from ..dialects.hit_form import parse_hits
from ..dialects.json_text import load
from .logged import Gold, LoggedStage
from .profile import sort_of

_WORDS: Final = {
    **dict.fromkeys(("up", "thumbs_up", "thumbsup", "👍", "good", "positive", "like", "liked", "yes", "helpful"), 1.0),
    **dict.fromkeys(("down", "thumbs_down", "thumbsdown", "👎", "bad", "negative", "dislike", "no", "unhelpful"), -1.0),
    **dict.fromkeys(("true", "correct"), 1.0),
    **dict.fromkeys(("false", "incorrect", "wrong"), -1.0),
    "neutral": 0.0,
}
_KEYS: Final = ("score", "value", "rating", "thumbs")
HIGHEST_GRADE: Final = 4


class FeedbackScale:
    """What numbers of feedback mean."""

    def __init__(self, scale: str) -> None:
        self._scale = scale

    def score(self, value: Any) -> float | None:  # noqa: ANN401 - a value of a log
        """Below 0 bad, above 0 good; None where the value says neither."""
        value = load(value)
        if isinstance(value, Mapping):
            value = next((value[key] for key in _KEYS if value.get(key) is not None), None)
        if isinstance(value, bool):
            return 1.0 if value else -1.0
        try:
            number = float(value)
        except (TypeError, ValueError):
            word = str(value).strip().casefold().replace(" ", "_").replace("-", "_")
            return _WORDS.get(word)
        if self._scale == "0..1" and 0 <= number <= 1:
            return number * 2 - 1
        return (number - 3) / 2 if self._scale == "1..5" and 1 <= number <= 5 else number


def golds_of(value: Any, texts: Callable[[Any], list[str] | None], *, document: bool) -> tuple[Gold, ...]:  # noqa: ANN401
    """Ids as a list or in a cell, or ids with grades: {"c7": 2, "c9": 0}."""
    loaded = load(value)
    if isinstance(loaded, Mapping):
        return tuple(Gold(str(key), grade_of(grade), document) for key, grade in loaded.items())
    if isinstance(loaded, list) and any(isinstance(one, Mapping) for one in loaded):
        found = [_graded(one, document) for one in loaded if isinstance(one, Mapping)]
        return tuple(one for one in found if one is not None)
    return tuple(Gold(one, 1, document) for one in dict.fromkeys(texts(value) or ()))


def golds_in_texts(value: Any, stages: Sequence[LoggedStage], remarks: list[str]) -> tuple[Gold, ...] | None:  # noqa: ANN401
    """Passages that are given by their texts, under the ids of the hits with these texts; None where they are not.

    A text that no hit has gets the id that a hit without one would get; where all hits have ids of their own nobody
    knows which it is, and it is left out.
    """
    loaded = load(value)
    texts = [loaded] if isinstance(loaded, str) and sort_of([loaded]) == "passages" else loaded
    if not isinstance(texts, list) or sort_of(texts) != "passages":
        return None
    known: dict[str, str] = {}
    without_id = False
    for stage in stages:
        for text, chunk_id in _texts_of(stage):
            without_id |= chunk_id is None
            known.setdefault(text_hash(text), chunk_id or derived_chunk_id(text))
    found = []
    for text in dict.fromkeys(one for one in texts if isinstance(one, str) and one.strip()):
        chunk_id = known.get(text_hash(text)) or (derived_chunk_id(text) if without_id or not known else None)
        if chunk_id is None:
            remarks.append("expected passages whose text no hit has, and hits with ids of their own; left out")
        else:
            found.append(Gold(chunk_id, 1))
    return tuple(found)


def _texts_of(stage: LoggedStage) -> Iterator[tuple[str, str | None]]:
    """The texts of a stage's hits with the ids that they came with."""
    written = stage.attributes.get(wire.HITS)
    form = parse_hits(written)
    nothing = [None] * form.total
    ids, texts = form.columns.get(wire.HIT_ID, nothing), form.columns.get(wire.HIT_TEXT, nothing)
    for chunk_id, text in zip(ids, texts, strict=True):
        if isinstance(text, str):
            yield text, chunk_id if isinstance(chunk_id, str) and chunk_id else None


def grade_of(value: Any) -> int:  # noqa: ANN401 - a value of a log
    """1 to 4; what is below 1 is not relevant, what is above 4 counts as 4."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        return 1
    return min(HIGHEST_GRADE, int(number)) if number >= 1 else 0


def _graded(one: Mapping[str, Any], document: bool) -> Gold | None:  # noqa: FBT001 - one of two callers
    chunk = next((one[key] for key in ("chunk_id", "id", "passage_id", "_id") if one.get(key) is not None), None)
    doc = next((one[key] for key in ("doc_id", "document_id") if one.get(key) is not None), None)
    passage = chunk if chunk is not None else doc
    grade = next((one[key] for key in ("grade", "relevance", "rel") if one.get(key) is not None), 1)
    return None if passage is None else Gold(str(passage), grade_of(grade), document or chunk is None)
