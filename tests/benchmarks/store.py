"""What the store costs: inserting, bytes a request, and the reads behind each page.

    python tests/benchmarks/store.py [--requests 10000]

Composed requests go straight into `intake.commit`, in batches of 100 as the ingester makes them under load. Times
of reads are wall clock, median and 95th percentile of 30 runs.
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from goldrank.model import (
    FlowSource,
    Hit,
    IdForm,
    IdMention,
    IdSource,
    Message,
    RecordedRequest,
    Request,
    Span,
    Stage,
    StageInput,
    StageKind,
    TextState,
    text_hash,
    wire,
)
from goldrank.store import ChunkQuery, IntakeBatch, RequestFilter, Store, open_store
from pipeline import Hits, Neutral, neutral_requests

BATCH = 100
T0 = 1_793_275_200_000_000_000


def main() -> None:
    """Fills a store, then reads it as the pages do."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=10_000)
    ask = parser.parse_args()
    path = Path(tempfile.mkdtemp(prefix="goldrank-bench-")) / "store.duckdb"
    with open_store(path) as store:
        fill(store, ask.requests)
        read(store, ask.requests)
    print(f"bytes a request              {path.stat().st_size / ask.requests:9.0f}   (file after closing)")


def fill(store: Store, requests: int) -> None:
    """Inserts everything; only the commits are timed."""
    cpu = wall = 0.0
    for batch in batches(neutral_requests(requests)):
        cpu_before, wall_before = time.process_time(), time.perf_counter()
        store.intake.commit(batch)
        cpu += time.process_time() - cpu_before
        wall += time.perf_counter() - wall_before
    print(f"requests                     {requests}")
    print(f"commit, requests/s           {requests / wall:9.0f}   (CPU {cpu / requests * 1e3:.3f} ms a request)")


def read(store: Store, requests: int) -> None:
    """The reads behind the pages."""
    middle = request_id(requests // 2)
    question = next(iter(neutral_requests(1))).question.split()
    everything = RequestFilter()
    timed("list page, 25 rows", lambda: store.requests.page(everything, limit=25))
    timed("list page, the last", lambda: store.requests.page(everything, limit=25, offset=requests - 25))
    timed("list page, three words", lambda: store.requests.page(RequestFilter(words=" ".join(question[3:6])), limit=25))
    timed("list page, part of a word", lambda: store.requests.page(RequestFilter(words=question[4][:4]), limit=25))
    timed("facets", store.requests.facets)
    timed("neighbours in the list", lambda: store.requests.neighbours(middle, everything))
    timed("request with its texts", lambda: store.requests.get(middle))
    timed("request without texts", lambda: store.requests.get(middle, texts=False))
    span = IdMention(form=IdForm.SPAN, span_id=f"{requests // 2 * 16 + 3:016x}")
    timed("request by a span id", lambda: store.requests.resolve(span))
    timed("request by a prefix", lambda: store.requests.resolve(IdMention(form=IdForm.PREFIX, prefix="0000abcd")))
    timed("spans of a request", lambda: store.requests.spans(middle, limit=100))
    passage = store.chunks.search(ChunkQuery(limit=1)).rows[0]
    typed = (passage.text or "").split()
    timed("search, two words", lambda: store.chunks.search(ChunkQuery(text=" ".join(typed[2:4]))))
    timed("search, a sentence", lambda: store.chunks.search(ChunkQuery(text=" ".join(typed[5:20]))))
    timed("search, a chunk id", lambda: store.chunks.search(ChunkQuery(text=passage.chunk_id)))
    timed("where a chunk appeared", lambda: store.chunks.appearances("bench", passage.chunk_id))


def timed(name: str, run: Callable[[], object], *, runs: int = 30) -> None:
    """Prints the median and the 95th percentile in milliseconds."""
    times = []
    for _ in range(runs):
        before = time.perf_counter()
        run()
        times.append((time.perf_counter() - before) * 1e3)
    print(f"{name:28} {statistics.median(times):9.1f} ms   (p95 {sorted(times)[int(runs * 0.95)]:.1f})")


def batches(neutral: Iterator[Neutral]) -> Iterator[IntakeBatch]:
    """As the ingester commits them."""
    numbered = enumerate(neutral)
    while chosen := list(itertools.islice(numbered, BATCH)):
        composed = [compose(number, request) for number, request in chosen]
        yield IntakeBatch(
            requests=tuple(recorded for recorded, _ in composed),
            spans=tuple(span for _, spans in composed for span in spans),
            members={
                recorded.request.request_id: tuple((span.trace_id, span.span_id) for span in spans)
                for recorded, spans in composed
            },
        )


def request_id(number: int) -> str:
    """The id of the request with this number."""
    return f"{number:032x}-{number * 16:016x}"


def compose(number: int, neutral: Neutral) -> tuple[RecordedRequest, list[Span]]:
    """The request and its spans, as the shim sends them: each text with the first list that holds it."""
    start_ns = T0 + number * 1_000_000_000
    lists = [
        (StageKind.RETRIEVE, "dense", neutral.dense),
        (StageKind.RETRIEVE, "lexical", neutral.lexical),
        (StageKind.FUSE, "fuse", neutral.fused),
        (StageKind.RERANK, "rerank", neutral.reranked),
    ]
    ids = [f"{number * 16 + place:016x}" for place in range(1, 7)]
    stages = [
        Stage(
            stage_id=ids[place],
            kind=kind,
            name=name,
            start_ns=start_ns + place,
            end_ns=start_ns + place + 40_000_000,
            query=neutral.rewrite if kind is StageKind.RETRIEVE else None,
            index="docs" if kind is StageKind.RETRIEVE else None,
            hits=hits_of(found),
            length=len(found),
            inputs=(StageInput(stage_id=ids[0]), StageInput(stage_id=ids[1])) if kind is StageKind.FUSE else (),
            flow_source=FlowSource.RECORDED if kind is StageKind.FUSE else FlowSource.UNKNOWN,
        )
        for place, (kind, name, found) in enumerate(lists)
    ]
    stages.append(
        Stage(
            stage_id=ids[4],
            kind=StageKind.GENERATE,
            name="generate",
            start_ns=start_ns + 5,
            end_ns=start_ns + 900_000_000,
            prompt=(Message(role="user", text=neutral.prompt),),
            text=neutral.answer,
        )
    )
    request = Request(
        request_id=request_id(number),
        trace_id=f"{number:032x}",
        app="bench",
        question=neutral.question,
        answer=neutral.answer,
        session=neutral.session,
        user=f"user-{number % 500}",
        start_ns=start_ns,
        end_ns=start_ns + 950_000_000,
    )
    recorded = RecordedRequest(request=request, stages=tuple(stages))
    return recorded, spans_of(recorded)


def hits_of(found: Hits) -> tuple[Hit, ...]:
    """A list as it is composed."""
    return tuple(
        Hit(
            rank=rank,
            chunk_id=hit["id"],
            id_source=IdSource.FIELD,
            doc_id=hit["doc_id"],
            score=hit["score"],
            text=hit["text"],
            text_hash=text_hash(hit["text"]),
            text_state=TextState.KNOWN,
            metadata=hit["metadata"],
        )
        for rank, hit in enumerate(found, 1)
    )


def spans_of(recorded: RecordedRequest) -> list[Span]:
    """The spans of a composed request."""
    request = recorded.request
    root = request.request_id.split("-")[1]
    sent: dict[str, int] = {}
    attributes: dict[str, Any] = {
        wire.VERSION: wire.WIRE_VERSION,
        wire.KIND: "request",
        wire.REQUEST_ID: request.request_id,
        wire.QUESTION: request.question,
        wire.ANSWER: request.answer,
        wire.USER: request.user,
        wire.SESSION: request.session,
    }
    spans = [span_of(request, root, None, "answer", attributes)]
    for stage in recorded.stages:
        attributes = {wire.VERSION: wire.WIRE_VERSION, wire.KIND: stage.kind.value, wire.REQUEST_ID: request.request_id}
        if stage.query is not None:
            attributes[wire.QUERY] = stage.query
        if stage.hits is not None:
            attributes[wire.HITS] = json.dumps(
                {"n": len(stage.hits), "scope": root, "hits": [hit_json(hit, sent) for hit in stage.hits]},
                separators=(",", ":"),
            )
        if stage.prompt is not None:
            attributes[wire.PROMPT] = json.dumps([message.model_dump() for message in stage.prompt])
            attributes[wire.TEXT] = stage.text
        spans.append(span_of(request, stage.stage_id, root, stage.name, attributes))
    return spans


def hit_json(hit: Hit, sent: dict[str, int]) -> dict[str, Any]:
    """A hit in the form of `wire.HITS`."""
    found: dict[str, Any] = {"id": hit.chunk_id, "doc": hit.doc_id, "s": hit.score, "m": hit.metadata}
    text = hit.text or ""
    if text not in sent:
        found["x"] = text
    found["t"] = sent.setdefault(text, len(sent))
    return found


def span_of(request: Request, span_id: str, parent: str | None, name: str, attributes: dict[str, Any]) -> Span:
    """A finished span."""
    return Span(
        trace_id=request.trace_id,
        span_id=span_id,
        parent_span_id=parent,
        name=name,
        kind=1,
        start_ns=request.start_ns,
        end_ns=request.start_ns + 40_000_000,
        status=1,
        status_message="",
        attributes=attributes,
        resource={wire.APP: request.app},
        scope="goldrank",
    )


if __name__ == "__main__":
    main()
