"""The same neutral requests as the bodies that peers.py posts: OpenInference spans, and goldrank's own."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from pipeline import Hits, Neutral, build

T0_NS = 1_790_000_000_000_000_000
REQUESTS_A_POST = 20
OPENINFERENCE_SPANS = 6
GOLDRANK_SPANS = 7
"""One more: the fusion is a span of its own."""
_KIND = "openinference.span.kind"


def openinference_posts(requests: list[Neutral], project: str) -> Iterator[bytes]:
    """Chain, rewrite, two retrievers, reranker and answer, with documents as flat attributes."""
    for first in range(0, len(requests), REQUESTS_A_POST):
        message = ExportTraceServiceRequest()
        resource = message.resource_spans.add()
        _set(resource.resource.attributes.add(), "openinference.project.name", project)
        scope = resource.scope_spans.add()
        scope.scope.name = "bench"
        for number, request in enumerate(requests[first : first + REQUESTS_A_POST], first):
            scope.spans.extend(_openinference_trace(number, request, project))
        yield message.SerializeToString()


def _openinference_trace(number: int, request: Neutral, project: str) -> Iterator[Span]:
    trace = hashlib.sha256(f"{project}:{number}".encode()).digest()[:16]
    start = T0_NS + number * 50_000_000
    for place, (name, attributes) in enumerate(_openinference_spans(request)):
        span = Span(trace_id=trace, span_id=_span_id(trace, place), name=name, kind=Span.SPAN_KIND_INTERNAL)
        if place:
            span.parent_span_id = _span_id(trace, 0)
        span.start_time_unix_nano = start + place * 1_000_000
        span.end_time_unix_nano = start + (place * 100_000_000 if place else 900_000_000)
        span.status.code = 1
        for key, value in attributes.items():
            _set(span.attributes.add(), key, value)
        yield span


def _span_id(trace: bytes, place: int) -> bytes:
    return hashlib.sha256(trace + bytes([place])).digest()[:8]


def _set(pair: Any, key: str, value: str | float) -> None:
    pair.key = key
    if isinstance(value, str):
        pair.value.string_value = value
    elif isinstance(value, int):
        pair.value.int_value = value
    else:
        pair.value.double_value = value


def _openinference_spans(request: Neutral) -> Iterator[tuple[str, dict[str, str | float]]]:
    ends = {"input.value": request.question, "output.value": request.answer, "session.id": request.session}
    yield "rag", {_KIND: "CHAIN", **ends}
    yield "rewrite", _llm(f"Rewrite the query: {request.question}", request.rewrite)
    for name, hits in (("dense", request.dense), ("lexical", request.lexical)):
        yield name, {_KIND: "RETRIEVER", "input.value": request.rewrite, **_documents("retrieval.documents", hits)}
    reranker = {_KIND: "RERANKER", "reranker.query": request.rewrite, "reranker.model_name": "ce-mini"}
    documents = _documents("reranker.input_documents", request.fused)
    documents |= _documents("reranker.output_documents", request.reranked)
    yield "rerank", {**reranker, "input.value": request.rewrite, **documents}
    yield "answer", _llm(request.prompt, request.answer)


def _llm(prompt: str, answer: str) -> dict[str, str | float]:
    said, wrote = "llm.input_messages.0.message", "llm.output_messages.0.message"
    return {
        _KIND: "LLM",
        "llm.model_name": "gpt-4o-mini",
        f"{said}.role": "user",
        f"{said}.content": prompt,
        f"{wrote}.role": "assistant",
        f"{wrote}.content": answer,
        "llm.token_count.prompt": len(prompt) // 4,
        "llm.token_count.completion": len(answer) // 4,
        "input.value": prompt,
        "output.value": answer,
    }


def _documents(prefix: str, hits: Hits) -> dict[str, str | float]:
    found: dict[str, str | float] = {}
    for place, hit in enumerate(hits):
        document = f"{prefix}.{place}.document"
        found[f"{document}.id"] = hit["id"]
        found[f"{document}.content"] = hit["text"]
        found[f"{document}.score"] = hit["score"]
        found[f"{document}.metadata"] = json.dumps({"doc_id": hit["doc_id"], **hit["metadata"]})
    return found


def goldrank_posts(requests: list[Neutral]) -> Iterator[bytes]:
    """What goldrank's decorators record of them, taken from a spool and posted in batches as large as the others."""
    import goldrank

    with tempfile.TemporaryDirectory(prefix="goldrank-peers-") as folder:
        goldrank.init(app="bench", directory=folder, queue_size=1_000_000)
        kinds = ("request", "rewrite", "retrieve", "fuse", "rerank", "generate")
        run = build({kind: getattr(goldrank, kind) for kind in kinds}.__getitem__)
        for request in requests:
            run(request)
        assert goldrank.flush(60), "recording lost something"
        goldrank.shutdown()
        yield from _regrouped(_messages(Path(folder) / "spool"))


def _messages(spool: Path) -> Iterator[ExportTraceServiceRequest]:
    from goldrank.model import FrameKind
    from goldrank.tracing.spool import list_segments, read_frames

    for segment in list_segments(spool):
        for frame in read_frames(segment.path, 0, 1 << 40):
            if frame.kind == FrameKind.TRACES:
                yield ExportTraceServiceRequest.FromString(frame.payload)


def _regrouped(messages: Iterable[ExportTraceServiceRequest]) -> Iterator[bytes]:
    """Whole traces, so many a post; resource and scope are those of the first message, which all share."""
    head: ExportTraceServiceRequest | None = None
    traces: dict[bytes, list[Span]] = defaultdict(list)
    for message in messages:
        head = head or message
        for scope in (scope for resource in message.resource_spans for scope in resource.scope_spans):
            for span in scope.spans:
                traces[span.trace_id].append(span)
    assert head is not None
    del head.resource_spans[1:]
    del head.resource_spans[0].scope_spans[1:]
    spans = head.resource_spans[0].scope_spans[0].spans
    together = list(traces.values())
    for first in range(0, len(together), REQUESTS_A_POST):
        del spans[:]
        for trace in together[first : first + REQUESTS_A_POST]:
            spans.extend(trace)
        yield head.SerializeToString()
