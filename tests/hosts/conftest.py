"""Servers as people run them, each in a process group of its own, and what their apps recorded."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest
from goldrank.model import FrameKind, wire
from goldrank.tracing.spool import list_segments, read_frames
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

APPS = Path(__file__).parent / "apps"
LIMIT_S = 60.0
"""Nothing here takes longer than a few seconds on an idle machine."""


def wait_until(condition: Callable[[], object], what: str) -> None:
    """Looks every hundredth of a second."""
    deadline, pause = time.monotonic() + LIMIT_S, threading.Event()
    while not condition():
        assert time.monotonic() < deadline, f"{what} did not happen in {LIMIT_S:.0f} s"
        pause.wait(0.01)


class Host(NamedTuple):
    """A running server."""

    process: subprocess.Popen[bytes]
    log_file: Path
    data: Path

    @property
    def log(self) -> str:
        """All that it and its children wrote so far."""
        return self.log_file.read_text("utf-8")

    def wait_for(self, pattern: str, times: int = 1) -> str:
        """Waits until the pattern is in the log that often; its first group."""

        def found() -> list[str]:
            matches = re.findall(pattern, self.log)
            assert len(matches) >= times or self.process.poll() is None, self.log
            return matches if len(matches) >= times else []

        wait_until(found, f"{pattern!r} in the log")
        return found()[0]

    def ask(self, questions: Sequence[str], address: str) -> list[tuple[int, str]]:
        """The questions over HTTP, four at a time and a connection each: (process, question) of every answer."""
        with ThreadPoolExecutor(4) as pool:
            return [_parsed(text) for text in pool.map(lambda name: _get(f"{address}/{name}"), questions)]

    def ask_workers(self, first: int, last: int) -> list[tuple[int, str]]:
        """The same by a celery client."""
        command = [sys.executable, str(APPS / "tasks.py"), str(first), str(last)]
        environment = {**os.environ, "CELERY_FOLDER": str(self.data / "celery")}
        done = subprocess.run(
            command, cwd=APPS, env=environment, capture_output=True, text=True, timeout=LIMIT_S, check=False
        )
        assert done.returncode == 0, done.stderr + self.log
        return [_parsed(line) for line in done.stdout.splitlines()]

    def stop(self) -> int:
        """SIGTERM to the parent alone, as a service manager sends it first; the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(LIMIT_S)

    def kill(self) -> None:
        """-9 to the parent and all its children."""
        _kill_group(self.process)

    def complaints(self) -> list[str]:
        """Lines of the log that no healthy server writes."""
        return [line for line in self.log.splitlines() if re.search(r"Traceback|goldrank: |ERROR|CRITICAL", line)]

    def wait_for_recorded(self, questions: list[str]) -> None:
        """Waits until the spool holds these, while the server runs."""
        wait_until(lambda: self.recorded() == questions, "recording")

    def recorded(self) -> list[str]:
        """The questions of all requests in the spool, sorted. Every request must have its stage there."""
        names, questions = [], []
        for segment in list_segments(self.data / "spool"):
            for frame in read_frames(segment.path, 0, 1 << 40):
                if frame.kind == FrameKind.TRACES:
                    _read_spans(frame.payload, names, questions)
        assert names.count("search") >= len(questions)
        return sorted(questions)


def _parsed(text: str) -> tuple[int, str]:
    pid, question = text.split()
    return int(pid), question


def _get(url: str) -> str:
    with urllib.request.urlopen(url, timeout=LIMIT_S) as response:
        return response.read().decode()


def _read_spans(payload: bytes, names: list[str], questions: list[str]) -> None:
    message = ExportTraceServiceRequest.FromString(payload)
    for span in (span for rs in message.resource_spans for ss in rs.scope_spans for span in ss.spans):
        names.append(span.name)
        questions += [pair.value.string_value for pair in span.attributes if pair.key == wire.QUESTION]


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Callable[..., Host]]:
    """Starts servers, and ends them with all their children, however the test ends."""
    started: list[Host] = []

    def start(module: str, *arguments: str, durability: str = "batch") -> Host:
        data = tmp_path / f"data{len(started)}"
        log_file = tmp_path / f"log{len(started)}"
        settings = {"GOLDRANK_DIR": str(data), "GOLDRANK_DURABILITY": durability, "CELERY_FOLDER": str(data / "celery")}
        environment = {**os.environ, **settings, "PYTHONUNBUFFERED": "1"}
        command = [sys.executable, "-m", module, *arguments]
        with log_file.open("wb") as log:
            process = subprocess.Popen(
                command, cwd=APPS, env=environment, stdout=log, stderr=log, start_new_session=True
            )
        started.append(Host(process, log_file, data))
        return started[-1]

    yield start
    for host in started:
        _kill_group(host.process)


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kills what is left of the process's own group."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    finally:
        process.wait(LIMIT_S)
