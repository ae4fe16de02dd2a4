"""Curation: promoting, conflicts, and exports that come back as they went."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from typing import Any

from feeding import Feed, feeding
from goldrank.actions import (
    ExportCases,
    ImportCases,
    ListCases,
    Promote,
    SaveLabels,
    Workspace,
    export_cases,
    import_cases,
    list_cases,
    promote,
    save_labels,
)
from goldrank.model import EvalCase, GoldrankError
from goldrank.store.duckdb import open_store
from ranked import T0_NS, make_labels, make_spans
from reporting import describe_request


def run_promotes(case: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Promotes in the order of the file; the same trace twice is the same request. Then once more, all at once."""
    wanted = case["promotes"]
    with feeding(folder) as feed:
        sent = _record(feed, wanted)
        steps = []
        for one in wanted:
            workspace = _workspace(feed, folder, one)
            try:
                steps.append(_step(workspace, _promote(workspace, sent[one["trace"]], one)))
            except GoldrankError as error:
                steps.append(_step(workspace, None) | {"error": f"{type(error).__name__}: {error}"})
        cases = _cases(feed)
        traces = {request_id: trace for trace, request_id in sent.items()}
        return {
            "promotes": steps,
            "cases": [
                {
                    "question": one.question,
                    "traces": [traces.get(request_id, request_id) for request_id in one.source_requests],
                    "history_turns": len(one.history),
                    "gold": [label.target.chunk_id for label in one.labels],
                }
                for one in cases
            ],
            "cases_at_once": _at_once(wanted, folder / "at-once"),
        }


def run_exports(requests: list[dict[str, Any]], folder: Path) -> dict[str, Any]:
    """Records, labels and promotes every question, exports all, and imports that into an empty store."""
    folder.mkdir(parents=True, exist_ok=True)
    with feeding(folder / "one") as feed:
        refused, warnings = [], []
        for number, one in enumerate(requests, start=1):
            workspace = _workspace(feed, folder, one)
            gold = make_labels(one["gold"])
            hits = one.get("hits") or [{"id": label.target.chunk_id, "score": 1.0} for label in gold]
            stages = one.get("stages") or [{"name": "retrieve", "kind": "retrieve", "hits": hits}]
            sent = make_spans({**one, "stages": stages}, number)
            feed.send(sent.spans)
            feed.ingest()
            try:
                save_labels(workspace, SaveLabels(request_id=sent.request_id, labels=gold))
                warnings += promote(workspace, Promote(request_id=sent.request_id)).warnings
            except GoldrankError as error:
                refused.append({"question": one["question"], "error": str(error)})
        text = export_cases(workspace, ExportCases()).text
        cases = _cases(feed)
        described = describe_request(feed.store, sent.request_id)
    with open_store(folder / "two.duckdb") as store:
        other = Workspace(store=store, spool=folder / "two-spool", who="case", now_ns=lambda: T0_NS)
        imported = import_cases(other, ImportCases(text=text, source="export.jsonl"))
        again = export_cases(other, ExportCases()).text
    return {
        "jsonl": {
            "text": text,
            "lines": len(text.splitlines()),
            "equal_after_import": again == text,
            "bad_lines": [line.reason for line in imported.bad],
        },
        "cases": [case.model_dump(mode="json") for case in cases],
        "refused": refused,
        "warnings": warnings,
        "requests": [described],
        "request": described,
    }


def run_follow_up(trace: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """A question that refers back, promoted and exported; and once more as if only its words had been recorded."""
    bare = {key: value for key, value in trace.items() if key not in {"history", "rewrite"}}
    warnings = run_exports([bare], folder / "bare")["warnings"]
    return run_exports([dict(trace)], folder / "whole") | {"bare_warnings": warnings}


def run_large_case(trace: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """One large failed request, promoted and exported."""
    meta = dict(trace.get("meta") or {})
    one = {key: trace[key] for key in ("question", "history", "hits", "gold") if key in trace}
    return run_exports([one | {"tenant": meta.get("tenant")}], folder)


def _record(feed: Feed, wanted: list[dict[str, Any]]) -> dict[str, str]:
    """Trace -> id of the request that was recorded for it."""
    sent: dict[str, str] = {}
    for one in wanted:
        if one["trace"] not in sent:
            named = (label.target.chunk_id or label.target.doc_id for label in make_labels(_gold_of(one)))
            ids = dict.fromkeys(named)
            hits = [{"id": chunk_id, "score": 1 - place / 10} for place, chunk_id in enumerate(ids)]
            case = {key: one[key] for key in ("question", "history", "tenant", "groups") if key in one}
            stages = [{"name": "retrieve", "kind": "retrieve", "hits": hits}]
            made = make_spans({**case, "stages": stages}, len(sent) + 1)
            feed.send(made.spans)
            sent[one["trace"]] = made.request_id
    feed.ingest()
    return sent


def _gold_of(one: Mapping[str, Any]) -> dict[str, Any]:
    """What a promote says of passages, in the one form that has a place for forbidden ones."""
    gold = one["gold"] if isinstance(one["gold"], Mapping) else {"chunk_ids": one["gold"]}
    return {**gold, "forbidden_ids": [*gold.get("forbidden_ids", ()), *one.get("forbidden", ())]}


def _promote(workspace: Workspace, request_id: str, one: Mapping[str, Any]) -> dict[str, Any]:
    save_labels(workspace, SaveLabels(request_id=request_id, labels=make_labels(_gold_of(one))))
    done = promote(workspace, Promote(request_id=request_id))
    conflict = None
    if done.conflict is not None:
        conflict = [{"who": side.who, "at_ns": side.at_ns, "gold": list(side.gold)} for side in done.conflict]
    return {"outcome": done.outcome.value, "conflict": conflict, "error": None, "warnings": list(done.warnings)}


def _step(workspace: Workspace, done: dict[str, Any] | None) -> dict[str, Any]:
    matching = list_cases(workspace, ListCases()).matching
    return (done or {"outcome": "refused", "conflict": None}) | {"cases_after": matching}


def _at_once(wanted: list[dict[str, Any]], folder: Path) -> int:
    """How many cases there are when everybody presses at the same time; refusals are theirs to read."""
    folder.mkdir(parents=True, exist_ok=True)
    with feeding(folder) as feed:
        sent = _record(feed, wanted)

        def press(one: Mapping[str, Any]) -> None:
            try:
                _promote(_workspace(feed, folder, one), sent[one["trace"]], one)
            except GoldrankError:
                return

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(press, [*wanted, *wanted]))
        return len(_cases(feed))


def _cases(feed: Feed) -> list[EvalCase]:
    return [state.case for state in list_cases(_workspace(feed, Path(), {}), ListCases()).rows]


def _workspace(feed: Feed, folder: Path, one: Mapping[str, Any]) -> Workspace:
    at_ns = int(datetime.fromisoformat(one["at"]).timestamp()) * 1_000_000_000 if "at" in one else T0_NS
    return Workspace(store=feed.store, spool=folder / "spool", who=one.get("user", "case"), now_ns=lambda: at_ns)
