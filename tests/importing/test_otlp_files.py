"""OTLP in files: JSON lines, protobuf, messages one after the other, logs; compressed or not."""

from __future__ import annotations

import gzip
import json
import struct

import pytest
import zstandard
from goldrank.collectors.importing.spans import encode
from goldrank.collectors.otlp_json import logs_from_json
from goldrank.model import Span, wire

TRACE = "0af7651916cd43dd8448eb211c80319c"
T0 = 1_793_275_200_000_000_000


def spans(question: str = "q?", trace: str = TRACE) -> tuple[Span, ...]:
    """A request with one search."""
    hits = json.dumps({"n": 2, "shape": "x", "cols": {"id": ["a", "b"]}})
    common = {"kind": 1, "status": 0, "status_message": "", "resource": {"service.name": "bot"}, "scope": "s"}
    own = {wire.VERSION: 2, wire.KIND: "request", wire.QUESTION: question}
    search = {wire.VERSION: 2, wire.KIND: "retrieve", wire.HITS: hits}
    root = Span(trace, "00f067aa0ba902b7", None, "ask", start_ns=T0, end_ns=T0 + 9, attributes=own, **common)
    below = {"start_ns": T0, "end_ns": T0 + 5, "attributes": search, **common}
    return root, Span(trace, "00f067aa0ba902b8", root.span_id, "bm25", **below)


def message(*of: Span) -> bytes:
    """An ExportTraceServiceRequest."""
    (only,) = encode(of).messages
    return only


def as_json(of: tuple[Span, ...]) -> dict:
    """The same as the Collector's file exporter writes it."""
    found = []
    for span in of:
        attributes = [{"key": key, "value": {"stringValue": str(value)}} for key, value in span.attributes.items()]
        attributes[0]["value"] = {"intValue": "2"}
        times = {"startTimeUnixNano": str(span.start_ns), "endTimeUnixNano": str(span.end_ns)}
        ids = {"traceId": span.trace_id, "spanId": span.span_id, "parentSpanId": span.parent_span_id or ""}
        found.append({**ids, "name": span.name, "kind": 1, **times, "attributes": attributes, "status": {}})
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": "bot"}}]}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [{"scope": {"name": "s"}, "spans": found}]}]}


def framed(*messages: bytes) -> bytes:
    """Messages, each after its length: the Collector's proto format."""
    return b"".join(struct.pack(">I", len(one)) + one for one in messages)


FILES = {
    "lines": lambda: json.dumps(as_json(spans())).encode() + b'\n{"resourceMetrics": []}\n',
    "document": lambda: json.dumps(as_json(spans()), indent=2).encode(),
    "message": lambda: message(*spans()),
    "frames": lambda: framed(message(spans()[0]), message(spans()[1])),
    "gzip": lambda: gzip.compress(message(*spans())),
    "zstd": lambda: zstandard.compress(framed(message(*spans()))),
}  # fmt: skip


@pytest.mark.parametrize("form", FILES)
def test_every_form_is_the_same_request(desk, write, lists, form):
    """By its content, whatever its name; a second form of it changes nothing."""
    done = desk(write("telemetry.bin", FILES[form]()))
    assert (done.code, done.err) == (0, "")

    recorded = desk.one()
    assert (recorded.request.question, recorded.request.app) == ("q?", "bot")
    assert lists(recorded) == {"bm25": ["a", "b"]}
    assert desk(write("again.bin", FILES["message"]()), "--json").json["new"] == 0


def test_log_records_belong_to_their_spans(desk, write):
    """A line of logs among lines of spans: what a model was asked is said by a log record."""
    messages = json.dumps([{"role": "user", "parts": [{"type": "text", "content": "hello there"}]}])
    record = {
        "timeUnixNano": str(T0 + 7),
        "eventName": "gen_ai.client.inference.operation.details",
        "traceId": TRACE,
        "spanId": "00f067aa0ba902b7",
        "attributes": [
            {"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}},
            {"key": "gen_ai.input.messages", "value": {"stringValue": messages}},
        ],
    }
    logs = {"resourceLogs": [{"resource": {}, "scopeLogs": [{"scope": {}, "logRecords": [record]}]}]}
    both = desk(write("both.jsonl", as_json(spans()), logs), "--json").json
    binary = desk(write("logs.bin", logs_from_json(json.dumps(logs))), "--json").json

    assert (both["files"][0]["spans"], both["new"]) == (3, 1)
    assert (binary["files"][0]["spans"], binary["new"]) == (1, 0)
    assert "hello there" in desk.run("sql", "select attributes from spans", "--json").out


def test_what_is_damaged_is_named(desk, write):
    """The message before the damage goes in; what comes after a torn one is not guessed."""
    other = spans("other?", "1" * 32)
    whole = framed(message(*spans()), message(*other))

    done = desk(write("torn.bin", whole[:-10]))

    assert "line 2: it ends inside a message:" in done.err
    assert (done.code, desk.one().request.question) == (1, "q?")


def test_a_broken_line_among_lines(desk, write):
    """Named by its number; the others go in."""
    bad = b'{"resourceSpans": [{"scopeSpans": 7}]}\n'
    done = desk(write("lines.jsonl", as_json(spans()), bad, as_json(spans("other?", "1" * 32))))

    assert " line 2: 38 characters were read as an OTLP trace request in JSON and are none" in done.err
    assert (done.code, len(desk.stored())) == (1, 2)
