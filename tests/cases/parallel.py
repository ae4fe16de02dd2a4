"""Many readers and promoters at once, on one store."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from feeding import feeding
from goldrank.actions import ListCases, Promote, SaveLabels, Workspace, list_cases, promote, save_labels
from ranked import make_labels, make_spans


def run_parallel(main: Callable[..., Any], folder: Path) -> dict[str, Any]:
    """Runs `main(write_trace, reader, promote)`; traces are written one by one, everything else in threads.

    Whoever first looks takes in what was written until then, as an ingester finds it: all at once.
    """
    ids: dict[int, str] = {}
    golds: dict[int, str] = {}
    looking = threading.Lock()
    with feeding(folder) as feed:
        workspace = Workspace(store=feed.store, spool=folder / "spool", who="case")

        def write_trace(number: int, hits: list[dict[str, Any]]) -> None:
            stage = {"name": "retrieve", "kind": "retrieve", "hits": hits}
            sent = make_spans({"question": f"question {number}", "stages": [stage]}, number + 1)
            feed.send(sent.spans)
            ids[number], golds[number] = sent.request_id, hits[0]["id"]

        def take_in() -> None:
            with looking:
                if golds:
                    feed.ingest()
                while golds:
                    number, gold = golds.popitem()
                    save_labels(workspace, SaveLabels(request_id=ids[number], labels=make_labels([gold])))

        def reader(number: int) -> int:
            take_in()
            recorded = feed.store.requests.get(ids[number])
            assert recorded is not None
            return len(recorded.stages[0].hits or ())

        def promote_one(number: int, user: str) -> None:
            take_in()
            promote(workspace._replace(who=user), Promote(request_id=ids[number]))

        wrong, errors = main(write_trace, reader, promote_one)
        return {"wrong": wrong, "errors": errors, "cases": list_cases(workspace, ListCases()).matching}
