"""The one adapter between the cases and goldrank: `run_case(file, folder)` gives a plain dict of JSON values.

    python tests/cases/adapter.py CASE [FOLDER]      prints it

Nothing that a case expects is read here (`expect` in a JSON file, `EXPECT` in a program, `*.expect.json`):
what comes out is what goldrank says. It always goes the whole way: spans (from the shim in a child process, or
written by hand in its words) -> spool -> ingester -> DuckDB -> labels, diagnosis -> this report.

Every result has `kind`, and by kind:

span lines (`NN.jsonl`, or a program with `rows()` or `spans()`)
    after_each_line   list_requests (below) after every line that was fed, where there are at most 50
    listed, requests  at the end
program (`main(shim)`)
    runs              name of the run ("run", "with_carry", "without_carry", a WAY) -> listed, requests, and
                      exit_code, error, returned, seconds (each also as *_plain: without goldrank), log, stderr,
                      spans_started, spans_ended, spans_stored, drops {reason: spans}, largest_attributes_chars
rank case, story (`stages` and `gold`), also several (`cases`, `requests`)
    requests          one a question, in the order of the file, each examined; null where it was not in the run
    request           the only one, where there is one
re-indexed (`before`, `after`)
    cases             question -> state, gold_rank, relinked, similar, notes, and the examined request
curation (`promotes`, questions to export, a `trace` to promote, a large case)
    promotes          outcome, error, cases_after, conflict
    warnings          what promoting warned of;   bare_warnings   the same without history and rewrite
    jsonl             the export, its lines, and whether importing it into an empty store exports the same
parallel (`main(write_trace, reader, promote)`)
    wrong, errors, cases
lock, links, limits   see `surroundings`

A listed request: request_id, question, status, missing, incomplete, verdict, start_ns, duration_ms.
A request: the same and root (name of its request span), stages (name, kind, parent, status, clock, no_end,
    duration_ms, query, completeness, length, hits [rank, id, id_source, doc_id, score, text, meta]), spans; and
    verdict       the cause, a `Verdict` value
    stage         name of the stage that lost the gold; "context" for the prompt; of a gold that no retriever found
                  the retrievers, joined by ", "; null where nothing lost it or where that cannot be told
    sentence      what a person reads
    gold_ranks    stage -> best listed rank or null     gold_ranks_distinct   the same, each id counted once
    gold          one a label: name, verdict, stage, ranks {stage: listed, distinct, document (of a
                  label for a whole document), state, matched_by, score},
                  position in the prompt, notes
    gold_in_context   true, false, or null where the context is not known;   context: source and chunk_ids
    marks, leaks, modifiers, list_notes, flow, inherited_from, certainty, cannot_tell, warnings
What a story gives when it is run again, with something changed or without: `replayed.Replays`, which a check asks.
Statuses are those of `Outcome`: ok, error, cancelled, closed_early, incomplete.
"""

from __future__ import annotations

import inspect
import json
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from itertools import chain, islice
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
for helpers in (HERE, HERE.parent / "collectors"):
    if str(helpers) not in sys.path:
        sys.path.insert(0, str(helpers))

from curation import run_exports, run_follow_up, run_large_case, run_promotes  # noqa: E402
from feeding import feeding  # noqa: E402
from parallel import run_parallel  # noqa: E402
from programs import load_program, run_program  # noqa: E402
from ranked import examine_cases  # noqa: E402
from reindexed import run_reindexed  # noqa: E402
from reporting import describe_request, list_requests  # noqa: E402
from span_lines import spans_of, with_ids  # noqa: E402
from surroundings import run_limits, run_links, run_lock  # noqa: E402

SHORT_FILE = 50
"""Up to so many lines are fed one by one, with a look at the list after each."""
DESCRIBED = 20


def run_case(path: Path, folder: Path) -> dict[str, Any]:
    """Runs one file of the cases in an empty folder."""
    if path.suffix == ".jsonl":
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]
        return {"kind": "span lines"} | run_span_lines(lines, folder)
    if path.suffix == ".py":
        return _run_module(path, folder)
    case = json.loads(path.read_text(encoding="utf-8"))
    case.pop("expect", None)
    return _run_json(case, folder)


def run_span_lines(lines: Iterable[Mapping[str, Any]], folder: Path) -> dict[str, Any]:
    """Feeds spans in the order of the file."""
    lines = iter(lines)
    first = list(islice(lines, SHORT_FILE + 1))
    short = len(first) <= SHORT_FILE
    after: list[dict[str, Any]] = []
    traces: dict[str, None] = {}

    def watched(source: Iterable[Mapping[str, Any]]) -> Iterable[Any]:
        for line in source:
            traces.setdefault(with_ids(line)["trace_id"])
            yield from spans_of(line)

    with feeding(folder) as feed:
        if short:
            for line in first:
                feed.send(watched([line]))
                feed.ingest()
                after.append(list_requests(feed.store))
        else:
            feed.send(watched(chain(first, lines)))
        feed.ingest()
        ids = [
            request_id
            for trace in islice(traces, DESCRIBED)
            for (request_id,) in feed.store.query(
                f"select request_id from requests where trace_id = '{trace}' order by start_ns", limit=10
            ).rows
        ]
        return {
            "after_each_line": after if short else None,
            "listed": list_requests(feed.store),
            "requests": [describe_request(feed.store, request_id) for request_id in ids],
            "bad_frames": feed.store.intake.counts()["bad_frames"],
        }


def _run_module(path: Path, folder: Path) -> dict[str, Any]:
    module = load_program(path)
    if hasattr(module, "main"):
        if list(inspect.signature(module.main).parameters)[:1] == ["shim"]:
            return {"kind": "program"} | run_program(path, folder)
        return {"kind": "parallel"} | run_parallel(module.main, folder)
    if hasattr(module, "trace"):
        return {"kind": "curation"} | run_large_case(module.trace(), folder)
    sources = [getattr(module, name) for name in ("rows", "spans", "small") if hasattr(module, name)]
    if not sources:
        raise ValueError(f"{path.name} has none of main, rows, spans, trace: it is no kind of case that is known")
    return {"kind": "span lines"} | run_span_lines(chain.from_iterable(source() for source in sources), folder)


def _run_json(case: dict[str, Any], folder: Path) -> dict[str, Any]:
    for key, kind, run in _BY_KEY:
        if key in case:
            return {"kind": kind} | run(case, folder)
    if _is_export(case):
        return {"kind": "curation"} | run_exports(case["cases"], folder)
    if "trace" in case:
        return {"kind": "curation"} | run_follow_up({**case["trace"], "gold": case.get("gold", ())}, folder)
    with feeding(folder) as feed:
        asked = _questions(case)
        examined = examine_cases(feed, folder / "spool", (one for one in asked if one is not None))
        requests = [None if one is None else next(examined) for one in asked]
        result: dict[str, Any] = {"listed": list_requests(feed.store), "requests": requests}
    if len(requests) == 1:
        result["request"] = requests[0]
    return {"kind": "story" if "corpus" in case else "rank case"} | result


def _is_export(case: Mapping[str, Any]) -> bool:
    """Questions with gold and without any list: they are there to be exported."""
    return "cases" in case and not any("hits" in one or "stages" in one for one in case["cases"])


def _questions(case: Mapping[str, Any]) -> list[dict[str, Any] | None]:
    """The questions of a file as rank cases; None for one that was not in the run."""
    if "stages" in case:
        return [dict(case)]
    shared = {"gold": case["gold"]} if "gold" in case else {}
    return [_question(shared | one) for one in case.get("cases") or case["requests"]]


def _question(one: dict[str, Any]) -> dict[str, Any] | None:
    if "stages" not in one:
        if "hits" not in one:
            return None
        stage = {"name": "retrieve", "kind": "retrieve", "hits": one["hits"]}
        one = {**one, "stages": [stage | ({"status": "error"} if one["hits"] is None else {})]}
    return {"question": "?"} | one


_BY_KEY: tuple[tuple[str, str, Callable[[dict[str, Any], Path], dict[str, Any]]], ...] = (
    ("before", "re-indexed", run_reindexed),
    ("promotes", "curation", run_promotes),
    ("links", "links", run_links),
    ("steps", "lock", run_lock),
    ("make", "limits", run_limits),
)
"""Key that only this kind of file has -> kind, and how it is run."""


def main() -> None:
    """Runs the case of the command line and prints what came out."""
    folder = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(tempfile.mkdtemp(prefix="goldrank-case-"))
    sys.stdout.write(json.dumps(run_case(Path(sys.argv[1]), folder), indent=1) + "\n")


if __name__ == "__main__":
    main()
