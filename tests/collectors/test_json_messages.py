"""The quick way of reading OTLP in JSON reads what the complete way reads, or leaves it to that."""

from __future__ import annotations

from typing import Any

import pytest
from goldrank.collectors.json_messages import Unusual, fill
from goldrank.collectors.otlp_json import _with_binary_ids, traces_from_json
from goldrank.model import BadInput
from google.protobuf import json_format
from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

USUAL = {
    "resourceSpans": [
        {
            "resource": {"attributes": [{"key": "service.name", "value": {"stringValue": "bot"}}]},
            "scopeSpans": [
                {
                    "scope": {"name": "s", "version": "1"},
                    "spans": [
                        {
                            "traceId": "5B8EFFF798038103D269B633813FC60C",
                            "spanId": "eee19b7ec3c1b174",
                            "parentSpanId": "",
                            "name": "rag",
                            "kind": 1,
                            "startTimeUnixNano": "1544712660000000000",
                            "endTimeUnixNano": 1544712661000000000,
                            "attributes": [
                                {"key": "i", "value": {"intValue": "-7"}},
                                {"key": "d", "value": {"doubleValue": 0.5}},
                                {"key": "w", "value": {"doubleValue": 3}},
                                {"key": "b", "value": {"boolValue": False}},
                                {"key": "e", "value": {}},
                                {"key": "s", "value": {"stringValue": ""}},
                                {"key": "a", "value": {"arrayValue": {"values": [{"stringValue": "x"}, {}]}}},
                                {"key": "k", "value": {"kvlistValue": {"values": [{"key": "q"}]}}},
                            ],
                            "events": [{"timeUnixNano": "5", "name": "e", "attributes": []}],
                            "links": [{"traceId": "5b8efff798038103d269b633813fc60c", "spanId": "eee19b7ec3c1b174"}],
                            "status": {"code": 2, "message": "no"},
                            "flags": 257,
                            "somethingNew": {"x": [1]},
                        }
                    ],
                    "schemaUrl": "u",
                }
            ],
        }
    ]
}


def slowly(document: object) -> ExportTraceServiceRequest:
    """As protobuf's own reader has it."""
    return json_format.ParseDict(_with_binary_ids(document), ExportTraceServiceRequest(), ignore_unknown_fields=True)


def quickly(document: object) -> ExportTraceServiceRequest:
    """As the quick way has it."""
    message = ExportTraceServiceRequest()
    fill(message, document)
    return message


def test_what_exporters_write_is_read_quickly_and_the_same():
    """Every kind of value, empty ones too, and a field that this version does not know."""
    assert quickly(USUAL) == slowly(USUAL)
    assert quickly({}) == slowly({})


def span(**changed: Any) -> dict[str, Any]:
    """A document with one span."""
    return {"resourceSpans": [{"scopeSpans": [{"spans": [{"name": "x", **changed}]}]}]}


@pytest.mark.parametrize(
    "changed",
    [
        {"traceId": "W47/95gDgQPSabYzgT/GDA=="},
        {"kind": "SPAN_KIND_SERVER"},
        {"start_time_unix_nano": "5"},
        {"startTimeUnixNano": 5.0},
        {"name": None},
        {"attributes": [{"key": "b", "value": {"bytesValue": "AAE="}}]},
        {"attributes": [{"key": "d", "value": {"doubleValue": "NaN"}}]},
    ],
)
def test_other_right_forms_are_left_to_the_complete_way(changed: dict[str, Any]):
    """They are read all the same."""
    with pytest.raises(Unusual):
        quickly(span(**changed))
    import json

    read = ExportTraceServiceRequest.FromString(traces_from_json(json.dumps(span(**changed))))
    assert read == slowly(span(**changed))


@pytest.mark.parametrize(
    "changed",
    [
        {"startTimeUnixNano": "soon"},
        {"startTimeUnixNano": -1},
        {"startTimeUnixNano": True},
        {"name": 5},
        {"name": "\ud83e"},
        {"attributes": {"key": "x"}},
        {"attributes": [{"key": "x", "value": {"intValue": "1", "stringValue": "2"}}]},
        {"attributes": [{"key": "x", "value": {"doubleValue": float("inf")}}]},
    ],
)
def test_what_is_wrong_is_refused_in_the_words_of_the_complete_way(changed: dict[str, Any]):
    """The quick way never takes it."""
    import json

    with pytest.raises((Unusual, TypeError, ValueError)):
        quickly(span(**changed))
    with pytest.raises(BadInput):
        traces_from_json(json.dumps(span(**changed)))


SCALARS = st.sampled_from(
    ["", "x", "12", "-3", "1e3", " 5", "٣", "0x1", "5b8efff798038103d269b633813fc60c", 0, 1, 2, -1, 2**63, 2**64, 1.0]
) | st.sampled_from([0.5, 1e400, True, False, None, "NaN", "SPAN_KIND_CLIENT", [], {}, [1], {"x": 1}])
VALUES = st.recursive(
    st.dictionaries(st.sampled_from(["stringValue", "intValue", "doubleValue", "boolValue"]), SCALARS, max_size=2),
    lambda inner: (
        st.builds(lambda one: {"arrayValue": {"values": one}}, st.lists(inner, max_size=2))
        | st.builds(lambda one: {"kvlistValue": {"values": [{"key": "k", "value": one}]}}, inner)
    ),
    max_leaves=4,
)
SPANS = st.dictionaries(
    st.sampled_from(
        [
            "traceId",
            "spanId",
            "name",
            "kind",
            "startTimeUnixNano",
            "endTimeUnixNano",
            "flags",
            "status",
            "links",
            "name_",
            "trace_id",
            "start_time_unix_nano",
            "droppedAttributesCount",
            "events",
            "unknown",
        ]
    ),
    SCALARS,
    max_size=4,
)


@settings(max_examples=500, deadline=None)
@given(SPANS, st.lists(VALUES, max_size=2))
def test_whatever_is_read_quickly_is_read_the_same(fields: dict[str, Any], values: list[Any]):
    """Right or wrong, usual or not: where the quick way reads it, the complete way reads the same."""
    document = span(**fields, attributes=[{"key": "k", "value": value} for value in values])
    try:
        message = quickly(document)
    except (Unusual, TypeError, ValueError):
        return
    assert message == slowly(document)
