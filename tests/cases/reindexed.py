"""Cases about a corpus that was indexed anew: labels are made before, and meet the lists of after."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from feeding import feeding
from goldrank.actions import ListCases, Promote, SaveLabels, Workspace, list_cases, promote, save_labels
from goldrank.store import Store
from ranked import T0_NS, make_labels, make_manifest, make_spans
from reporting import describe_request


def run_reindexed(case: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Labels and promotes on the first index version, then asks the same questions on the second."""
    asked = list(case.get("cases") or [case["case"]])
    after = list(case["retrieved_after"])
    lists = after if len(asked) > 1 or isinstance(after[0], list) else [after]
    with feeding(folder) as feed:
        workspace = Workspace(store=feed.store, spool=folder / "spool", who="case", now_ns=lambda: T0_NS)
        feed.send_corpus(make_manifest(case["before"], "before"))
        for number, one in enumerate(asked, start=1):
            sent = make_spans(_request(one["question"], case["before"], case["before"]), number, version="before")
            feed.send(sent.spans)
            feed.ingest()
            save_labels(workspace, SaveLabels(request_id=sent.request_id, labels=make_labels(one["gold"])))
            promote(workspace, Promote(request_id=sent.request_id))
        feed.send_corpus(make_manifest(case["after"], "after"))
        results = []
        for number, (one, hits) in enumerate(zip(asked, lists, strict=True), start=101):
            sent = make_spans(_request(one["question"], hits, case["after"]), number, version="after")
            feed.send(sent.spans)
            feed.ingest()
            results.append(_describe(feed.store, sent.request_id))
        states = list_cases(workspace, ListCases()).rows
    return {
        "cases": results,
        "stale": [name for state in states for name in state.stale],
        "relinked": [text for state in states for text in state.relinked],
    }


def _request(question: str, hits: list[dict[str, Any]], corpus: list[dict[str, Any]]) -> dict[str, Any]:
    scored = [{"score": 1 - place / 100, **hit} for place, hit in enumerate(hits)]
    return {
        "question": question,
        "corpus": corpus,
        "stages": [{"name": "retrieve", "kind": "retrieve", "hits": scored}],
    }


def _describe(store: Store, request_id: str) -> dict[str, Any]:
    described = describe_request(store, request_id)
    facts = store.chunks.facts(request_id, _targets(store, described))
    ranks = [rank for rank in described["gold_ranks"].values() if rank is not None]
    stale = described["verdict"] == "stale_label"
    return {
        **described,
        "state": "stale" if stale else ("found" if ranks else "missed"),
        "gold_rank": None if stale or not ranks else min(ranks),
        "scored": not stale,
        "relinked": [chunk_id for one in facts for chunk_id in one.relinked],
        "similar": [chunk_id for one in facts for chunk_id in one.similar],
        "notes": [note for gold in described["gold"] for note in gold["notes"]],
    }


def _targets(store: Store, described: Mapping[str, Any]) -> tuple[Any, ...]:
    cases = [case for case_id in described["inherited_from"] if (case := store.cases.get(case_id)) is not None]
    return tuple(label.target for case in cases for label in case.labels)
