"""OTLP over HTTP on a real collector: both encodings, compression, limits, and an answer to whatever is sent."""

from __future__ import annotations

import contextlib
import gzip
import json
import zlib
from typing import Any

import pytest
from google.protobuf import json_format
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

PROTOBUF = "application/x-protobuf"
JSON = "application/json"
MIB = 1024 * 1024


def as_json(payload: bytes) -> dict[str, Any]:
    """An export request as OTLP writes it in JSON: ids in hex."""
    document = json_format.MessageToDict(ExportTraceServiceRequest.FromString(payload))
    for group in document["resourceSpans"]:
        for scope in group["scopeSpans"]:
            for span, raw in zip(
                scope["spans"],
                ExportTraceServiceRequest.FromString(payload).resource_spans[0].scope_spans[0].spans,
                strict=True,
            ):
                span["traceId"], span["spanId"] = raw.trace_id.hex(), raw.span_id.hex()
                if raw.parent_span_id:
                    span["parentSpanId"] = raw.parent_span_id.hex()
    return document


def test_protobuf_and_json_are_answered_in_kind(collector: Any, otlp: Any):
    """200 with an empty answer in the encoding of the request."""
    taken = collector.post("/v1/traces", otlp("In protobuf?"))
    assert (taken.status, taken.body, taken.headers["content-type"]) == (200, b"", PROTOBUF)
    taken = collector.post("/v1/traces", json.dumps(as_json(otlp("In JSON?"))).encode(), JSON)
    assert (taken.status, taken.json, taken.headers["content-type"]) == (200, {}, JSON)
    charset = collector.post("/v1/traces", json.dumps(as_json(otlp("Charset?"))).encode(), f"{JSON}; charset=utf-8")
    assert charset.status == 200


def test_nothing_in_an_export_is_fine(collector: Any):
    """An exporter may send nothing."""
    assert collector.post("/v1/traces", b"").status == 200
    assert collector.post("/v1/traces", b"{}", JSON).status == 200
    assert collector.post("/v1/traces", b'{"resourceSpans": []}', JSON).status == 200
    assert collector.post("/v1/logs", b"").status == 200


@pytest.mark.parametrize(
    ("coding", "compress"),
    [
        ("gzip", gzip.compress),
        ("GZip", gzip.compress),
        ("deflate", zlib.compress),
        ("deflate", lambda body: zlib.compress(body)[2:-4]),
        ("gzip", lambda body: gzip.compress(body[:100]) + gzip.compress(body[100:])),
        ("identity", bytes),
    ],
)
def test_compression_is_undone(collector: Any, otlp: Any, coding: str, compress: Any):
    """Gzip (also in several members), deflate in both of its forms, and none."""
    assert collector.post("/v1/traces", compress(otlp("Zipped?")), Content_Encoding=coding).status == 200


def test_other_codings_and_kinds_are_refused_with_what_is_taken(collector: Any, otlp: Any):
    """415, and the sender reads what to change."""
    refused = collector.post("/v1/traces", otlp("Is it live?"), Content_Encoding="zstd")
    assert (refused.status, refused.headers["accept-encoding"]) == (415, "gzip, deflate")
    assert "'zstd'; what is taken is gzip, deflate or none" in refused.text
    for kind in ("text/plain", "multipart/form-data", ""):
        refused = collector.post("/v1/traces", otlp("Is it live?"), kind)
        assert refused.status == 415
        assert f"{PROTOBUF} or {JSON}" in refused.json["message"]
    assert collector.post("/v1/feedback", b"{}", PROTOBUF).status == 415


def test_garbage_is_refused_in_the_encoding_of_the_sender(collector: Any, otlp: Any):
    """A google.rpc.Status with code 3: protobuf for protobuf, JSON for JSON."""
    refused = collector.post("/v1/traces", b"\xff\xfe garbage \x00")
    assert (refused.status, refused.headers["content-type"]) == (400, PROTOBUF)
    assert refused.body.startswith(b"\x08\x03\x12")
    assert b"is no OTLP ExportTraceServiceRequest" in refused.body
    for body in (b"{", b"[]", b'"text"', b'{"spans": []}', b"\xff", b"[" * 100_000, b'{"resourceSpans": 3}'):
        refused = collector.post("/v1/traces", body, JSON)
        assert (refused.status, refused.json["code"]) == (400, 3), body[:20]
    assert collector.post("/v1/traces", b"not gzip", Content_Encoding="gzip").status == 400
    assert collector.post("/v1/traces", gzip.compress(otlp("x"))[:-9], Content_Encoding="gzip").status == 400


def test_what_can_be_read_of_a_message_is_taken_and_the_rest_is_said(collector: Any, otlp: Any):
    """200 with the number of rejected spans and why, in both encodings."""
    document = as_json(otlp("Partly?", spans=3))
    document["resourceSpans"][0]["scopeSpans"][0]["spans"][1]["startTimeUnixNano"] = "soon"
    answer = collector.post("/v1/traces", json.dumps(document).encode(), JSON)
    assert answer.status == 200
    assert answer.json["partialSuccess"]["rejectedSpans"] == "1"
    assert "startTimeUnixNano" in answer.json["partialSuccess"]["errorMessage"]
    message = ExportTraceServiceRequest.FromString(otlp("Deep?", spans=2))
    value = message.resource_spans[0].scope_spans[0].spans[1].attributes.add(key="deep").value
    for _ in range(60):
        value = value.array_value.values.add()
    answer = collector.post("/v1/traces", message.SerializeToString())
    partial = ExportTraceServiceResponse.FromString(answer.body).partial_success
    assert (answer.status, partial.rejected_spans) == (200, 1)
    assert "nested deeper" in partial.error_message


def test_texts_that_are_not_utf8_are_taken(collector: Any, otlp: Any):
    """Half an emoji in one attribute costs nobody the batch."""
    body = otlp("half").replace(b"half", b"ha\xedf")
    assert collector.post("/v1/traces", body).status == 200


def test_bodies_far_above_four_megabytes_are_taken(collector: Any, otlp: Any):
    """A batch of long prompts is one body; gRPC's usual limit is no limit here."""
    large = otlp("Large?", padding=20 * MIB)
    assert collector.post("/v1/traces", large).status == 200
    assert (
        collector.post("/v1/traces", gzip.compress(otlp("Huge?", padding=50 * MIB), 1), Content_Encoding="gzip").status
        == 200
    )


def test_bodies_have_a_limit_announced_or_not(collector: Any):
    """Too large is 413 by the header, while streaming, and while inflating."""
    assert collector.post("/v1/traces", b"", Content_Length=str(64 * MIB)).status == 413
    bomb = gzip.compress(b"\x00" * (70 * MIB))
    assert len(bomb) < 100_000
    assert collector.post("/v1/traces", bomb, Content_Encoding="gzip").status == 413
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it may close before all was sent
        assert collector.post("/v1/traces", (b"\x00" * MIB for _ in range(40))).status == 413


def test_a_body_in_chunks_is_taken(collector: Any, otlp: Any):
    """Without a length, as some proxies send it."""
    body = otlp("Chunked?")
    assert collector.post("/v1/traces", (body[i : i + 7] for i in range(0, len(body), 7))).status == 200


def test_log_records_of_model_calls_are_taken_and_others_passed(collector: Any, model_event: Any, stored: Any):
    """An app may send all its logs: those that are about no model call cost no place in the spool."""
    before = collector.call("GET", "/healthz").json["received"]
    answer = collector.post("/v1/logs", model_event(events=2, others=3))
    assert (answer.status, ExportLogsServiceResponse.FromString(answer.body).HasField("partial_success")) == (
        200,
        False,
    )
    after = collector.call("GET", "/healthz").json["received"]
    assert after["log records"] - before.get("log records", 0) == 2
    assert after["other log records"] - before.get("other log records", 0) == 3


def test_no_cors_header_is_sent_and_other_hosts_are_refused(collector: Any, otlp: Any):
    """No web page may read or send, whatever its name points to."""
    answer = collector.call("GET", "/healthz", Origin="http://evil.example")
    assert "access-control-allow-origin" not in {name.lower() for name in answer.headers}
    assert collector.call("OPTIONS", "/v1/traces", Origin="http://evil.example").status == 405
    assert collector.post("/v1/traces", otlp("x"), Host="evil.example").status == 403
    assert collector.post("/v1/traces", otlp("x"), Host="localhost:1").status == 200
    assert collector.call("GET", "/v1/traces").status == 405
    assert collector.call("GET", "/").status == 404


def test_health_says_what_was_taken_refused_and_waits(collector: Any, otlp: Any):
    """Without a token, and without anything that a stranger may not know."""
    before = collector.call("GET", "/healthz").json
    collector.post("/v1/traces", otlp("Counted?", spans=4))
    collector.post("/v1/traces", b"\xff")
    after = collector.call("GET", "/healthz")
    assert (after.status, after.json["state"]) == (200, "ok")
    assert after.json["received"]["spans"] - before["received"].get("spans", 0) == 4
    assert after.json["received"]["requests"] - before["received"].get("requests", 0) == 1
    assert after.json["refused"]["not readable"] - before["refused"].get("not readable", 0) == 1
    assert after.json["waiting"] == {"requests": 0, "bytes": 0}
    assert "spool" not in after.text


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT has /v1/traces at its end."),
        ("/v1/traces/v1/traces", "OTEL_EXPORTER_OTLP_ENDPOINT is the address without a path"),
        ("/v1/metrics", "Metrics are not taken here, only traces and logs: OTEL_METRICS_EXPORTER=none stops them."),
        ("/v1/trace", "Nothing is taken at /v1/trace, only at /v1/traces, /v1/logs, /v1/feedback"),
    ],
)
def test_another_address_says_where_it_is(collector: Any, otlp: Any, path: str, said: str):
    """A path too many or too few is the usual slip: the sender's log has the way on, Status a count."""
    before = collector.call("GET", "/healthz").json["refused"].get("no such address", 0)
    answer = collector.call("POST", path, otlp("x"), Content_Type=JSON)
    assert (answer.status, said in answer.json["message"]) == (404, True), answer.text
    assert collector.call("GET", "/healthz").json["refused"]["no such address"] == before + 1


def test_another_method_says_which_is_taken(collector: Any):
    """Opened in a browser, an address of a sender is no riddle; asking is not counted as something refused."""
    answer = collector.call("GET", "/v1/traces")
    assert (answer.status, answer.text, answer.headers["allow"]) == (405, "/v1/traces takes POST.\n", "POST")
    assert "/v1/traces" in collector.call("GET", "/").text
