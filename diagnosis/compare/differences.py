"""Attributes that differ between two requests, or between two stages of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

from pydantic import BaseModel

from ...model import Message, Request, Stage
from ...model.comparison import Difference

_REQUEST: Final = (
    ("app", "app"),
    ("environment", "environment"),
    ("app version", "app_version"),
    ("question", "question"),
    ("history", "history"),
    ("user", "user"),
    ("tenant", "tenant"),
    ("groups", "groups"),
    ("as of", "as_of"),
    ("outcome", "outcome"),
    ("error", "error"),
)
_STAGE: Final = (
    ("name", "name"),
    ("query", "query"),
    ("queries", "queries"),
    ("top_k", "top_k"),
    ("filters", "filters"),
    ("index", "index"),
    ("index version", "index_version"),
    ("embedding model", "embedding_model"),
    ("model", "model"),
    ("technique", "technique"),
    ("outcome", "outcome"),
    ("error", "error"),
)
SHARED: Final = frozenset({"index", "index version", "embedding model", "model"})
"""Attributes of stages that are said of the request as a whole where every stage that has them changed alike."""


def request_differences(then: Request, now: Request) -> tuple[Difference, ...]:
    """What differs between the requests themselves. Ids, times, sessions and notes do not count."""
    return tuple(_differences(then, now, _REQUEST))


def stage_differences(then: Stage, now: Stage) -> tuple[Difference, ...]:
    """What differs between two stages apart from their lists and texts; settings one by one, by name."""
    return (*_differences(then, now, _STAGE), *_settings(then.settings, now.settings))


def shared_differences(of_stages: Sequence[Sequence[Difference]]) -> tuple[Difference, ...]:
    """Differences that stages have in common, each once: "index version: idx-3, idx-4"."""
    found = [one for differences in of_stages for one in differences if one.what in SHARED]
    return tuple(dict.fromkeys(found))


def _differences(then: BaseModel, now: BaseModel, fields: Sequence[tuple[str, str]]) -> Iterator[Difference]:
    for what, field in fields:
        before, after = _said(getattr(then, field)), _said(getattr(now, field))
        if before != after:
            yield Difference(what=what, then=before, now=after)


def _settings(then: dict[str, Any], now: dict[str, Any]) -> Iterator[Difference]:
    for name in sorted(then.keys() | now.keys()):
        before, after = _said(then.get(name)), _said(now.get(name))
        if before != after:
            yield Difference(what=name, then=before, now=after)


def _said(value: object) -> str:
    """In words; empty where nothing was recorded. An empty tuple of groups is "none", and was recorded."""
    if value is None:
        return ""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, tuple):
        if value and isinstance(value[0], Message):
            return "\n".join(f"{message.role}: {message.text}" for message in value)
        return ", ".join(map(str, value)) or "none"
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
