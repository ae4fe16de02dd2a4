"""One id under which two retrievers show different texts: two chunks that the request takes for one."""

from __future__ import annotations

from collections.abc import Mapping

from .chunks import SeenChunk, SeenText
from .gold_case import Evidence
from .lists import RETRIEVERS
from .matching import compare
from .sentence import joined

_SHOWN = 3


def other_texts(evidence: Evidence, chunks: Mapping[str, SeenChunk]) -> dict[str, str]:
    """Stage id of a retriever -> the note on ids that an earlier retriever shows with another text.

    Ids of two named indexes are two chunks anyway. A text that holds the other, or may do so where one was cut, is
    the same: what rerankers, builders and other stages make of a text is not looked at.
    """
    suspects = {one.chunk_id: one for one in chunks.values() if len(one.texts) > 1 and len(one.indexes) < 2}
    first: dict[str, tuple[str, SeenText]] = {}
    notes: dict[str, str] = {}
    for stage_id, ranked in evidence.lists.items():
        if ranked.stage.kind not in RETRIEVERS or not suspects:
            continue
        different: dict[str, list[str]] = {}
        for chunk_id in suspects.keys() & ranked.by_id.keys():
            shown = ranked.by_id[chunk_id].hit.text
            own = next((text for text in suspects[chunk_id].texts if text.raw == shown), None)
            if own is not None:
                name, before = first.setdefault(chunk_id, (evidence.names[stage_id], own))
                if _differ(before, own):
                    different.setdefault(name, []).append(chunk_id)
        if different:
            notes[stage_id] = "; ".join(_said(ids, name) for name, ids in sorted(different.items()))
    return notes


def _differ(one: SeenText, other: SeenText) -> bool:
    """Whether neither can be a part of the other."""
    if one.cut and other.cut:
        return not (one.normal.startswith(other.normal[:-1]) or other.normal.startswith(one.normal[:-1]))
    return compare(one, other.normal) is False if one.cut else compare(other, one.normal) is False


def _said(ids: list[str], name: str) -> str:
    verb, what = ("holds", "that id") if len(ids) == 1 else ("hold", "their ids")
    return f"{joined(sorted(ids), at_most=_SHOWN)} {verb} another text here than in {name}: {what} may name two chunks"
