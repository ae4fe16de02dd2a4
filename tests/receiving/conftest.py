"""A real `goldrank collect` as a process, and OTLP messages to send to it."""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from goldrank.model import wire
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

PROTOBUF = "application/x-protobuf"
JSON = "application/json"


class Answer(NamedTuple):
    """Of an HTTP call."""

    status: int
    body: bytes
    headers: http.client.HTTPMessage

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", "replace")

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class CollectorProcess:
    """`goldrank collect` on free ports."""

    def __init__(self, directory: Path, *arguments: str, environment: dict[str, str] | None = None) -> None:
        self.directory = directory
        self.http_port = 0
        self.grpc_port = 0
        self.said = ""
        command = [sys.executable, "-m", "goldrank", "collect", "--directory", str(directory), "--http-port", "0"]
        self.process = subprocess.Popen(
            [*command, "--grpc-port", "0", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={
                **{name: value for name, value in os.environ.items() if name != "GOLDRANK_STRICT"},
                **(environment or {}),
            },
            cwd=directory.parent,
        )

    def wait_until_up(self) -> CollectorProcess:
        """Reads what it says at its start, up to the line that says how to stop it."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said += line
            if found := re.match(r"(HTTP|gRPC): +https?://.*:(\d+)", line):
                setattr(self, "http_port" if found[1] == "HTTP" else "grpc_port", int(found[2]))
            if line.startswith("stop:"):
                return self
        raise AssertionError(f"it ended with {self.process.wait(30)}: {self.process.communicate()}")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.http_port}"

    def call(self, method: str, path: str, body: Any = b"", **headers: str) -> Answer:
        """One HTTP call; header names with underscores. A body that is no bytes is sent in chunks."""
        connection = http.client.HTTPConnection("127.0.0.1", self.http_port, timeout=60)
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            connection.request(method, path, body, given, encode_chunked=not isinstance(body, bytes))
            response = connection.getresponse()
            return Answer(response.status, response.read(), response.headers)
        finally:
            connection.close()

    def post(self, path: str, body: Any, kind: str = PROTOBUF, **headers: str) -> Answer:
        """One POST."""
        return self.call("POST", path, body, Content_Type=kind, **headers)

    def stop(self, number: int = signal.SIGTERM) -> tuple[int, str]:
        """Sends a signal and waits; the exit code and what stands on stderr."""
        self.process.send_signal(number)
        _, errors = self.process.communicate(timeout=60)
        return self.process.returncode, errors

    def end(self) -> None:
        """Whatever happened, nothing is left running."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


@pytest.fixture
def start_collector(tmp_path: Path) -> Iterator[Callable[..., CollectorProcess]]:
    """Starts collectors, and ends them after the test."""
    started: list[CollectorProcess] = []

    def start(*arguments: str, directory: Path | None = None, **environment: str) -> CollectorProcess:
        collector = CollectorProcess(directory or tmp_path / "data", *arguments, environment=environment)
        started.append(collector)
        return collector

    yield start
    for collector in started:
        collector.end()


@pytest.fixture(scope="module")
def collector(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CollectorProcess]:
    """One collector for the tests of a module that only send. At its end: exit code 0, and no word on stderr."""
    running = CollectorProcess(tmp_path_factory.mktemp("collector") / "data")
    try:
        running.wait_until_up()
        yield running
        assert running.stop() == (0, "")
    finally:
        running.end()


def one_question(question: str, spans: int = 1, padding: int = 0) -> bytes:
    """An OTLP message with the request span of one question, and others below it."""
    message = ExportTraceServiceRequest()
    resource = message.resource_spans.add()
    resource.resource.attributes.add(key=wire.APP).value.string_value = "support-bot"
    ids = hashlib.sha256(question.encode()).digest()
    scope = resource.scope_spans.add()
    for place in range(spans):
        span = scope.spans.add(trace_id=ids[:16], span_id=ids[16 + place : 24 + place], name="answer")
        span.start_time_unix_nano = time.time_ns()
        span.end_time_unix_nano = span.start_time_unix_nano + 5_000_000
        if place:
            span.parent_span_id = ids[16:24]
            continue
        for name, value in ((wire.KIND, "request"), (wire.QUESTION, question), (wire.ANSWER, "Yes.")):
            span.attributes.add(key=name).value.string_value = value
        if padding:
            span.attributes.add(key="padding").value.string_value = "x" * padding
        span.attributes.add(key=wire.VERSION).value.int_value = wire.WIRE_VERSION
    return message.SerializeToString()


@pytest.fixture
def otlp() -> Callable[..., bytes]:
    """Makes an OTLP message of one question."""
    return one_question


@pytest.fixture
def model_event() -> Callable[..., bytes]:
    """Makes an OTLP message of log records, those of a model call and others."""

    def make(events: int, others: int = 0) -> bytes:
        message = ExportLogsServiceRequest()
        scope = message.resource_logs.add().scope_logs.add()
        for number in range(events):
            record = scope.log_records.add(trace_id=b"\1" * 16, span_id=b"\2" * 8, time_unix_nano=number + 1)
            record.event_name = "gen_ai.user.message"
            record.body.string_value = f"message {number}"
        for number in range(others):
            scope.log_records.add(time_unix_nano=number + 1).body.string_value = "a line of the app"
        return message.SerializeToString()

    return make


@pytest.fixture
def wait_for() -> Callable[[Callable[[], Any]], None]:
    """Waits until a condition holds."""

    def wait(condition: Callable[[], Any], limit_s: float = 60.0) -> None:
        until = time.monotonic() + limit_s
        pause = threading.Event()
        while not condition():
            assert time.monotonic() < until, "it did not happen in time"
            pause.wait(0.02)

    return wait


class Stored(NamedTuple):
    """What the store holds once the spool was read."""

    questions: list[str | None]
    spans: int
    counts: dict[str, Any]
    query: Callable[[str], list[tuple[Any, ...]]]


@pytest.fixture
def stored() -> Iterator[Callable[[Path], Stored]]:
    """Reads the spool of a data folder into its store, and says what is there."""
    from goldrank.collectors import Ingester
    from goldrank.store.duckdb import open_store

    opened: list[Any] = []

    def read(directory: Path) -> Stored:
        store = open_store(directory / "store.duckdb")
        opened.append(store)
        ingester = Ingester(directory / "spool", store)
        while ingester.run_once():
            pass
        assert ingester.state.frames_bad == 0, ingester.state

        def query(sql: str) -> list[tuple[Any, ...]]:
            return list(store.query(sql, limit=1 << 40).rows)

        questions = [question for (question,) in query("select question from requests order by start_ns")]
        ((spans,),) = query("select count(*) from spans")
        return Stored(questions, spans, store.intake.counts(), query)

    yield read
    for store in opened:
        store.close()


@pytest.fixture
def show(capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """Runs a command of goldrank on a data folder; its JSON."""
    from goldrank.cli import main

    def run(directory: Path, *arguments: str) -> Any:
        code = main([*arguments, "--json", "--directory", str(directory)])
        said = capsys.readouterr()
        assert code == 0, said.err
        return json.loads(said.out)

    return run
