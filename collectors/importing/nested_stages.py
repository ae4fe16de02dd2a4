"""Stages that a log keeps as a list of objects, each with its name and its hits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ...model import StageKind, wire
from ..dialects.json_text import load
from ..dialects.values import as_text
from .hit_values import HitReader, HitValues
from .logged import LoggedStage
from .moments import length_ns
from .names import DEFAULT_STAGE, kind_of
from .stage_attributes import dumped, stage_attributes

_NAMES: Final = ("name", "stage", "retriever", "step", "type", "kind")
_HITS: Final = (
    *("hits", "results", "documents", "docs", "chunks", "passages", "nodes", "matches", "ids", "chunk_ids"),
    *("doc_ids", "retrieved", "output", "outputs"),
)
_BESIDE: Final = ("scores", "texts", "docs", "metadata", "ranks")
_LENGTHS: Final = {"latency_ms": 10**6, "duration_ms": 10**6, "latency_s": 10**9, "duration_s": 10**9}


def nested_stages(value: Any, shared: Mapping[str, Any], remarks: list[str]) -> list[LoggedStage]:  # noqa: ANN401
    """The stages in their order; what is no object is left out with a remark."""
    loaded = load(value)
    if loaded in (None, ""):
        return []
    if not isinstance(loaded, list):
        remarks.append("stages that are no list")
        return []
    stages = []
    for one in loaded:
        if not isinstance(one, Mapping):
            remarks.append("a stage that is no object")
            continue
        name = next((text for key in _NAMES if (text := as_text(one.get(key)))), DEFAULT_STAGE)
        kind = _kind(one, name)
        hits = next((key for key in _HITS if one.get(key) is not None), None)
        said = {**shared, **{key: one[key] for key in ("query", "top_k", "filters", "index", "model") if key in one}}
        attributes = stage_attributes(kind, said)
        found = None
        if hits is not None:
            beside = {key: one.get(key) for key in _BESIDE if key != hits}
            reader = HitReader(name, separator="", declared=False, score_kind="")
            found = reader.read(HitValues(hits=one[hits], **beside))
            remarks.extend(found.remarks)
            if found.wire is not None:
                attributes[wire.HITS] = dumped(found.wire)
        text = as_text(one.get("text"))
        if text and kind in (StageKind.GENERATE, StageKind.ASSEMBLE):
            attributes[wire.TEXT] = text
        length = next((length_ns(one[key], factor) for key, factor in _LENGTHS.items() if key in one), None)
        ids = found.ids if found is not None and found.wire is not None else None
        stages.append(LoggedStage(name, kind, attributes, ids, length, as_text(one.get("error")) or ""))
    return stages


def _kind(one: Mapping[str, Any], name: str) -> StageKind:
    for key in ("kind", "type"):
        text = as_text(one.get(key))
        found = kind_of(text) if text else None
        if found is not None:
            return found
    return kind_of(name) or StageKind.OTHER
