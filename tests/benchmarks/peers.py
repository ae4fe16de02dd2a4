"""Phoenix beside goldrank in one run: what it costs until the same requests can be asked for, and to list them.

    python3 -m venv phoenix && phoenix/bin/pip install arize-phoenix
    python tests/benchmarks/peers.py --phoenix-python phoenix/bin/python [--requests 300] [--generator FOLDER]

Both servers run at once, on loopback and temporary folders, and are fed one after the other: the same neutral
requests, Phoenix's as OpenInference spans, goldrank's as its own decorators record them, 20 requests a post. CPU is
user and system time of the server's processes from the first post until all requests are counted by a query. Folders
are measured after both were stopped. Ratios are goldrank over Phoenix. With `--same-spans` goldrank gets Phoenix's
OpenInference spans, byte for byte.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parent))
import psutil
from peer_load import GOLDRANK_SPANS, OPENINFERENCE_SPANS, goldrank_posts, openinference_posts
from pipeline import neutral_requests

PROJECT = "bench"
LIST_ROWS = 50
START_LIMIT_S = 180
STALL_S = 120
_COUNT = "query($name:String!){getProjectByName(name:$name){recordCount}}"
_LIST = """query($name:String!,$n:Int!){getProjectByName(name:$name){spans(first:$n,
filterCondition:"parent_id is None",sort:{col:startTime,dir:desc}){edges{node{
id name statusCode startTime latencyMs input{value}}}}}}"""


class Server(NamedTuple):
    """A running peer."""

    name: str
    process: psutil.Process
    folder: Path
    url: str
    spans: int
    """Spans a request."""
    stored: Callable[[], float]
    """Requests that a query sees."""
    list_page: Callable[[], int]
    """Asks for the newest requests; how many came."""


class Cost(NamedTuple):
    """What one peer needed for all requests."""

    cpu_s: float
    wall_s: float
    sent_bytes: int
    refused: int
    """Posts that were answered 429 or 503 and sent again."""
    memory_bytes: int


def main() -> None:
    """Starts both, feeds both, prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--phoenix-python", type=Path, required=True, help="a Python that has arize-phoenix installed")
    parser.add_argument("--requests", type=int, default=300)
    parser.add_argument("--queries", type=int, default=21, help="list queries each, in turns")
    parser.add_argument("--generator", type=Path, help="folder with rag_requests.py (default: GOLDRANK_BENCH)")
    parser.add_argument("--same-spans", action="store_true", help="feed goldrank what Phoenix is fed")
    ask = parser.parse_args()
    if ask.generator:
        os.environ["GOLDRANK_BENCH"] = str(ask.generator)
    requests = list(neutral_requests(ask.requests))
    foreign = list(openinference_posts(requests, PROJECT))
    loads = [foreign if ask.same_spans else list(goldrank_posts(requests)), foreign]
    with tempfile.TemporaryDirectory(prefix="goldrank-peers-") as work:
        folders = [Path(work) / "goldrank", Path(work) / "phoenix"]
        with (
            goldrank_hub(folders[0], OPENINFERENCE_SPANS if ask.same_spans else GOLDRANK_SPANS) as ours,
            phoenix(ask.phoenix_python, folders[1]) as theirs,
        ):
            servers = [ours, theirs]
            empty = [_folder_bytes(folder) for folder in folders]
            costs = [feed(server, load, ask.requests) for server, load in zip(servers, loads, strict=True)]
            lists = time_lists(servers, ask.queries)
            idle = [_idle_share(server) for server in servers]
        disk = [_folder_bytes(folder) - before for folder, before in zip(folders, empty, strict=True)]
    report(ask.requests, servers=servers, costs=costs, disk=disk, lists=lists, idle=idle)


@contextmanager
def goldrank_hub(folder: Path, spans: int) -> Iterator[Server]:
    """`goldrank up` on a free port; it is fed `spans` spans a request."""
    from goldrank.actions.hub_client import call_hub
    from goldrank.actions.hub_link import read_hub_info
    from goldrank.actions.requests import FindRequests, RequestPage

    def page(limit: int) -> RequestPage:
        answer = call_hub(folder, "find_requests", FindRequests(limit=limit).model_dump_json().encode())
        assert answer is not None, "the hub is gone"
        return RequestPage.model_validate_json(answer)

    def listed() -> int:
        # Bytes only, like the other's: building pydantic rows is the client's affair.
        answer = call_hub(folder, "find_requests", FindRequests(limit=LIST_ROWS).model_dump_json().encode())
        return len(json.loads(answer or b"{}")["rows"])

    folder.mkdir()
    command = [sys.executable, "-m", "goldrank", "up", "--no-browser", "--port", "0", "--directory", str(folder)]
    with _running(command, folder.with_suffix(".log"), {}) as process:
        _until(lambda: read_hub_info(folder) is not None, process)
        info = read_hub_info(folder)
        assert info is not None
        server = psutil.Process(process.pid)
        yield Server("goldrank", server, folder, info.url, spans, lambda: page(1).stored, listed)


@contextmanager
def phoenix(python: Path, folder: Path) -> Iterator[Server]:
    """Phoenix's server on free ports, with its sqlite in the folder."""
    port, grpc_port = _free_ports(2)
    url = f"http://127.0.0.1:{port}"
    environment = {
        "PHOENIX_HOST": "127.0.0.1",
        "PHOENIX_PORT": str(port),
        "PHOENIX_GRPC_PORT": str(grpc_port),
        "PHOENIX_WORKING_DIR": str(folder),
        "PHOENIX_TELEMETRY_ENABLED": "false",
        "PHOENIX_ALLOW_EXTERNAL_RESOURCES": "false",
    }

    def query(text: str, **variables: Any) -> Any:
        body = json.dumps({"query": text, "variables": {"name": PROJECT, **variables}}).encode()
        headers = {"Content-Type": "application/json"}
        with urllib.request.urlopen(urllib.request.Request(f"{url}/graphql", body, headers), timeout=120) as answer:
            found = json.load(answer)
        assert "errors" not in found, found["errors"]
        return found["data"]["getProjectByName"]

    def stored() -> float:
        project = query(_COUNT)
        return project["recordCount"] / OPENINFERENCE_SPANS if project else 0

    def listed() -> int:
        return len(query(_LIST, n=LIST_ROWS)["spans"]["edges"])

    folder.mkdir()
    command = [str(python), "-m", "phoenix.server.main", "serve"]
    with _running(command, folder.with_suffix(".log"), environment) as process:
        _until(lambda: _answers(f"{url}/healthz"), process)
        yield Server("phoenix", psutil.Process(process.pid), folder, url, OPENINFERENCE_SPANS, stored, listed)


@contextmanager
def _running(command: list[str], log: Path, environment: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """A process of its own group: asked to end at the end, and killed if it does not."""
    with log.open("wb") as out:
        process = subprocess.Popen(
            command, stdout=out, stderr=out, env={**os.environ, **environment}, start_new_session=True
        )
    try:
        yield process
        process.terminate()
        process.wait(60)
    except BaseException:
        print(log.read_text(errors="replace")[-2000:], file=sys.stderr)
        raise
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _until(condition: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_LIMIT_S
    while not condition():
        assert process.poll() is None, f"{process.args} ended with {process.returncode}"
        assert time.monotonic() < deadline, f"{process.args} does not answer after {START_LIMIT_S} s"
        time.sleep(0.1)


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5):
            return True
    except OSError:
        return False


def _free_ports(n: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(n)]
    ports = [bound.getsockname()[1] for bound in sockets]
    for bound in sockets:
        bound.close()
    return ports


def feed(server: Server, posts: list[bytes], requests: int) -> Cost:
    """Posts all, waits until a query counts all."""
    cpu, wall = _cpu_s(server), time.perf_counter()
    refused = sum(_post(f"{server.url}/v1/traces", body) for body in posts)
    last, moved = -1.0, time.monotonic()
    while (stored := server.stored()) < requests:
        if stored != last:
            last, moved = stored, time.monotonic()
        assert time.monotonic() - moved < STALL_S, f"{server.name}: {stored} of {requests} requests, and no more come"
        time.sleep(0.5)
    cpu, wall = _cpu_s(server) - cpu, time.perf_counter() - wall
    return Cost(cpu, wall, sum(map(len, posts)), refused, server.process.memory_info().rss)


def _post(url: str, body: bytes) -> int:
    """Posts until it is taken; how often it was refused."""
    refused = 0
    while True:
        request = urllib.request.Request(url, body, {"Content-Type": "application/x-protobuf"})
        try:
            with urllib.request.urlopen(request, timeout=120):
                return refused
        except urllib.error.HTTPError as error:
            if error.code not in {429, 503}:
                raise
            refused += 1
            time.sleep(0.25)


def _cpu_s(server: Server) -> float:
    """User and system seconds of the server and its children, those that ended included."""
    times = [server.process.cpu_times()] + [child.cpu_times() for child in server.process.children(recursive=True)]
    return sum(t.user + t.system for t in times) + times[0].children_user + times[0].children_system


def _idle_share(server: Server, seconds: float = 10) -> float:
    """Of one core, with nothing to do."""
    cpu = _cpu_s(server)
    time.sleep(seconds)
    return (_cpu_s(server) - cpu) / seconds


def time_lists(servers: Iterable[Server], n: int) -> list[tuple[float, float]]:
    """(median wall, mean server CPU) of a list query in seconds, a server; taking turns, after one each to warm up."""
    servers = list(servers)
    for server in servers:
        assert server.list_page() > 0
    walls: list[list[float]] = [[] for _ in servers]
    cpu = [0.0 for _ in servers]
    for _ in range(n):
        for place, server in enumerate(servers):
            before, start = _cpu_s(server), time.perf_counter()
            server.list_page()
            walls[place].append(time.perf_counter() - start)
            cpu[place] += _cpu_s(server) - before
    return [(statistics.median(wall), used / n) for wall, used in zip(walls, cpu, strict=True)]


def _folder_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def report(
    n: int,
    *,
    servers: list[Server],
    costs: list[Cost],
    disk: list[int],
    lists: list[tuple[float, float]],
    idle: list[float],
) -> None:
    """One line a figure: ours, theirs, ratio."""
    net = [(cost.cpu_s - share * cost.wall_s) / n * 1e3 for cost, share in zip(costs, idle, strict=True)]
    rows: list[tuple[str, list[float]]] = [
        ("requests/s of server CPU", [n / cost.cpu_s for cost in costs]),
        ("spans/s of server CPU", [n * server.spans / cost.cpu_s for server, cost in zip(servers, costs, strict=True)]),
        ("server CPU a request, ms", [cost.cpu_s / n * 1e3 for cost in costs]),
        ("the same less its idle share, ms", net),
        ("first post to queryable, s", [cost.wall_s for cost in costs]),
        ("posts refused", [cost.refused for cost in costs]),
        ("bytes sent a request", [cost.sent_bytes / n for cost in costs]),
        ("bytes on disk a request", [size / n for size in disk]),
        (f"list of {LIST_ROWS}, wall ms (median)", [wall * 1e3 for wall, _ in lists]),
        (f"list of {LIST_ROWS}, server CPU ms", [cpu * 1e3 for _, cpu in lists]),
        ("memory after it, MB", [cost.memory_bytes / 1e6 for cost in costs]),
        ("CPU of a core when idle, %", [share * 100 for share in idle]),
    ]
    print(f"{n} requests".ljust(34) + "".join(f"{server.name:>12}" for server in servers) + f"{'ratio':>9}")
    for name, (ours, theirs) in rows:
        print(f"{name:34}{ours:12.1f}{theirs:12.1f}" + (f"{ours / theirs:9.2f}" if theirs else f"{'-':>9}"))


if __name__ == "__main__":
    main()
