"""What is worth knowing about one list apart from its hits: repeats, ties, missing ranks, counts of a fusion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from ..model import Completeness, IdSource, ListNote, StageKind
from .chunks import SeenChunk
from .gold_case import Evidence
from .lists import RankedList, is_incomplete
from .other_texts import other_texts
from .sentence import count, joined, missing_from

_SHOWN = 3
_RRF_KEYS = ("k", "rrf_k", "rank_constant", "constant")
_RRF_USUAL = 60.0
_CLOSE = 0.002
"""Relative: recorded scores are rounded to six digits or so."""


class Overcount(NamedTuple):
    """A fused hit whose score holds several places of one list."""

    stage_id: str
    chunk_id: str
    times: int
    """How often it was counted in one list."""
    ratio: float
    """Its recorded score by what one count per list would give."""

    @property
    def text(self) -> str:
        """As a sentence without its full stop."""
        how = "about twice" if 1.9 <= self.ratio <= 2.1 else f"about {self.ratio:.1f} times"
        return (
            f"{self.chunk_id} was counted {self.times} times in one list: "
            f"its fused score is {how} what one count per list gives"
        )


def notes_on_lists(
    evidence: Evidence,
    chunks: Mapping[str, SeenChunk],
    *,
    by_document: bool,
    manifest: Mapping[str, Mapping[str, Any]] | None = None,
) -> tuple[ListNote, ...]:
    """The notes on every list, in the flow's order; the share of each document where a label is about documents.

    `manifest` is chunk id -> metadata of everything that was searched; None where that is not known.
    """
    notes = []
    elsewhere = other_texts(evidence, chunks)
    for stage_id, ranked in evidence.lists.items():
        texts = [*_missing(ranked, evidence.names[stage_id]), *_repeats(ranked), *_ties(ranked), *_versions(ranked)]
        texts += [elsewhere[stage_id]] if stage_id in elsewhere else []
        texts += [one.text for one in overcounts(evidence, stage_id)[:_SHOWN]]
        texts += _documents(ranked) if by_document else []
        texts += _left_over(ranked, manifest) if manifest else []
        notes += [ListNote(stage_id=stage_id, text=text) for text in texts]
    return tuple(notes)


def tied_ranks(ranked: RankedList) -> list[tuple[int, int]]:
    """First and last listed rank of each run of neighbours with equal scores; places of one id are no tie."""
    runs = []
    scored = [place for place in ranked.places if place.first]
    for score, run in groupby(scored, key=lambda place: place.hit.score):
        ranks = [place.rank for place in run]
        if score is not None and len(ranks) > 1:
            runs.append((ranks[0], ranks[-1]))
    return runs


def _missing(ranked: RankedList, name: str) -> list[str]:
    if ranked.stage.completeness is Completeness.TEXT_NOT_RECEIVED:
        return ["the texts of some hits were not received"]
    return [missing_from(name, ranked.stage)] if is_incomplete(ranked.stage) else []


def _repeats(ranked: RankedList) -> list[str]:
    times = Counter(place.hit.chunk_id for place in ranked.places)
    return [f"{chunk_id} stands {number} times" for chunk_id, number in times.items() if number > 1]


def _ties(ranked: RankedList) -> list[str]:
    runs = tied_ranks(ranked)
    if not runs:
        return []
    words = [f"ranks {first:,} to {last:,}" for first, last in runs]
    scores = "equal scores" if len(runs) == 1 else "equal scores each"
    return [f"{joined(words, at_most=_SHOWN)} have {scores}; the recorded order decides"]


def _versions(ranked: RankedList) -> list[str]:
    if len(ranked.places) == len(ranked.by_id):
        return []
    texts: dict[str, set[str]] = {}
    for place in ranked.places:
        if place.hit.text is not None:
            texts.setdefault(place.hit.chunk_id, set()).add(" ".join(place.hit.text.split()))
    return [f"{one} stands here with {len(own)} different texts" for one, own in texts.items() if len(own) > 1]


def _documents(ranked: RankedList) -> list[str]:
    documents = Counter(place.hit.doc_id for place in ranked.places if place.first and place.hit.doc_id is not None)
    if not documents:
        return []
    shares = [f"{doc_id} {number:,}" for doc_id, number in documents.most_common()]
    return [f"by document: {joined(shares, at_most=5)} of {count(len(ranked.by_id), 'hit')}"]


def _left_over(ranked: RankedList, manifest: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Ids that a retriever still answers with, though the manifest of the index version does not hold them.

    Nothing is said where it holds none of the list: such a list is of something else (documents, sections).
    """
    if ranked.stage.kind is not StageKind.RETRIEVE or not any(chunk_id in manifest for chunk_id in ranked.by_id):
        return []
    around = {known.get(key) for known in manifest.values() for key in ("doc_id", "parent_id")}
    around |= {one for place in ranked.places for one in (place.hit.doc_id, place.hit.parent_id)}
    gone = [
        chunk_id
        for chunk_id, place in ranked.by_id.items()
        if place.hit.id_source is not IdSource.DERIVED and chunk_id not in manifest and chunk_id not in around
    ]
    if not gone:
        return []
    verb, held = ("is", "it") if len(gone) == 1 else ("are", "them")
    named = joined(gone, at_most=_SHOWN)
    return [f"{named} {verb} left over: the manifest of this index version does not hold {held}"]


def overcounts(evidence: Evidence, stage_id: str) -> list[Overcount]:
    """Fused hits whose recorded score is what reciprocal rank fusion gives when it counts every place of a list."""
    ranked = evidence.lists[stage_id]
    legs = [
        evidence.lists[one.stage_id]
        for one in evidence.graph.inputs.get(stage_id, ())
        if one.stage_id in evidence.lists
    ]
    if ranked.stage.kind is not StageKind.FUSE or not any(place.hit.score for place in ranked.places):
        return []
    settings = ranked.stage.settings
    k = next((float(settings[key]) for key in _RRF_KEYS if isinstance(settings.get(key), int | float)), _RRF_USUAL)
    places = [_places_by_name(leg) for leg in legs]
    found = []
    for chunk_id, place in ranked.by_id.items():
        ranks = [one.get(chunk_id, []) for one in places]
        ratio = _ratio(place.hit.score, ranks, k) if any(len(one) > 1 for one in ranks) else None
        if ratio is not None:
            found.append(Overcount(stage_id, chunk_id, max(map(len, ranks)), ratio))
    return found


def _places_by_name(leg: RankedList) -> dict[str, list[int]]:
    """Chunk id or document -> the listed ranks at which it stands."""
    ranks: dict[str, list[int]] = {}
    for place in leg.places:
        for name in {place.hit.chunk_id, place.hit.doc_id} - {None}:
            ranks.setdefault(str(name), []).append(place.rank)
    return ranks


def _ratio(score: float | None, ranks: Sequence[Sequence[int]], k: float) -> float | None:
    """The recorded score by that of one count per list, where it agrees with a count of every place."""
    for shift in (0, 1):
        if score is None or k - shift <= -1:
            return None
        every = sum(1 / (k + rank - shift) for one in ranks for rank in one)
        once = sum(1 / (k + min(one) - shift) for one in ranks if one)
        if abs(score - every) <= _CLOSE * every and every > once * 1.05:
            return score / once
    return None
