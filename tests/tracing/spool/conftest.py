"""What the tests of the spool share: a spool, what is stored in it, an app in a child process."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from goldrank.model import Drops, FrameKind
from goldrank.tracing.processor import SpoolProcessor
from goldrank.tracing.spool import ReadState, list_segments, read_frames
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import Tracer

APP = """
import os, signal, sys, threading, time
from pathlib import Path
from opentelemetry.sdk.trace import TracerProvider
from goldrank.tracing import lifecycle
from goldrank.tracing.processor import SpoolProcessor
from goldrank.tracing.spool import SpoolLimits

def recording(spool, **settings):
    processor = SpoolProcessor(Path(spool), app="child", **settings)
    lifecycle.install(processor)
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(processor)
    tracer = provider.get_tracer("goldrank")
    def ask(n):
        with tracer.start_as_current_span("ask", attributes={"goldrank.kind": "request", "n": n}):
            pass
    return processor, ask

SPOOL = sys.argv[1]
"""


class Stored(NamedTuple):
    """All that a spool holds."""

    names: list[str]
    numbers: list[int]
    """The attribute n of every span that has one, in reading order."""
    attributes: list[dict[str, Any]]
    drops: dict[str, int]
    states: list[ReadState]


@pytest.fixture
def spool(tmp_path: Path) -> Path:
    """A spool that does not exist yet."""
    return tmp_path / "data" / "spool"


@pytest.fixture
def stored() -> Callable[[Path], Stored]:
    """Reads a spool to its end."""
    return _read


def _read(spool: Path) -> Stored:
    found = Stored([], [], [], {}, [])
    for segment in list_segments(spool):
        run = read_frames(segment.path, 0, 1 << 40)
        for frame in run:
            if frame.kind == FrameKind.TRACES:
                _read_spans(frame.payload, found)
            elif frame.kind == FrameKind.DROPS:
                for reason, count in Drops.model_validate_json(frame.payload).drops.items():
                    found.drops[reason] = found.drops.get(reason, 0) + count
        found.states.append(run.state)
    return found


def _read_spans(payload: bytes, found: Stored) -> None:
    message = ExportTraceServiceRequest.FromString(payload)
    for span in (span for rs in message.resource_spans for ss in rs.scope_spans for span in ss.spans):
        attributes = {pair.key: getattr(pair.value, pair.value.WhichOneof("value")) for pair in span.attributes}
        found.names.append(span.name)
        found.attributes.append(attributes)
        if "n" in attributes:
            found.numbers.append(attributes["n"])


@pytest.fixture
def child(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs an app in a process of its own, after the lines of APP; its spool is the first argument."""

    def run(code: str, spool: Path, *arguments: str, **settings: Any) -> subprocess.CompletedProcess[str]:
        file = tmp_path / "app.py"
        file.write_text(APP + textwrap.dedent(code), "utf-8")
        command = [sys.executable, str(file), str(spool), *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, **settings)

    return run


class Recording(NamedTuple):
    """A processor under a provider of its own."""

    processor: SpoolProcessor
    tracer: Tracer

    def ask(self, n: int, **attributes: Any) -> None:
        """One request of one span."""
        with self.tracer.start_as_current_span("ask", attributes={"goldrank.kind": "request", "n": n, **attributes}):
            pass


@pytest.fixture
def recording(spool: Path) -> Iterator[Callable[..., Recording]]:
    """Makes processors, and shuts them down after the test."""
    made: list[SpoolProcessor] = []

    def make(**settings: Any) -> Recording:
        processor = SpoolProcessor(spool, app="test", **settings)
        provider = TracerProvider(shutdown_on_exit=False)
        provider.add_span_processor(processor)
        made.append(processor)
        return Recording(processor, provider.get_tracer("goldrank", "1"))

    yield make
    for processor in made:
        processor.shutdown()


@pytest.fixture(autouse=True)
def _nothing_said_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test hears each kind of trouble anew."""
    monkeypatch.setattr("goldrank.tracing.guest._said", set())
