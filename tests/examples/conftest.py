"""The example app as a test sees it: importable, and with its lists in view."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "examples"))

LISTS = {"rrf": "rrf", "filter_groups": "groups", "dedupe": "dedupe", "rerank": "rerank"}
"""Function of the app -> name of its stage."""


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """The chunk ids of every list that the bot makes while it answers: stage -> ids, best first.

    Plain Python around the bot's own functions: what is compared with goldrank must not come from goldrank.
    """
    from support_bot import app, prompt

    lists: dict[str, list[str]] = {}

    def keeping(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            hits = function(*args, **kwargs)
            lists[name] = [hit.chunk_id for hit in hits]
            return hits

        return call

    for function, name in LISTS.items():
        monkeypatch.setattr(app, function, keeping(name, getattr(app, function)))
    for leg, function in list(app.LEGS.items()):
        monkeypatch.setitem(app.LEGS, leg, keeping(leg, function))
    monkeypatch.setattr(prompt, "choose", keeping("prompt", prompt.choose))
    return lists
