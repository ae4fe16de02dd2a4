"""Our OTLP bytes say what the official encoder's say, and what it cannot say besides."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from goldrank.tracing.own_spans import OwnTracer
from goldrank.tracing.spool.frames import MAX_PAYLOAD
from goldrank.tracing.spool.otlp import encode_spans
from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans as official
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, SpanLimits, SpanProcessor, TracerProvider
from opentelemetry.trace import (
    Link,
    NonRecordingSpan,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    TraceFlags,
    TraceState,
    set_span_in_context,
)

CLEAN_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
SCALARS = st.one_of(CLEAN_TEXT, st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False))
VALUES = st.one_of(SCALARS, st.lists(CLEAN_TEXT, max_size=4), st.lists(st.integers(-9, 9), max_size=4))
ATTRIBUTES = st.dictionaries(CLEAN_TEXT.filter(bool), VALUES, max_size=6)


class Keep(SpanProcessor):
    """Keeps the ended spans."""

    def __init__(self) -> None:
        self.spans: list[ReadableSpan] = []

    def on_end(self, span: ReadableSpan) -> None:
        self.spans.append(span)


def provider(keep: Keep, name: str = "t", **settings: Any) -> TracerProvider:
    """A provider whose spans `keep` keeps."""
    resource = Resource({"service.name": name}, "https://r")
    made = TracerProvider(resource=resource, shutdown_on_exit=False, **settings)
    made.add_span_processor(keep)
    return made


def ours(spans: list[ReadableSpan]) -> ExportTraceServiceRequest:
    """Our bytes, read by the protobuf library, all messages as one."""
    merged = ExportTraceServiceRequest()
    for message in encode_spans(spans).messages:
        merged.MergeFromString(message)
    return merged


@pytest.fixture
def keep() -> Iterator[Keep]:
    """A fresh Keep."""
    return Keep()


@settings(deadline=None)
@given(st.lists(st.tuples(CLEAN_TEXT, ATTRIBUTES, st.sampled_from(list(SpanKind))), min_size=1, max_size=5))
def test_spans_read_as_the_official_encoder_writes_them(spans: list[tuple[str, dict[str, Any], SpanKind]]) -> None:
    """Names, kinds, times, parents and attributes of any value are the same."""
    keep = Keep()
    tracer = provider(keep).get_tracer("goldrank", "1.0", "https://s", {"a": 1})
    with tracer.start_as_current_span("root"):
        for name, attributes, kind in spans:
            tracer.start_span(name, attributes=attributes, kind=kind).end()
    assert ours(keep.spans) == official(keep.spans)


NUMBERS = st.dictionaries(CLEAN_TEXT.filter(bool), st.sampled_from([True, 1, 1.0, 0, False, 127, 128, -1]), max_size=6)


@settings(deadline=None)
@given(st.lists(st.tuples(CLEAN_TEXT, ATTRIBUTES | NUMBERS, st.sampled_from(list(SpanKind))), min_size=1, max_size=5))
def test_spans_of_ours_read_as_the_official_encoder_writes_them(
    spans: list[tuple[str, dict[str, Any], SpanKind]],
) -> None:
    """Also what only some of them have: a kind, an event, a status, a remote parent; beside spans of another tracer."""
    keep = Keep()
    ours_only = OwnTracer(Resource({"service.name": "t"}), "goldrank", keep.on_end)
    other = OwnTracer(Resource({"service.name": "u"}), "goldrank", keep.on_end)
    remote = NonRecordingSpan(SpanContext(7, 8, is_remote=True, trace_flags=TraceFlags(1)))
    root = ours_only.start_span("root", set_span_in_context(remote))
    for number, (name, attributes, kind) in enumerate(spans):
        span = ours_only.start_span(name, set_span_in_context(root), kind=kind, attributes=attributes)
        if number == 1:
            span.add_event("e", {"k": "v"}, 5)
            span.set_status(Status(StatusCode.ERROR, "broken"))
        span.end()
        (other if number % 2 else ours_only).start_span(name).end()
    root.end()
    assert ours(keep.spans) == official(keep.spans)


def test_everything_that_a_span_can_have_is_written(keep: Keep) -> None:
    """Remote parent, trace state, events, links, status, dropped counts, several scopes and resources."""
    remote = SpanContext(7, 8, is_remote=True, trace_flags=TraceFlags(1), trace_state=TraceState([("v", "1")]))
    limits = SpanLimits(max_span_attributes=2, max_events=1, max_links=1)
    first = provider(keep, span_limits=limits)
    span = first.get_tracer("one").start_span(
        "s",
        context=set_span_in_context(NonRecordingSpan(remote)),
        links=[Link(remote, {"l": 1}), Link(remote)],
        attributes={"a": 1, "b": 2, "c": 3},
    )
    span.add_event("e", {"k": "v"}, 5)
    span.add_event("f", None, 6)
    span.set_status(Status(StatusCode.ERROR, "broken"))
    span.end()
    first.get_tracer("two").start_span("t").end()
    provider(keep, "other").get_tracer("one").start_span("u").end()
    assert ours(keep.spans) == official(keep.spans)


def test_nested_values_are_written(keep: Keep) -> None:
    """Lists in lists, maps, bytes and None, as newer SDKs allow them."""
    value = [{"a": [1, 2.5, None, b"raw", True], "b": {"c": "d"}}]
    provider(keep).get_tracer("t").start_span("s", attributes={"deep": value}).end()
    assert ours(keep.spans) == official(keep.spans)


def test_a_lone_surrogate_costs_a_character_and_no_attribute(
    keep: Keep, warnings_said: Callable[[], list[str]]
) -> None:
    """It becomes U+FFFD wherever it stands, the span says that it was repaired, and nothing is logged."""
    tracer = provider(keep).get_tracer("t")
    span = tracer.start_span("na\ud800me", attributes={"k\udfffey": "va\ud83dlue", "list": ["x\ud800", "y"]})
    span.add_event("ev\ud800")
    span.set_status(Status(StatusCode.ERROR, "st\ud800"))
    span.end()
    tracer.start_span("neighbour", attributes={"fine": "é😀"}).end()
    repaired, neighbour = ours(keep.spans).resource_spans[0].scope_spans[0].spans
    attributes = {pair.key: pair.value for pair in repaired.attributes}
    assert repaired.name == "na\ufffdme"
    assert attributes["k\ufffdey"].string_value == "va\ufffdlue"
    assert [value.string_value for value in attributes["list"].array_value.values] == ["x\ufffd", "y"]
    assert (repaired.events[0].name, repaired.status.message) == ("ev\ufffd", "st\ufffd")
    assert attributes["goldrank.repaired"].bool_value
    assert [pair.key for pair in neighbour.attributes] == ["fine"]
    assert not warnings_said()


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 10**5000], ids=["above", "below", "far"])
def test_a_number_beyond_64_bits_becomes_text(keep: Keep, number: int) -> None:
    """OTLP has no place for it; as text it can still be read."""
    provider(keep).get_tracer("t").start_span("s", attributes={"n": number}).end()
    value = ours(keep.spans).resource_spans[0].scope_spans[0].spans[0].attributes[0].value
    assert int(value.string_value, 16) == number


def test_an_odd_span_takes_no_neighbour_along(keep: Keep) -> None:
    """A span that is no proper span, or longer than a frame may be, is counted; the others are written."""
    tracer = provider(keep).get_tracer("t")
    tracer.start_span("before").end()
    tracer.start_span("huge", attributes={"x": "y" * (MAX_PAYLOAD + 1)}).end()
    tracer.start_span("after").end()
    encoded = encode_spans([keep.spans[0], ReadableSpan("no context"), *keep.spans[1:]])
    assert (encoded.counts, encoded.too_large, encoded.not_encodable) == ([2], 1, 1)
    spans = ExportTraceServiceRequest.FromString(encoded.messages[0]).resource_spans[0].scope_spans[0].spans
    assert [span.name for span in spans] == ["before", "after"]


def test_large_spans_go_into_several_messages(keep: Keep) -> None:
    """Each message stays near 4 MiB; none is empty, the order is kept."""
    tracer = provider(keep).get_tracer("t")
    for name in "abcd":
        tracer.start_span(name, attributes={"x": "y" * 3_000_000}).end()
    encoded = encode_spans(keep.spans)
    assert encoded.counts == [1, 1, 1, 1]
    assert max(map(len, encoded.messages)) < 4 * 1024 * 1024
    names = [span.name for rs in ours(keep.spans).resource_spans for ss in rs.scope_spans for span in ss.spans]
    assert names == ["a", "b", "c", "d"]


def test_no_spans_are_no_message(keep: Keep) -> None:
    """Nothing in, nothing out."""
    assert encode_spans(keep.spans).messages == []
