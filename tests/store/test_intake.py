"""What the ingester brings in comes out as it was received and composed."""

from __future__ import annotations


def test_request_comes_back_equal(store, make):
    """A request is rebuilt exactly as it was composed."""
    made = make.request()
    store.intake.commit(make.batch(made))
    assert store.requests.get(made.request_id) == made.recorded


def test_spans_come_back_equal(store, make):
    """Spans come back with every attribute letter for letter."""
    made = make.request()
    store.intake.commit(make.batch(made))
    found = store.intake.spans_of((made.recorded.request.trace_id,))
    assert sorted(found, key=lambda span: span.span_id) == sorted(made.spans, key=lambda span: span.span_id)
