"""What a log says of a stage beside its list, in the words of `model.wire`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import orjson

from ...model import StageKind, wire
from ..dialects.json_text import load
from ..dialects.values import as_count, as_json_value, as_text

_STAGE_TEXTS: Final = {
    "query": wire.QUERY,
    "index": wire.INDEX,
    "index_version": wire.INDEX_VERSION,
    "embedding_model": wire.EMBEDDING_MODEL,
    "model": wire.MODEL,
}
_SEARCHES: Final = frozenset({StageKind.RETRIEVE, StageKind.FUSE, StageKind.RERANK})


def stage_attributes(kind: StageKind, said: Mapping[str, Any]) -> dict[str, Any]:
    """What is said of a stage beside its list. Depth, filters and index are the searches'."""
    searches = kind in _SEARCHES
    found: dict[str, Any] = {}
    for name, key in _STAGE_TEXTS.items():
        text = as_text(said.get(name))
        if text and (searches or name in {"query", "model"}) and not (name == "query" and not searches):
            found[key] = text
    if searches and (depth := as_count(said.get("top_k"))) is not None:
        found[wire.TOP_K] = depth
    if kind is StageKind.RETRIEVE and said.get("filters") not in (None, ""):
        found[wire.FILTERS] = dumped(as_json_value(load(said["filters"])))
    return found


def dumped(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """The value as JSON."""
    return orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS, default=str).decode()
