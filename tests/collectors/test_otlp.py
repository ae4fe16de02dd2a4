"""OTLP bytes to spans."""

from __future__ import annotations

import pytest
from goldrank.collectors import decode_traces
from goldrank.collectors.lenient import lenient_message
from goldrank.collectors.repair import repair_json, repair_text, repair_utf8
from goldrank.model import BadInput, SpanEvent, wire
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from wire_spans import encode, make_request, make_span


def test_every_kind_of_value_comes_back_as_it_was() -> None:
    """Arrays, maps and bytes are decoded in full, also inside one another."""
    attributes = {
        "text": "a\0b",
        "yes": True,
        "number": -7,
        "half": 0.5,
        "raw": b"\xff\x00",
        "list": ["a", 1, [True, {"deep": [None]}]],
        "empty list": [],
        "map": {"b": 2.5, "c": {"d": b"x"}},
        "nothing": None,
    }
    span = make_span(
        1,
        7,
        attributes=attributes,
        status=2,
        status_message="no",
        kind=3,
        events=(SpanEvent("e", 5, {"k": ["v"]}),),
        links=(("ab" * 16, "cd" * 8),),
    )
    assert decode_traces(encode([span])) == (span,)


def test_resources_stay_with_their_spans() -> None:
    """Spans of two apps in one message keep their own resource, in the order of the message."""
    one, two = make_span(1), make_span(2, resource={wire.APP: "other"})
    assert decode_traces(encode([one, two])) == (one, two)


@pytest.mark.parametrize("garbage", [b"\xff\xff", b"hello world", b'{"resourceSpans": []}', b"\x12\x03abc"])
def test_bytes_that_are_no_trace_request_are_refused(garbage: bytes) -> None:
    """The message names the number of bytes and never their content."""
    with pytest.raises(BadInput, match=f"^{len(garbage)} bytes") as caught:
        decode_traces(garbage)
    assert "hello" not in str(caught.value)


def test_an_empty_request_has_no_spans() -> None:
    """No bytes are a valid message: an exporter without anything to say."""
    assert decode_traces(b"") == ()


def test_half_an_emoji_costs_only_itself() -> None:
    """One bad text is repaired and its span marked; its neighbours in the same message are untouched."""
    bad = make_request(1, question="Is the \ud83e sticker free?", name="caf\udce9")
    good = make_request(2, question="fine \U0001f642")
    repaired, untouched = decode_traces(encode([bad, good]))
    assert repaired.attributes[wire.QUESTION] == "Is the \ufffd sticker free?"
    assert repaired.name == "caf\ufffd"
    assert repaired.repaired
    assert untouched == good
    assert not untouched.repaired


def test_half_an_emoji_as_an_escape_inside_json_is_repaired() -> None:
    """A lone escape becomes U+FFFD, a whole pair stays, and an escaped backslash is no escape."""
    text = r'{"hits": [{"x": "\udc00 \ud83d\ude42 \\ud83e \uD83E"}]}'
    (span,) = decode_traces(encode([make_span(1, attributes={wire.HITS: text, "other": text})]))
    assert span.attributes[wire.HITS] == r'{"hits": [{"x": "\ufffd \ud83d\ude42 \\ud83e \ufffd"}]}'
    assert span.attributes["other"] == text, "only goldrank's own JSON is known to be JSON"
    assert span.repaired


def test_a_repair_that_the_shim_made_is_known() -> None:
    """The shim marks what it had to change; the mark counts as ours."""
    (span,) = decode_traces(encode([make_span(1, attributes={wire.REPAIRED: True})]))
    assert span.repaired


def test_odd_ids_never_stop_a_batch() -> None:
    """Short ids are brought to length; a span without ids gets the same ones whenever it comes."""
    message = ExportTraceServiceRequest()
    spans = message.resource_spans.add().scope_spans.add().spans
    spans.add(trace_id=b"\x01\x02", span_id=b"\x03", name="short")
    spans.add(name="none")
    short, none = decode_traces(message.SerializeToString())
    assert (short.trace_id, short.span_id) == ("0" * 28 + "0102", "0" * 14 + "03")
    again = decode_traces(message.SerializeToString())[1]
    assert len(none.trace_id) == 32
    assert len(none.span_id) == 16
    assert none == again


def test_a_parent_of_zeros_is_no_parent() -> None:
    """Some exporters write eight zero bytes for "no parent"."""
    message = ExportTraceServiceRequest()
    spans = message.resource_spans.add().scope_spans.add().spans
    spans.add(trace_id=b"\x01" * 16, span_id=b"\x01" * 8, parent_span_id=b"\0" * 8)
    assert decode_traces(message.SerializeToString())[0].parent_span_id is None


def test_the_lenient_message_reads_what_the_strict_one_writes() -> None:
    """Both are the same wire format."""
    data = encode([make_request(1)])
    lenient = lenient_message()()
    lenient.ParseFromString(data)
    strict = ExportTraceServiceRequest()
    strict.ParseFromString(data)
    assert lenient.SerializeToString(deterministic=True) == strict.SerializeToString(deterministic=True)


def test_what_needs_no_repair_is_the_same_object() -> None:
    """Repair costs nothing where there is nothing to repair."""
    text = "caf\u00e9 \U0001f642 \0"
    assert repair_text(text) is text
    assert repair_json(text) is text
    assert repair_utf8(b"\xed\xa0\x80!") == "\ufffd!"
    assert repair_utf8(b"\xff!") == "\ufffd!"
