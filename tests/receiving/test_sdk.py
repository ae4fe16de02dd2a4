"""What OpenTelemetry's exporters for Python send reaches the store, and so does what goldrank.init(endpoint=) sends."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

APP = """
import sys
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
if sys.argv[1] == "grpc":
    from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
else:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
provider = TracerProvider(resource=Resource({"service.name": "sdk-app"}))
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
tracer = provider.get_tracer("app")
for number in range(20):
    root = {"openinference.span.kind": "CHAIN", "input.value": f"Question {number}?", "output.value": "Yes."}
    with tracer.start_as_current_span("rag", attributes=root):
        hits = {"openinference.span.kind": "RETRIEVER", "input.value": f"query {number}"}
        for rank in range(3):
            hits[f"retrieval.documents.{rank}.document.id"] = f"doc-{rank}"
            hits[f"retrieval.documents.{rank}.document.score"] = 1.0 - rank / 10
            hits[f"retrieval.documents.{rank}.document.content"] = f"The text of document {rank}."
        tracer.start_span("dense", attributes=hits).end()
provider.shutdown()
"""

SHIM = """
import sys, goldrank
goldrank.init(app="shim-app", endpoint=sys.argv[1], token="s3cret")

@goldrank.request
def answer(question):
    found = search(question)
    goldrank.feedback(score=-1, comment="no")
    return "Yes."

@goldrank.retrieve
def search(question):
    return [{"id": "a", "text": "one", "score": 0.5}]

answer("From the shim?")
goldrank.complaint("It was wrong.", complaint_id="T-7")
goldrank.corpus([{"id": "a", "text": "one"}], index="docs", version="v1")
assert goldrank.flush(60)
"""


def run(code: str, *arguments: str, **environment: str) -> None:
    """Runs a program to its end; whatever it says is shown if it fails."""
    kept = {name: value for name, value in os.environ.items() if name != "GOLDRANK_STRICT"}
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], env=kept | environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("protocol", ["http", "grpc"])
@pytest.mark.parametrize(
    "compression", [{}, pytest.param({"OTEL_EXPORTER_OTLP_COMPRESSION": "gzip"}, marks=pytest.mark.slow)]
)
def test_the_exporters_of_the_sdk(start_collector: Any, show: Any, protocol: str, compression: dict[str, str]):
    """Twenty requests by the exporter's usual settings and a token: listed and shown with their lists."""
    running = start_collector("--token", "s3cret").wait_until_up()
    port = running.grpc_port if protocol == "grpc" else running.http_port
    run(
        APP,
        protocol,
        OTEL_EXPORTER_OTLP_ENDPOINT=f"http://127.0.0.1:{port}",
        OTEL_EXPORTER_OTLP_HEADERS="authorization=Bearer%20s3cret",
        **compression,
    )
    assert running.stop() == (0, "")
    show(running.directory, "ingest")
    listed = show(running.directory, "requests", "--limit", "50")
    assert sorted(row["question"] for row in listed["rows"]) == sorted(f"Question {number}?" for number in range(20))
    request = show(running.directory, "show", listed["rows"][0]["request_id"])
    (stage,) = [stage for stage in request["recorded"]["stages"] if stage["kind"] == "retrieve"]
    assert [(hit["chunk_id"], hit["score"]) for hit in stage["hits"]] == [
        ("doc-0", 1.0),
        ("doc-1", 0.9),
        ("doc-2", 0.8),
    ]
    (receiver,) = show(running.directory, "status")["receivers"]
    assert receiver["received"]["spans"] == 40
    assert receiver["refused"] == {}


def test_the_shim_with_an_endpoint(start_collector: Any, stored: Any):
    """Spans, feedback, complaint and corpus of an app whose machine has no spool."""
    running = start_collector("--token", "s3cret").wait_until_up()
    run(SHIM, running.url)
    assert running.stop() == (0, "")
    found = stored(Path(running.directory))
    assert found.questions == ["From the shim?"]
    assert found.query("select score from current_feedback") == [(-1.0,)]
    assert {complaint_id for (complaint_id,) in found.query("select complaint_id from current_complaints")} >= {"T-7"}
    assert found.counts["rows"]["corpus_chunks"] == 1
    assert found.counts["drops"] == {}
