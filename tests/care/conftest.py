"""A data folder with requests in it whose texts are easy to find, and ways to look at all that is stored."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pytest
from goldrank.model import Complaint, Feedback, FrameKind, wire
from goldrank.tracing.spool import SpoolWriter, encode
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from shell import Shell

DAY_NS = 24 * 3600 * 1_000_000_000
NOW_NS = 1_793_275_200_000_000_000
"""29 October 2026, 12:00 UTC."""


class Home(Shell):
    """A data folder: apps write to its spool, commands work on it."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.spool = folder / "spool"
        self.store = folder / "store.duckdb"
        self.writers: list[SpoolWriter] = []

    def writer(self) -> SpoolWriter:
        """An app that goes on writing until the test ends."""
        writer = SpoolWriter(self.spool, app="bot")
        self.writers.append(writer)
        return writer

    def write(self, *frames: bytes, writer: SpoolWriter | None = None) -> None:
        """Frames into the spool; without a writer by an app that ends then."""
        used = writer or SpoolWriter(self.spool, app="bot")
        assert not used.write(list(frames))
        assert used.sync()
        if writer is None:
            used.close()

    def dump(self) -> str:
        """Every column of every table as text, by DuckDB itself; the store must be closed."""
        with duckdb.connect(self.store, read_only=True) as connection:
            return dump(connection)

    def bytes_of(self) -> dict[str, bytes]:
        """Every file of the folder."""
        return {
            str(path.relative_to(self.folder)): path.read_bytes()
            for path in sorted(self.folder.rglob("*"))
            if path.is_file()
        }

    def holding(self, text: str) -> list[str]:
        """Files that hold the text as it is, in UTF-8."""
        return [name for name, data in self.bytes_of().items() if text.encode() in data]


def dump(connection: duckdb.DuckDBPyConnection) -> str:
    """Every column of every table as text."""
    lines = []
    for (table,) in connection.execute("select table_name from duckdb_tables() order by 1").fetchall():
        lines.extend(f"{table}: {row!r}" for row in connection.execute(f"select * from {table}").fetchall())
    return "\n".join(lines)


def trace(
    number: int,
    question: str,
    *,
    user: str = "",
    day: int = 0,
    chunks: tuple[str, ...] = ("first", "second"),
    replay_of: str = "",
    only: str = "all",
    app: str = "bot",
    **attributes: str,
) -> bytes:
    """A request as OTLP bytes: a request span, one list, a prompt. `only`: "root" or "children" sends a part of it."""
    message = ExportTraceServiceRequest()
    resource = message.resource_spans.add()
    _put(resource.resource.attributes, wire.APP, app)
    scope = resource.scope_spans.add()
    scope.scope.name = "goldrank"
    start = NOW_NS - day * DAY_NS + number
    parts = {
        "root": {wire.KIND: "request", wire.QUESTION: question, wire.ANSWER: f"The answer to: {question}"}
        | ({wire.USER: user} if user else {})
        | ({wire.REPLAY_OF: replay_of} if replay_of else {})
        | attributes,
        "list": {
            wire.KIND: "retrieve",
            wire.NAME: "bm25",
            wire.QUERY: question,
            wire.INDEX: "docs",
            wire.HITS: json.dumps(
                {
                    "n": len(chunks),
                    "scope": f"{number:x}",
                    "hits": [
                        {"id": f"c-{one}", "t": place, "x": passage(one), "m": {"title": f"About {one}"}}
                        for place, one in enumerate(chunks)
                    ],
                }
            ),
        },
        "generate": {
            wire.KIND: "generate",
            wire.PROMPT: json.dumps(
                [
                    {"role": "system", "text": "\n\n".join(passage(one) for one in chunks)},
                    {"role": "user", "text": question},
                ]
            ),
            wire.TEXT: f"The answer to: {question}",
        },
    }
    for place, (name, values) in enumerate(parts.items()):
        if (only == "root" and place) or (only == "children" and not place):
            continue
        span = scope.spans.add()
        span.trace_id = bytes.fromhex(trace_id(number))
        span.span_id = (number * 16 + place + 1).to_bytes(8, "big")
        if place:
            span.parent_span_id = (number * 16 + 1).to_bytes(8, "big")
        span.name = name
        span.start_time_unix_nano, span.end_time_unix_nano = start + place, start + 1000 - place
        _put(span.attributes, wire.VERSION, wire.WIRE_VERSION)
        for key, value in values.items():
            _put(span.attributes, key, value)
    return encode(FrameKind.TRACES, message.SerializeToString())


def _put(attributes: Any, key: str, value: str | int) -> None:
    added = attributes.add()
    added.key = key
    if isinstance(value, int):
        added.value.int_value = value
    else:
        added.value.string_value = value


def trace_id(number: int) -> str:
    """The trace of the request with this number."""
    return f"{0xABCD0000 + number:032x}"


def request_id(number: int) -> str:
    """The id of the request with this number."""
    return f"{trace_id(number)}-{number * 16 + 1:016x}"


def passage(name: str) -> str:
    """The text of a chunk: long enough to be kept once and to be named by prompts."""
    return (
        f"The passage {name} says in its own words and at some length what {name} is about, " + "and more " * 12 + name
    )


def complaint(ticket: str, text: str, **fields: Any) -> bytes:
    """A ticket as a frame."""
    one = Complaint(complaint_id=ticket, app="bot", text=text, at_ns=fields.pop("at_ns", NOW_NS), **fields)
    return encode(FrameKind.COMPLAINT, one.model_dump_json().encode())


def feedback(number: int, comment: str, *, score: float = 1.0) -> bytes:
    """A thumb as a frame."""
    one = Feedback(
        feedback_id=f"f-{number}", request_id=request_id(number), app="bot", score=score, comment=comment, at_ns=NOW_NS
    )
    return encode(FrameKind.FEEDBACK, one.model_dump_json().encode())


class Parts(NamedTuple):
    """What tests make frames and ids with."""

    trace: Callable[..., bytes] = trace
    complaint: Callable[..., bytes] = complaint
    feedback: Callable[..., bytes] = feedback
    request_id: Callable[[int], str] = request_id
    trace_id: Callable[[int], str] = trace_id
    passage: Callable[[str], str] = passage
    dump: Callable[[duckdb.DuckDBPyConnection], str] = dump
    now_ns: int = NOW_NS
    day_ns: int = DAY_NS


@pytest.fixture(scope="session")
def parts() -> Parts:
    """Frames and ids."""
    return Parts()


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    """An empty data folder."""
    made = Home(tmp_path / "data")
    yield made
    for writer in made.writers:
        writer.close()


@pytest.fixture(scope="session")
def make_home() -> type[Home]:
    """A data folder of one's own."""
    return Home
