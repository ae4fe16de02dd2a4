"""Telemetry of other writers goes through spool, ingester and store, and comes back as it was composed."""

from __future__ import annotations

from pathlib import Path

import pytest
from goldrank.collectors import Ingester, compose
from goldrank.model import FrameKind
from goldrank.store.duckdb import open_store
from goldrank.tracing.spool import SpoolWriter
from goldrank.tracing.spool import encode as encode_frame
from mutations import encode
from recordings import FOLDER, load, names

NAMES = names()
pytestmark = pytest.mark.skipif(not NAMES, reason=f"no recordings in {FOLDER}: set GOLDRANK_CAPTURES to their folder")


def test_every_recording_comes_back_from_the_store(tmp_path: Path) -> None:
    """Each span in a batch of its own, children first: the last one makes the request whole."""
    writer = SpoolWriter(tmp_path / "spool", app="demo-rag")
    wanted = {}
    traces: set[str] = set()
    for name in NAMES:
        whole = not any(span.dropped_attributes or span.dropped_events for span in load(name).spans)
        spans = {(span.trace_id, span.span_id): span for span in load(name).spans}
        if not whole or not traces.isdisjoint(trace_id for trace_id, _ in spans):
            continue
        traces.update(trace_id for trace_id, _ in spans)
        wanted |= {one.request_id: one.recorded for one in compose(spans.values())}
        frames = [encode_frame(FrameKind.TRACES, encode([span])) for span in reversed(spans.values())]
        assert writer.write(frames) is None
    writer.close()
    with open_store(tmp_path / "store.duckdb") as store:
        ingester = Ingester(tmp_path / "spool", store)
        while ingester.run_once():
            pass
        assert ingester.state.frames_bad == 0
        for request_id, recorded in wanted.items():
            found = store.requests.get(request_id)
            assert found is not None
            assert found.model_dump(mode="json") == recorded.model_dump(mode="json"), request_id
