"""A shim that records into a list: what each span carried, by name, without a disk."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from typing import Any

import goldrank
import pytest
from goldrank.model import FrameKind, wire
from goldrank.tracing.providers import switch_on
from goldrank.tracing.settings import resolve
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor


class Kept(SpanProcessor):
    """An outlet that keeps everything it is handed."""

    def __init__(self) -> None:
        self.spans: list[ReadableSpan] = []
        self.frames: list[tuple[FrameKind, dict[str, Any]]] = []
        self.counts: dict[str, int] = {}

    def on_end(self, span: ReadableSpan) -> None:
        self.spans.append(span)
        assert span.attributes is not None  # asked for in the order of the ends, as a writer does

    def put(self, kind: FrameKind, payload: bytes) -> bool:
        self.frames.append((kind, json.loads(payload)))
        return True

    def count(self, reason: str, n: int = 1) -> None:
        self.counts[reason] = self.counts.get(reason, 0) + n

    def flush(self, timeout_s: float = 5.0) -> bool:
        return True

    def names(self) -> list[str]:
        return [span.name for span in self.spans]

    def span(self, name: str) -> ReadableSpan:
        """The one span of that name."""
        found = [span for span in self.spans if span.name == name]
        assert len(found) == 1, f"{len(found)} spans are called {name}; there are {self.names()}"
        return found[0]

    def attributes(self, name: str) -> dict[str, Any]:
        return dict(self.span(name).attributes or {})

    def json(self, name: str, key: str) -> Any:
        """The JSON that the span carries; lists of hits by row, however they were written."""
        parsed = json.loads(self.attributes(name)[key])
        if key == wire.HITS and wire.HITS_COLUMNS in parsed:
            parsed[wire.HITS_LIST] = wire.rows_of(parsed.pop(wire.HITS_COLUMNS))
        return parsed

    def hits(self, name: str) -> list[dict[str, Any]]:
        return self.json(name, wire.HITS)[wire.HITS_LIST]

    def ids(self, name: str) -> list[str]:
        return [hit["id"] for hit in self.hits(name)]

    def inputs(self, name: str) -> list[tuple[str, int | None]]:
        """(name of the stage, depth) of each recorded input."""
        by_id = {f"{span.context.span_id:016x}": span.name for span in self.spans}
        return [(by_id[span_id], depth) for span_id, depth in json.loads(self.attributes(name).get(wire.INPUTS, "[]"))]


@pytest.fixture(autouse=True)
def _switched_off() -> Iterator[None]:
    yield
    goldrank.shutdown()


@pytest.fixture
def record() -> Callable[..., Kept]:
    """Switches recording on with the given settings; returns where it goes."""

    def start(**arguments: Any) -> Kept:
        goldrank.shutdown()
        kept = Kept()
        switch_on(resolve({"app": "test", **arguments}, environ={}), kept)
        return kept

    return start


@pytest.fixture
def kept(record: Callable[..., Kept]) -> Kept:
    """Recording with default settings."""
    return record()


@pytest.fixture
def warnings_said(caplog: pytest.LogCaptureFixture) -> Callable[[], list[str]]:
    """What goldrank and the SDK have warned of so far, in order; other libraries log at times of their own."""

    def said() -> list[str]:
        ours = ("goldrank", "opentelemetry")
        return [
            record.getMessage()
            for record in caplog.records
            if record.levelno >= logging.WARNING and record.name.partition(".")[0] in ours
        ]

    return said
