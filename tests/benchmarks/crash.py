"""Is anything lost or doubled when processes are killed? Three writers and an ingester, killed with -9 at random.

    python tests/benchmarks/crash.py [--kills 60] [--rows 120000] [--seed 1] [--json]

Writers record requests with lists of hits, feedback and counts, flush after every ten requests, and note what a
flush acknowledged in a log of their own. Victims are killed at random moments, also while they start, and are
started anew. In the end everything is ingested and compared with the logs, by id and content:

lost      acknowledged, and not in the store, or not as it was written
doubled   in the store more often than it was written; feedback and counts are append-only, so they tell
Exit code 1 if there is any of either.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

GROUP = 10
"""Requests between two flushes."""
STAGES = ("bm25", "dense", "rrf")
HITS = 8
ROWS_A_REQUEST = 1 + len(STAGES) * (1 + HITS)
"""Spans and hits."""
WRITERS = 3
SEGMENT_BYTES = 64 * 1024
"""Small, so that many segments are finished and deleted while processes die."""
BACKLOG_BYTES = 384 * 1024
"""Writers wait while the spool holds more."""
PATIENCE_S = 120.0


class Folder(NamedTuple):
    """Where one run keeps its files."""

    root: Path

    @property
    def spool(self) -> Path:
        return self.root / "spool"

    @property
    def store(self) -> Path:
        return self.root / "store.duckdb"

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @property
    def stop(self) -> Path:
        return self.root / "stop"


# What a writer writes: a function of its name and a number, so that the check can make it again.


def question(name: str, number: int) -> str:
    """The question of a request."""
    return f"question {number} of {name}"


def hits(number: int, stage: int) -> list[dict[str, Any]]:
    """The hits of one of its lists, best first; the first list carries the texts."""
    found = []
    for rank in range(HITS):
        chunk = (number * 7 + stage * 3 + rank * 11) % 2_000
        hit: dict[str, Any] = {"id": f"c{chunk}", "s": round(1 / (rank + 1 + number % 5), 6)}
        if stage == 0:
            hit |= {"t": rank, "x": f"the text of chunk {chunk}"}
        found.append(hit)
    return found


def write(folder: Folder) -> None:
    """A writer: records groups of requests until the stop file is there."""
    from goldrank.model import Feedback, FrameKind, make_request_id, wire
    from goldrank.tracing import lifecycle
    from goldrank.tracing.processor import SpoolProcessor
    from goldrank.tracing.spool import SpoolLimits
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider

    name = f"w{os.getpid()}-{secrets.token_hex(4)}"
    processor = SpoolProcessor(folder.spool, app=name, limits=SpoolLimits(segment_bytes=SEGMENT_BYTES))
    lifecycle.install(processor)
    provider = TracerProvider(resource=Resource({wire.APP: name}), shutdown_on_exit=False)
    provider.add_span_processor(processor)
    tracer = provider.get_tracer("goldrank")

    def ask(number: int) -> str:
        attributes = {wire.VERSION: wire.WIRE_VERSION, wire.KIND: "request", wire.QUESTION: question(name, number)}
        with tracer.start_as_current_span("ask", attributes=attributes) as root:
            context = root.get_span_context()
            request_id = make_request_id(context.trace_id, context.span_id)
            for place, stage in enumerate(STAGES):
                lists = {wire.HITS_LENGTH: HITS, wire.HITS_SCOPE: name, wire.HITS_LIST: hits(number, place)}
                span = tracer.start_span(stage)
                span.set_attributes({wire.VERSION: wire.WIRE_VERSION, wire.KIND: "retrieve", wire.NAME: stage})
                span.set_attributes({wire.REQUEST_ID: request_id, wire.HITS: json.dumps(lists)})
                span.end()
            root.set_attribute(wire.REQUEST_ID, request_id)
        return request_id

    log = os.open(folder.logs / f"{name}.writer", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    group = 0
    while not folder.stop.exists():
        os.write(log, f"{json.dumps({'issued': group})}\n".encode())
        ids = [ask(group * GROUP + n) for n in range(GROUP)]
        said = Feedback(feedback_id=f"{name}-{group}", request_id=ids[0], app=name, score=-1, at_ns=time.time_ns())
        processor.put(FrameKind.FEEDBACK, said.model_dump_json().encode())
        processor.count("not sampled", 1)
        if processor.flush(PATIENCE_S):
            os.write(log, f"{json.dumps({'acknowledged': group, 'ids': ids})}\n".encode())
        group += 1
        while _backlog(folder.spool) > BACKLOG_BYTES and not folder.stop.exists():
            time.sleep(0.01)


def _backlog(spool: Path) -> int:
    total = 0
    for path in spool.glob("*.seg"):
        try:
            total += path.stat().st_size
        except FileNotFoundError:
            continue
    return total


def ingest(folder: Folder, *, drain: bool) -> None:
    """An ingester: takes in what comes, for ever; or all that there is."""
    from goldrank.collectors.ingester import Ingester
    from goldrank.store.duckdb import open_store
    from goldrank.tracing.spool import list_segments

    log = os.open(folder.logs / f"{os.getpid()}.ingester", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with open_store(folder.store) as store:
        ingester = Ingester(folder.spool, store)
        while True:
            frames = ingester.run_once()
            if frames:
                os.write(log, f"{frames}\n".encode())
            elif drain and not list_segments(folder.spool):
                return
            else:
                time.sleep(0.02)


class Killer:
    """Keeps the processes running, and kills them."""

    def __init__(self, folder: Folder, chance: random.Random) -> None:
        self._folder = folder
        self._chance = chance
        self.kills: Counter[str] = Counter()
        self._running: list[tuple[str, subprocess.Popen[bytes]]] = []
        for role in ["ingester", *["writer"] * WRITERS]:
            self._start(role)

    def _start(self, role: str) -> None:
        self._running.append((role, self._spawn(role)))

    def _spawn(self, role: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen([sys.executable, __file__, "--role", role, "--folder", str(self._folder.root)])

    def kill_one(self) -> None:
        """Kills an ingester or a writer, mostly amid its work, sometimes while it starts; and starts it anew."""
        role = self._chance.choice(["ingester", "writer", "writer"])
        victim = self._chance.choice([running for running in self._running if running[0] == role])
        if self._chance.random() < 0.8:
            self._wait_for_work(*victim)
        time.sleep(self._chance.uniform(0, 0.3))
        self._end(victim, signal.SIGKILL)
        self.kills[role] += 1
        self._start(role)

    def _wait_for_work(self, role: str, process: subprocess.Popen[bytes]) -> None:
        """Until the ingester committed something, or the writer got an acknowledgement."""
        pattern = f"{process.pid}.ingester" if role == "ingester" else f"w{process.pid}-*.writer"
        enough = 1 if role == "ingester" else 100
        deadline = time.monotonic() + PATIENCE_S
        while not any(path.stat().st_size >= enough for path in self._folder.logs.glob(pattern)):
            if process.poll() is not None:
                sys.exit(f"the {role} ended by itself with exit code {process.returncode}")
            if time.monotonic() > deadline:
                sys.exit(f"the {role} did nothing for {PATIENCE_S:.0f} s")
            time.sleep(0.01)

    def _end(self, victim: tuple[str, subprocess.Popen[bytes]], how: int) -> None:
        self._running.remove(victim)
        victim[1].send_signal(how)
        code = victim[1].wait(PATIENCE_S)
        if code != -how:
            sys.exit(f"a {victim[0]} ended with exit code {code}, not by signal {how}")

    def finish(self) -> None:
        """Writers end as processes do; the ingester is killed once more, and a last one takes in the rest."""
        self._folder.stop.touch()
        for role, process in list(self._running):
            if role == "writer" and process.wait(PATIENCE_S):
                sys.exit(f"a writer ended with exit code {process.returncode}")
        for running in [running for running in self._running if running[0] == "ingester"]:
            self._end(running, signal.SIGKILL)
            self.kills["ingester"] += 1
        if self._spawn("drain").wait(10 * PATIENCE_S):
            sys.exit("the last ingester failed")
        self._running.clear()

    def abandon(self) -> None:
        """Leaves no process behind, whatever happened."""
        for _, process in self._running:
            process.kill()
            process.wait()


class Logged(NamedTuple):
    """What the writers' logs say."""

    acknowledged: dict[str, tuple[str, int]]
    """Request id -> its writer and number."""
    groups: dict[str, int]
    """Writer -> groups that were acknowledged."""
    issued: dict[str, int]
    """Writer -> groups that were begun."""


def read_logs(folder: Folder) -> Logged:
    """A last line that is cut off was never written whole: what it says was not yet acknowledged to anyone."""
    logged = Logged({}, {}, {})
    for path in folder.logs.glob("*.writer"):
        name = path.stem
        for line in _whole_lines(path):
            if "issued" in line:
                logged.issued[name] = line["issued"] + 1
                continue
            logged.groups[name] = logged.groups.get(name, 0) + 1
            for n, request_id in enumerate(line["ids"]):
                logged.acknowledged[request_id] = (name, line["acknowledged"] * GROUP + n)
    return logged


def _whole_lines(path: Path) -> Iterator[dict[str, Any]]:
    yield from (json.loads(line) for line in path.read_bytes().splitlines(keepends=True) if line.endswith(b"\n"))


class Found(NamedTuple):
    """What the check found."""

    requests: int
    rows: int
    """Spans and hits in the store."""
    acknowledged: int
    lost: list[str]
    doubled: list[str]
    torn: int
    """Ends of segments that were set aside: a writer was killed inside a write. Nothing acknowledged is in them."""


def check(folder: Folder, logged: Logged) -> Found:
    """Compares the store with the logs."""
    from goldrank.store.duckdb import open_store

    lost, doubled = [], []
    with open_store(folder.store) as store:

        def rows(sql: str) -> list[tuple[Any, ...]]:
            return list(store.query(sql, limit=1 << 40).rows)

        questions = dict(rows("select request_id, question from requests"))
        lists = _lists(rows)
        for request_id, (name, number) in logged.acknowledged.items():
            if questions.get(request_id) != question(name, number):
                lost.append(f"request {request_id}: question {questions.get(request_id)!r}")
            elif lists.get(request_id) != _expected_lists(number):
                lost.append(f"request {request_id}: lists {lists.get(request_id)}")
        for table, key in (
            ("requests", "request_id"),
            ("spans", "trace_id, span_id"),
            ("stages", "rid, stage_id"),
            ("hits", "rid, stage_id, place"),
        ):
            twice = rows(f"select {key}, count(*) from {table} group by {key} having count(*) > 1")
            doubled += [f"{table} {row}" for row in twice]
        _check_counts(rows, logged, lost, doubled)
        bad = rows("select reason from bad_frames")
        lost += [f"damage: {reason}" for (reason,) in bad if "ends inside a frame" not in reason]
        ((spans, hit_rows),) = rows("select (select count(*) from spans), (select count(*) from hits)")
    return Found(len(questions), spans + hit_rows, len(logged.acknowledged), lost, doubled, len(bad))


def _lists(rows: Any) -> dict[str, list[list[tuple[str, float, str]]]]:
    """Request id -> its lists in the order of STAGES."""
    found: dict[str, dict[str, list[tuple[str, float, str]]]] = defaultdict(lambda: defaultdict(list))
    sql = """
        select r.request_id, s.name, c.chunk_id, h.score, t.text
        from hits h join requests r using (rid) join stages s using (rid, stage_id) join chunks c using (chunk_key)
        left join texts t on t.text_key = h.text_key order by h.rid, h.stage_id, h.rank
    """
    for request_id, stage, *hit in rows(sql):
        found[request_id][stage].append(tuple(hit))
    return {request_id: [lists[stage] for stage in STAGES] for request_id, lists in found.items()}


def _expected_lists(number: int) -> list[list[tuple[str, float, str | None]]]:
    return [[(hit["id"], hit["s"], hit.get("x")) for hit in hits(number, place)] for place in range(len(STAGES))]


def _check_counts(rows: Any, logged: Logged, lost: list[str], doubled: list[str]) -> None:
    """Feedback and counts are rows that nothing merges: they must be there exactly as often as written."""
    feedback = dict(rows("select feedback_id, count(*) from feedback group by feedback_id"))
    counted = {app: int(spans) for app, spans in rows("select app, sum(spans) from drops group by app")}
    reasons = {reason for (reason,) in rows("select distinct reason from drops")}
    lost += [f"counted as lost: {reason}" for reason in reasons - {"not sampled"}]
    doubled += [f"feedback {key}: {times} times" for key, times in feedback.items() if times > 1]
    for name, issued in logged.issued.items():
        groups = logged.groups.get(name, 0)
        if counted.get(name, 0) < groups:
            lost.append(f"counts of {name}: {counted.get(name, 0)} of {groups}")
        if counted.get(name, 0) > issued:
            doubled.append(f"counts of {name}: {counted.get(name, 0)} of {issued}")
    for request_id, (name, number) in logged.acknowledged.items():
        if number % GROUP == 0 and f"{name}-{number // GROUP}" not in feedback:
            lost.append(f"feedback on {request_id}")


def run(folder: Folder, *, kills: int, rows: int, seed: int) -> tuple[Found, Counter[str]]:
    """Kills until there were enough kills and enough is acknowledged; then ingests the rest and checks."""
    folder.logs.mkdir(parents=True)
    killer = Killer(folder, random.Random(seed))
    try:
        while sum(killer.kills.values()) < kills or ROWS_A_REQUEST * len(read_logs(folder).acknowledged) < rows:
            killer.kill_one()
        killer.finish()
    finally:
        killer.abandon()
    return check(folder, read_logs(folder)), killer.kills


def main() -> int:
    """Runs the test, or one of its processes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=60)
    parser.add_argument("--rows", type=int, default=120_000, help="spans and hits to be acknowledged at least")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--role", choices=["writer", "ingester", "drain"], help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.role:
        folder = Folder(given.folder)
        return write(folder) if given.role == "writer" else ingest(folder, drain=given.role == "drain")
    with tempfile.TemporaryDirectory(prefix="goldrank-crash-") as root:
        began = time.monotonic()
        found, kills = run(Folder(Path(root)), kills=given.kills, rows=given.rows, seed=given.seed)
        seconds = time.monotonic() - began
    if given.json:
        print(json.dumps({**found._asdict(), "kills": dict(kills), "seconds": round(seconds, 1)}))
    else:
        print(
            f"{sum(kills.values())} kills ({kills['writer']} of writers, {kills['ingester']} of ingesters) in "
            f"{seconds:.0f} s; {found.requests:,} requests, {found.rows:,} rows in the store, "
            f"{found.acknowledged:,} requests acknowledged, {found.torn} torn ends set aside: "
            f"{len(found.lost)} lost, {len(found.doubled)} doubled"
        )
        for line in [*found.lost[:10], *found.doubled[:10]]:
            print(f"  {line}")
    return 1 if found.lost or found.doubled else 0


if __name__ == "__main__":
    sys.exit(main())
