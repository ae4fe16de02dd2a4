"""The threshold of a filter, beside the score that the gold had before it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..model import ScoreKind, Stage
from .gold_case import GoldCase

_MINIMUM_KEYS = ("score_threshold", "threshold", "min_score", "similarity_cutoff", "score_cutoff")
_MAXIMUM_KEYS = ("max_distance", "distance_threshold")


class Limit(NamedTuple):
    """A recorded threshold beside the gold's recorded score."""

    value: float
    score: float
    is_maximum: bool
    is_beyond: bool
    """The gold's score is beyond it."""
    explains: bool
    """It is, and that of no hit that was kept."""


def threshold_of(case: GoldCase, stage: Stage) -> Limit | None:
    """The threshold of a filter, from its settings, its filter, or the app's notes on the request."""
    score = case.last_point.score
    if score is None or case.last is None:
        return None
    ranked = case.evidence.lists[case.last]
    own = case.evidence.lists[stage.stage_id]
    distance = any(place.hit.score_kind is ScoreKind.DISTANCE for place in ranked.places)
    found = _setting(case, stage, _MAXIMUM_KEYS)
    is_maximum = found is not None
    if found is None:
        found = _setting(case, stage, _MINIMUM_KEYS)
        is_maximum = distance
    if found is None:
        return None
    kept = [place.hit.score for chunk_id, place in ranked.by_id.items() if chunk_id in own.by_id]
    beyond = [one is not None and (one > found if is_maximum else one < found) for one in (score, *kept)]
    return Limit(found, score, is_maximum, beyond[0], beyond[0] and not any(beyond[1:]))


def _setting(case: GoldCase, stage: Stage, keys: tuple[str, ...]) -> float | None:
    for source in (stage.settings, stage.filters, case.evidence.request.notes):
        if isinstance(source, Mapping):
            for key in keys:
                value: Any = source.get(key)
                if isinstance(value, int | float) and not isinstance(value, bool):
                    return float(value)
    return None
