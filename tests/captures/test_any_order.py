"""Whatever happens to spans on their way, the request is the same one, or is marked incomplete; nothing is raised.

200 examples a test; `make fuzz` runs GOLDRANK_FUZZ of them, by default 100,000.
"""

from __future__ import annotations

import os

import pytest
from goldrank.collectors import compose
from goldrank.collectors.otlp import decode_traces
from goldrank.collectors.otlp_json import traces_from_json
from goldrank.collectors.otlp_logs import decode_logs
from goldrank.model import BadInput, RecordedRequest, Span
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mutations import arrivals, encode, losses, spoilt
from recordings import FOLDER, load, names

EXAMPLES = int(os.environ.get("GOLDRANK_FUZZ", "200"))
LARGE = 400_000
"""Recordings of more characters only make the search slow."""
NAMES = [name for name in names() if (FOLDER / f"{name}.jsonl").stat().st_size < LARGE and load(name).spans]
pytestmark = pytest.mark.skipif(not NAMES, reason=f"no recordings in {FOLDER}: set GOLDRANK_CAPTURES to their folder")

recordings = st.sampled_from(NAMES or [""]).map(lambda name: load(name).spans if name else ())
fuzz = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=EXAMPLES <= 200,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)


def recorded(spans: list[Span] | tuple[Span, ...]) -> list[RecordedRequest]:
    """Everything that is read from these spans, hits included."""
    return [one.recorded for one in compose(spans)]


@fuzz
@given(st.data())
def test_order_doubling_and_batches_change_nothing(data: st.DataObject) -> None:
    """Spans one by one or together, first to last or last to first, once or thrice, give the same requests."""
    spans = data.draw(recordings)
    batches = data.draw(arrivals(spans))
    assert recorded([span for batch in batches for span in batch]) == recorded(spans)


@fuzz
@given(st.data())
def test_batches_as_bytes_change_nothing(data: st.DataObject) -> None:
    """The same over OTLP: what is read from the bytes of all batches is what was sent."""
    spans = [span for span in data.draw(recordings) if not span.dropped_attributes and not span.dropped_events]
    batches = data.draw(arrivals(spans))
    read = [span for batch in batches for span in decode_traces(encode(batch))]
    assert recorded(read) == recorded(spans)


@fuzz
@given(st.data())
def test_what_is_lost_never_moves_a_rank(data: st.DataObject) -> None:
    """Without some spans, attributes, events, ends of texts: a chunk stands at its true rank or at none, a shorter list
    says so, and a request whose spans are named and missing says so."""
    spans = data.draw(recordings)
    left = data.draw(losses(spans))
    true = {stage.stage_id: stage for one in recorded(spans) for stage in one.stages if stage.hits is not None}
    after = recorded(left)
    for one in after:
        for stage in one.stages:
            if stage.hits is None or stage.stage_id not in true:
                continue
            before = {hit.rank: hit.chunk_id for hit in true[stage.stage_id].hits or ()}
            for hit in stage.hits:
                assert hit.rank in before
                assert hit.chunk_id == before[hit.rank] or hit.chunk_id.startswith("sha256:")
            if len(stage.hits) < len(before):
                assert stage.completeness != "complete" or stage.outcome == "error"
    here = {span.span_id for span in left}
    cut_off = [span for span in left if span.parent_span_id is not None and span.parent_span_id not in here]
    known = {stage.stage_id for one in after for stage in one.stages}
    if any(span.span_id in known for span in cut_off):
        assert any(one.request.missing for one in after)


@fuzz
@given(st.data())
def test_nonsense_is_read_without_a_word(data: st.DataObject) -> None:
    """Values of other kinds, JSON with a hole, circles of parents, times from nowhere: a request comes out."""
    each_once = {(span.trace_id, span.span_id): span for span in data.draw(recordings)}
    spans = data.draw(spoilt(tuple(each_once.values())))
    once = recorded(spans)
    assert recorded(list(reversed(spans))) == once
    assert all(span.trace_id for span in decode_traces(encode(spans)))


@fuzz
@given(st.data())
def test_bytes_with_holes_are_refused_or_read(data: st.DataObject) -> None:
    """Flipped, cut or foreign bytes are read as far as they go or refused with BadInput, never anything else."""
    payload = bytearray(encode(data.draw(recordings)[:6]))
    for at in data.draw(st.lists(st.integers(0, max(0, len(payload) - 1)), max_size=6)):
        if payload:
            payload[at] ^= data.draw(st.integers(1, 255))
    cut = bytes(payload[: data.draw(st.integers(0, len(payload)))])
    for raw in (bytes(payload), cut):
        for decode in (decode_traces, decode_logs, lambda text: decode_traces(traces_from_json(text))):
            try:
                spans = decode(raw)
            except BadInput:
                continue  # refused, as it may be
            read = recorded(spans)
            assert {span.trace_id for span in spans} >= {one.request.trace_id for one in read}
