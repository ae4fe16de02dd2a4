"""OTLP by column says what OTLP span by span says, and leaves to it what has no columns."""

from __future__ import annotations

import math

import pytest
from goldrank.collectors import otlp
from goldrank.collectors.otlp_values import KnownValues, decode_bytes, decode_value
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue, KeyValueList

VALUES = (
    AnyValue(string_value=""),
    AnyValue(string_value="a"),
    AnyValue(string_value="é" * 63),
    AnyValue(string_value="x" * 127),
    AnyValue(string_value="x" * 128),
    AnyValue(string_value="x" * 16_383),
    AnyValue(string_value="x" * 16_384),
    AnyValue(string_value="x" * 2_100_000),
    AnyValue(bool_value=False),
    AnyValue(int_value=-1),
    AnyValue(int_value=2**63 - 1),
    AnyValue(double_value=0.1),
    AnyValue(double_value=-math.inf),
    AnyValue(bytes_value=b"\x00\xff"),
    AnyValue(array_value=ArrayValue(values=[AnyValue(int_value=1), AnyValue()])),
    AnyValue(kvlist_value=KeyValueList(values=[KeyValue(key="k", value=AnyValue(string_value="v"))])),
    AnyValue(),
)


def request_of(*attributes: KeyValue, trace_id: bytes = b"t" * 16) -> ExportTraceServiceRequest:
    """One span with these attributes, and an ordinary one after it."""
    request = ExportTraceServiceRequest()
    spans = request.resource_spans.add().scope_spans.add().spans
    for span_id in (b"1" * 8, b"2" * 8):
        span = spans.add(trace_id=trace_id, span_id=span_id, name="s")
        span.attributes.extend(attributes if span_id == b"1" * 8 else [KeyValue(key="z", value=VALUES[1])])
    return request


@pytest.mark.parametrize("value", VALUES, ids=range(len(VALUES)))
def test_a_value_is_the_same_from_its_bytes(value: AnyValue) -> None:
    """Whatever a value holds, its bytes give what its message gives."""
    assert decode_bytes(value.SerializeToString()) == decode_value(value)


def test_both_ways_give_the_same_spans() -> None:
    """All kinds of values beside each other stay with their names."""
    request = request_of(*(KeyValue(key=f"k{n}", value=value) for n, value in enumerate(VALUES)))
    payload = request.SerializeToString()
    by_column = otlp._decode_by_column(payload)
    assert by_column is not None
    assert by_column == otlp._decode_by_span(payload)


def test_names_and_values_that_do_not_meet_are_read_span_by_span() -> None:
    """A name without a value beside a value without a name: as many of each, and no pairs."""
    value = AnyValue(string_value="nameless")
    payload = request_of(KeyValue(key="alone"), KeyValue(value=value), KeyValue(key="c", value=value))
    assert otlp.decode_traces(payload.SerializeToString())[0].attributes == {
        "alone": None,
        "": "nameless",
        "c": "nameless",
    }


def test_of_a_name_given_twice_the_last_value_counts() -> None:
    """As it always was."""
    twice = [KeyValue(key="k", value=VALUES[n]) for n in (1, 2)]
    assert otlp.decode_traces(request_of(*twice).SerializeToString())[0].attributes == {"k": VALUES[2].string_value}


def test_a_span_without_a_trace_id_gets_one_made() -> None:
    """An id is made of the whole span, which only the other way has."""
    (first, _) = otlp.decode_traces(request_of(trace_id=b"").SerializeToString())
    assert len(first.trace_id) == otlp.TRACE_ID_DIGITS


def test_values_are_forgotten_when_there_are_many() -> None:
    """What is kept of values is bounded, and right before and after."""
    known = KnownValues(room=1_000)
    raw = [AnyValue(string_value=f"text {n}").SerializeToString() for n in range(100)]
    for _ in range(2):
        assert known.read(raw) == [f"text {n}" for n in range(100)]
    assert len(known) <= 2 * 1_000 // 100
