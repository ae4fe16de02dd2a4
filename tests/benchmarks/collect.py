"""Does a collector lose what it acknowledged when it is killed, and what does taking a request cost?

    python tests/benchmarks/collect.py [--kills 40] [--seconds 60] [--protocol http] [--bytes 30000] [--json]

A sender posts requests of six spans as fast as they are acknowledged, over several connections, and notes the number of
each that was. Meanwhile the collector is killed with -9 at random moments, and started anew on the same folder. In the
end the spool is read, the frames go into a store, and both are compared with the notes by span id:

lost      spans that were acknowledged, and are not in the store as often as they should be: once
doubled   spans that are in the store more often. (In the spool a request may lie twice: the sender sent it again,
          because the acknowledgement was killed; the store has it once.)

Without kills it tells the latency of acknowledgements, CPU milliseconds of the collector a request, and how its memory
grew. Exit code 1 if anything is lost or doubled.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

SPANS = 6
_TRACE = bytes(range(0xE0, 0xF0))
_SPAN = b"\xf1\xf2\xf3\xf4\xf5\xf6\xf7"
"""Stand-ins for ids in the message that all requests are made of."""
PATIENCE_S = 60.0


def template(size: int) -> bytes:
    """An OTLP message of one request with about `size` bytes of texts."""
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    message = ExportTraceServiceRequest()
    scope = message.resource_spans.add().scope_spans.add()
    for place in range(SPANS):
        span = scope.spans.add(trace_id=_TRACE, span_id=_SPAN + bytes([place + 1]), name=f"step {place}")
        span.start_time_unix_nano = 1_800_000_000_000_000_000 + place
        span.end_time_unix_nano = span.start_time_unix_nano + 1_000
        if place:
            span.parent_span_id = _SPAN + bytes([1])
        text = "".join(random.Random(place).choices("abcdefghij klmnop", k=size // SPANS))
        span.attributes.add(key="input.value").value.string_value = text
    return message.SerializeToString()


def request_body(made_of: bytes, number: int) -> bytes:
    """The message of request `number`, at least 1."""
    return made_of.replace(_TRACE, number.to_bytes(16)).replace(_SPAN, number.to_bytes(7))


class Ports(NamedTuple):
    """Of a collector; the next one takes the same."""

    http: int
    grpc: int


class Collector:
    """`goldrank collect` as a process that can be killed and started anew."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.ports = Ports(0, 0)
        self.start()

    def start(self) -> None:
        """Returns when it listens."""
        command = [sys.executable, "-m", "goldrank", "collect", "--directory", str(self._folder)]
        ports = ["--http-port", str(self.ports.http), "--grpc-port", str(self.ports.grpc)]
        self.process = subprocess.Popen([*command, *ports], stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        found = {}
        for line in self.process.stdout:
            if match := re.match(r"(HTTP|gRPC): +http://.*:(\d+)", line):
                found[match[1]] = int(match[2])
            if line.startswith("stop:"):
                self.ports = Ports(found["HTTP"], found["gRPC"])
                return
        sys.exit(f"the collector ended with exit code {self.process.wait()}")

    def end(self, number: int) -> int:
        """Sends the signal; the exit code."""
        self.process.send_signal(number)
        code = self.process.wait(PATIENCE_S)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code

    def cpu_s(self) -> float:
        """User and system seconds so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory_mb(self) -> tuple[float, float]:
        """Resident now, and at most so far."""
        lines = dict(line.split(":", 1) for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines())
        return int(lines["VmRSS"].split()[0]) / 1024, int(lines["VmHWM"].split()[0]) / 1024


class Sender:
    """Threads that each send one request after the other, until told to stop."""

    def __init__(self, collector: Collector, made_of: bytes, threads: int, protocol: str) -> None:
        self._collector = collector
        self._made_of = made_of
        self._numbers = iter(range(1, 1 << 48))
        self._lock = threading.Lock()
        self._connect = self._http if protocol == "http" else self._grpc
        self.stop = threading.Event()
        self.acknowledged: list[int] = []
        self.latencies_ms: list[float] = []
        self.again = 0
        """Requests that were sent again, because no answer came."""
        self._threads = [threading.Thread(target=self._run) for _ in range(threads)]

    def start(self) -> None:
        """Begins."""
        for thread in self._threads:
            thread.start()

    def finish(self) -> None:
        """What is under way is answered first."""
        self.stop.set()
        for thread in self._threads:
            thread.join()

    def _run(self) -> None:
        send: Callable[[bytes], bool] | None = None
        while not self.stop.is_set():
            with self._lock:
                number = next(self._numbers)
            body = request_body(self._made_of, number)
            while not self.stop.is_set():
                began = time.perf_counter()
                try:
                    send = send or self._connect()
                    taken = send(body)
                except (OSError, ConnectionError):
                    taken, send = False, None
                if taken:
                    self.latencies_ms.append((time.perf_counter() - began) * 1000)
                    self.acknowledged.append(number)
                    break
                self.again += 1
                self.stop.wait(0.02)

    def _http(self) -> Callable[[bytes], bool]:
        connection = socket.create_connection(("127.0.0.1", self._collector.ports.http), timeout=PATIENCE_S)
        head = "POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-protobuf\r\nContent-Length: "

        def send(body: bytes) -> bool:
            connection.sendall(f"{head}{len(body)}\r\n\r\n".encode() + body)
            answer = b""
            while not answer.endswith(b"\r\n\r\n"):  # an answer that is a success has no body
                part = connection.recv(4096)
                if not part:
                    raise ConnectionError
                answer += part
            return answer.startswith(b"HTTP/1.1 200")

        return send

    def _grpc(self) -> Callable[[bytes], bool]:
        import grpc

        channel = grpc.insecure_channel(f"127.0.0.1:{self._collector.ports.grpc}")
        call = channel.unary_unary("/opentelemetry.proto.collector.trace.v1.TraceService/Export")

        def send(body: bytes) -> bool:
            try:
                call(body, timeout=PATIENCE_S)
            except grpc.RpcError:
                channel.close()
                raise ConnectionError from None
            return True

        return send


class Found(NamedTuple):
    """What the check found."""

    acknowledged: int
    """Requests."""
    stored: int
    """Spans."""
    lost: list[str]
    doubled: list[str]
    in_spool_again: int
    """Requests that lie in the spool more than once."""


def check(folder: Path, acknowledged: list[int]) -> Found:
    """Reads the spool into a store, and compares by span id."""
    from goldrank.collectors import Ingester
    from goldrank.store.duckdb import open_store

    frames = list(spooled(folder / "spool"))
    with open_store(folder / "store.duckdb") as store:
        ingester = Ingester(folder / "spool", store)
        while ingester.run_once():
            pass
        rows = store.query("select trace_id, span_id, count(*) from spans group by all", limit=1 << 40).rows
        bad = store.query("select reason from bad_frames", limit=1 << 20).rows
    counts = {(trace, span): count for trace, span, count in rows}
    lost = [
        f"span {place + 1} of request {number}"
        for number in acknowledged
        for place in range(SPANS)
        if (number.to_bytes(16).hex(), (number.to_bytes(7) + bytes([place + 1])).hex()) not in counts
    ]
    lost += [f"damage: {reason}" for (reason,) in bad if "ends inside a frame" not in reason]
    doubled = [str(key) for key, count in counts.items() if count > 1]
    return Found(len(acknowledged), len(counts), lost, doubled, len(frames) - len(set(frames)))


def spooled(spool: Path) -> Iterator[bytes]:
    """The trace id of each request in the spool."""
    from goldrank.model import FrameKind
    from goldrank.tracing.spool import list_segments, read_frames
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    for segment in list_segments(spool):
        for frame in read_frames(segment.path, limit_bytes=1 << 40):
            if frame.kind == FrameKind.TRACES:
                message = ExportTraceServiceRequest.FromString(frame.payload)
                yield message.resource_spans[0].scope_spans[0].spans[0].trace_id


def run(folder: Path, arguments: argparse.Namespace) -> dict[str, Any]:
    """One run; what it found."""
    chance = random.Random(arguments.seed)
    collector = Collector(folder)
    sender = Sender(collector, template(arguments.bytes), arguments.connections, arguments.protocol)
    kills, memory, cpu_at_start = 0, [collector.memory_mb()[0]], collector.cpu_s()
    sender.start()
    try:
        began = time.monotonic()
        while kills < arguments.kills or time.monotonic() - began < arguments.seconds:
            _wait_for_more(sender, arguments.between)
            if kills < arguments.kills:
                time.sleep(chance.uniform(0, 0.2))
                collector.end(signal.SIGKILL)
                kills += 1
                collector.start()
            else:
                time.sleep(min(1.0, arguments.seconds / 20))
                memory.append(collector.memory_mb()[0])
        sender.finish()
        cpu_s, peak = collector.cpu_s() - cpu_at_start, collector.memory_mb()[1]
        code = collector.end(signal.SIGTERM)
    finally:
        sender.stop.set()
        if collector.process.poll() is None:
            collector.process.kill()
    found = check(folder, sender.acknowledged)
    return {
        **found._asdict(),
        "kills": kills,
        "sent_again": sender.again,
        "exit_code": code,
        **_costs(sender, cpu_s if not kills else None),
        "memory_mb": {"start": round(memory[0]), "end": round(memory[-1]), "peak": round(peak)},
    }


def _wait_for_more(sender: Sender, more: int) -> None:
    """Until so many more requests are acknowledged."""
    enough, until = len(sender.acknowledged) + more, time.monotonic() + PATIENCE_S
    while len(sender.acknowledged) < enough:
        if time.monotonic() > until:
            sys.exit(f"nothing was acknowledged for {PATIENCE_S:.0f} s")
        time.sleep(0.005)


def _costs(sender: Sender, cpu_s: float | None) -> dict[str, Any]:
    cuts = statistics.quantiles(sender.latencies_ms, n=100)
    costs: dict[str, Any] = {
        "acknowledged_after_ms": {"p50": round(cuts[49], 1), "p95": round(cuts[94], 1), "p99": round(cuts[98], 1)}
    }
    if cpu_s:
        costs["cpu_ms_a_request"] = round(cpu_s * 1000 / len(sender.acknowledged), 3)
        costs["requests_a_cpu_s"] = round(len(sender.acknowledged) / cpu_s)
    return costs


def main() -> int:
    """Reads the command line, runs, tells."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--between", type=int, default=200, help="acknowledged requests between two kills")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--protocol", choices=("http", "grpc"), default="http")
    parser.add_argument("--bytes", type=int, default=30_000, help="of texts in a request")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="goldrank-collect-") as root:
        found = run(Path(root) / "data", arguments)
    if arguments.json:
        print(json.dumps(found))
    else:
        for name, value in found.items():
            print(f"{name:<22} {len(value) if isinstance(value, list) else value}")
    return 1 if found["lost"] or found["doubled"] else 0


if __name__ == "__main__":
    sys.exit(main())
