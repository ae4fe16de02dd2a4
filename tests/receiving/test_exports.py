"""What of a damaged export request is taken: the items that can be read together with what says whose they are."""

from __future__ import annotations

import json
from typing import Any

import pytest
from goldrank.collectors import decode_traces
from goldrank.collectors.otlp_logs import decode_logs
from goldrank.collectors.receiving.exports import read_export
from goldrank.collectors.receiving.refusal import NotTaken
from goldrank.collectors.receiving.signals import LOGS, TRACES, Form
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


def two_apps() -> ExportTraceServiceRequest:
    """Two resources with two scopes of two spans each."""
    message = ExportTraceServiceRequest()
    for app in ("one", "two"):
        group = message.resource_spans.add()
        group.resource.attributes.add(key="service.name").value.string_value = app
        for scope in ("a", "b"):
            there = group.scope_spans.add()
            there.scope.name = scope
            for number in (1, 2):
                there.spans.add(trace_id=b"\1" * 16, span_id=number.to_bytes(8), name=f"{app} {scope} {number}")
    return message


def bury(value: Any, depth: int = 60) -> None:
    """Nests a value deeper than protobuf reads."""
    for _ in range(depth):
        value = value.array_value.values.add()


def names(export: Any) -> list[str]:
    """Of the spans that the ingester reads, with the app that they belong to."""
    return [f"{span.resource.get('service.name')}: {span.name}" for span in decode_traces(export.payload)]


def test_one_span_too_deep_costs_that_span():
    """The other seven are taken, each with its app."""
    message = two_apps()
    bury(message.resource_spans[1].scope_spans[0].spans[1].attributes.add(key="deep").value)
    export = read_export(TRACES, message.SerializeToString(), Form.PROTOBUF)
    assert (export.items, export.rejected) == (7, 1)
    assert "two: two a 2" not in names(export)
    assert names(export)[0] == "one: one a 1"
    assert len(names(export)) == 7
    assert export.why.startswith("1: damaged")


def test_a_resource_or_scope_that_cannot_be_read_costs_all_its_spans():
    """Without it nobody knows whose they are."""
    message = two_apps()
    bury(message.resource_spans[0].resource.attributes.add(key="deep").value)
    export = read_export(TRACES, message.SerializeToString(), Form.PROTOBUF)
    assert (export.items, export.rejected) == (4, 4)
    assert {name.partition(":")[0] for name in names(export)} == {"two"}
    message = two_apps()
    bury(message.resource_spans[0].scope_spans[1].scope.attributes.add(key="deep").value)
    export = read_export(TRACES, message.SerializeToString(), Form.PROTOBUF)
    assert (export.items, export.rejected) == (6, 2)
    assert not [name for name in names(export) if name.startswith("one: one b")]


def test_where_nothing_can_be_read_the_request_is_refused():
    """Rejecting every span with 200 would be taken for success."""
    message = ExportTraceServiceRequest()
    bury(message.resource_spans.add().scope_spans.add().spans.add().attributes.add(key="deep").value)
    with pytest.raises(NotTaken):
        read_export(TRACES, message.SerializeToString(), Form.PROTOBUF)
    with pytest.raises(NotTaken):
        read_export(TRACES, b'{"resourceSpans": [{"scopeSpans": [{"spans": [{"name": 5}]}]}]}', Form.JSON)


def test_spans_in_json_are_tried_one_by_one():
    """With what stands around them; reasons are named, and each once."""
    bad: list[Any] = [{"name": "b", "kind": {}}, {"name": "c", "startTimeUnixNano": "soon"}, 5]
    group = {
        "resource": {"attributes": [{"key": "service.name", "value": {"stringValue": "bot"}}]},
        "scopeSpans": [{"scope": {"name": "s"}, "spans": [{"name": "a"}, *bad, {"name": "d"}]}],
    }
    export = read_export(TRACES, json.dumps({"resourceSpans": [group]}).encode(), Form.JSON)
    assert (export.items, export.rejected) == (2, 3)
    assert names(export) == ["bot: a", "bot: d"]
    assert "startTimeUnixNano" in export.why


def test_half_an_emoji_in_json_is_repaired():
    """As in protobuf: it costs nobody the span."""
    body = rb'{"resourceSpans": [{"scopeSpans": [{"spans": [{"name": "half \ud83e"}]}]}]}'
    assert names(read_export(TRACES, body, Form.JSON)) == ["None: half \N{REPLACEMENT CHARACTER}"]
    body = b'{"resourceSpans": [{"scopeSpans": [{"spans": [{"name": "latin \xe4"}]}]}]}'
    assert names(read_export(TRACES, body, Form.JSON)) == ["None: latin \N{REPLACEMENT CHARACTER}"]


def test_a_log_record_that_cannot_be_read_costs_itself():
    """And records of other things are not stored."""
    message = ExportLogsServiceRequest()
    scope = message.resource_logs.add().scope_logs.add()
    for number in range(3):
        record = scope.log_records.add(trace_id=b"\1" * 16, span_id=b"\2" * 8, event_name="gen_ai.choice")
        record.body.string_value = f"answer {number}"
    scope.log_records.add(event_name="gen_ai.choice").body.string_value = "in no span"
    scope.log_records.add(trace_id=b"\1" * 16, span_id=b"\2" * 8).body.string_value = "a line of the app"
    bury(scope.log_records[1].body)
    export = read_export(LOGS, message.SerializeToString(), Form.PROTOBUF)
    assert (export.items, export.rejected, export.ignored) == (2, 1, 2)
    assert len(decode_logs(export.payload)) == 2


def test_logs_without_anything_to_keep_take_no_place():
    """They are acknowledged."""
    message = ExportLogsServiceRequest()
    message.resource_logs.add().scope_logs.add().log_records.add().body.string_value = "a line of the app"
    export = read_export(LOGS, message.SerializeToString(), Form.PROTOBUF)
    assert (export.payload, export.items, export.ignored) == (b"", 0, 1)
