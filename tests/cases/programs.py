"""Programs: the user's app in a child process, then the ingester, then the store."""

from __future__ import annotations

import importlib.util
import inspect
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from feeding import Feed, feeding
from goldrank.actions import SaveLabels, Workspace, save_labels
from ranked import make_labels
from reporting import describe_request, list_requests

CHILD = Path(__file__).parent / "program_child.py"
SECONDS_A_RUN = 120


def load_program(path: Path) -> ModuleType:
    """The file as a module. Whatever it expects is not looked at here."""
    spec = importlib.util.spec_from_file_location(f"case_{path.stem.replace('-', '_')}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def variants(module: ModuleType) -> Iterator[tuple[str, dict[str, Any]]]:
    """The runs that a program asks for: name and further arguments of `main`.

    `way` takes each of WAYS, and so on; `carry=True` is run with and without.
    """
    parameters = list(inspect.signature(module.main).parameters.values())[1:]
    for parameter in parameters:
        words = getattr(module, f"{parameter.name.upper()}S", None)
        if words is not None:
            for word in words:
                yield str(word), {parameter.name: word}
            return
        if isinstance(parameter.default, bool):
            yield f"with_{parameter.name}", {parameter.name: True}
            yield f"without_{parameter.name}", {parameter.name: False}
            return
    yield "run", {}


def run_program(path: Path, folder: Path) -> dict[str, Any]:
    """Every run of the program: what the process did, and what is in the store afterwards."""
    module = load_program(path)
    gold = getattr(module, "GOLD", None)
    runs = {name: _run(path, folder / name.replace(".", "_"), options, gold) for name, options in variants(module)}
    return {"runs": runs}


def _run(path: Path, folder: Path, options: dict[str, Any], gold: Any) -> dict[str, Any]:
    folder.mkdir(parents=True, exist_ok=True)
    plain = _start(path, folder, "plain", options)
    traced = _start(path, folder, "traced", options)
    with feeding(folder) as feed:
        feed.ingest()
        stored = _stored(feed, folder, gold)
    return {
        **stored,
        "exit_code": traced["exit_code"],
        "exit_code_plain": plain["exit_code"],
        "error": traced.get("error"),
        "error_plain": plain.get("error"),
        "returned": traced.get("returned"),
        "seconds": traced.get("seconds"),
        "seconds_plain": plain.get("seconds"),
        "log": traced.get("log", []),
        "stderr": traced["stderr"],
        "spans_started": traced.get("spans_started"),
        "spans_ended": traced.get("spans_ended"),
    }


def _stored(feed: Feed, folder: Path, gold: Any) -> dict[str, Any]:
    listed = list_requests(feed.store)
    if gold is not None:
        workspace = Workspace(store=feed.store, spool=folder / "spool", who="case")
        for row in listed["rows"]:
            labels = make_labels([gold] if isinstance(gold, str) else gold)
            save_labels(workspace, SaveLabels(request_id=row["request_id"], labels=labels))
    counts = feed.store.intake.counts()
    drops: dict[str, int] = {}
    for by_reason in counts["drops"].values():
        for reason, dropped in by_reason.items():
            drops[reason] = drops.get(reason, 0) + dropped
    largest = feed.store.query("select max(len(attributes)) from spans", limit=1).rows[0][0]
    return {
        "listed": listed,
        "requests": [describe_request(feed.store, row["request_id"]) for row in listed["rows"]],
        "spans_stored": counts["rows"]["spans"],
        "drops": drops,
        "bad_frames": counts["bad_frames"],
        "largest_attributes_chars": largest or 0,
    }


def _start(path: Path, folder: Path, mode: str, options: dict[str, Any]) -> dict[str, Any]:
    report = folder / f"{mode}.json"
    environment = {**os.environ, "GOLDRANK_DIR": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, str(CHILD), str(path), str(report), mode, json.dumps(options)],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=SECONDS_A_RUN,
        check=False,
    )
    seen = json.loads(report.read_text(encoding="utf-8")) if report.exists() else {}
    return {**seen, "exit_code": done.returncode, "stderr": done.stderr}
