"""The example app as a test sees it: importable, and with its lists in view."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from goldrank.actions import RequestView, ShowRequest, Workspace, show
from goldrank.collectors.ingester import Ingester
from goldrank.store import Store
from goldrank.store.duckdb import open_store

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


class Demo(NamedTuple):
    """The demo, run for real in a process of its own and taken into a store."""

    workspace: Workspace
    complaints: dict[str, dict[str, Any]]
    """Ticket -> its entry with the real request id, as the demo wrote it."""
    views: dict[str, RequestView]

    def view(self, ticket: str) -> RequestView:
        """What goldrank shows for the ticket as it was pasted, with the gold that a person would mark."""
        if ticket not in self.views:
            entry = self.complaints[ticket]
            gold = (*entry["gold_chunks"], *(f"doc:{name}" for name in entry["gold_documents"]))
            ask = ShowRequest(request=entry["text"], gold=gold, expect=tuple(entry["expect_phrases"]))
            self.views[ticket] = show(self.workspace, ask)
        return self.views[ticket]


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory, recorded_demo: Path) -> Iterator[Demo]:
    """Spool, ingester, DuckDB: everything that lies between the bot and a sentence."""
    directory = shutil.copytree(recorded_demo, tmp_path_factory.mktemp("demo") / "data")
    written = json.loads((directory / "demo_complaints.json").read_text("utf-8"))
    with open_store(directory / "store.duckdb") as store:
        workspace = Workspace(store=store, spool=directory / "spool", who="test")
        yield Demo(workspace, {entry["ticket"]: entry for entry in written}, {})


@pytest.fixture(scope="session")
def ingest() -> Callable[[Path, Store], None]:
    """Takes a spool into a store."""
    return take_in


def take_in(spool: Path, store: Store) -> None:
    """Takes in everything that the spool holds."""
    ingester = Ingester(spool, store)
    while ingester.run_once():
        pass
