"""A store to test, and deterministic requests to put into it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from goldrank.model import (
    Completeness,
    FlowSource,
    Hit,
    IdSource,
    Judgement,
    Label,
    LabelTarget,
    Message,
    Outcome,
    RecordedRequest,
    Request,
    ScoreKind,
    Span,
    Stage,
    StageInput,
    StageKind,
    TextState,
    text_hash,
    wire,
)
from goldrank.store import IntakeBatch, Store, open_store

T0 = 1_793_275_200_000_000_000
"""29 October 2026, 12:00 UTC, in nanoseconds."""

Opener = Callable[..., Store]


@pytest.fixture(params=["duckdb"])
def opener(request: pytest.FixtureRequest) -> Opener:
    """How a kind of store is opened. Another kind joins the contract tests by its name here."""
    return {"duckdb": open_store}[request.param]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the store of a test lies."""
    return tmp_path / "store.duckdb"


@pytest.fixture
def store(opener: Opener, path: Path) -> Iterator[Store]:
    """An empty store."""
    with opener(path) as opened:
        yield opened


class Made(NamedTuple):
    """A request with the spans it was composed from."""

    recorded: RecordedRequest
    spans: tuple[Span, ...]

    @property
    def request_id(self) -> str:
        return self.recorded.request.request_id

    @property
    def members(self) -> tuple[tuple[str, str], ...]:
        return tuple((span.trace_id, span.span_id) for span in self.spans)


class Maker:
    """Makes requests that depend on nothing but their arguments."""

    def request(
        self,
        number: int = 1,
        *,
        question: str = "Can I get a refund for the annual plan?",
        answer: str = "Refunds are possible within 14 days.",
        chunks: tuple[tuple[str, str | None], ...] = (),
        app: str = "support-bot",
        index: str | None = "docs",
        version: str | None = None,
        **fields: Any,
    ) -> Made:
        """A request with two legs, a fusion, a reranker and a generate stage over `chunks` (id, text)."""
        trace_id, root = f"{number:032x}", f"{number * 16:016x}"
        start_ns = fields.pop("start_ns", T0 + number * 1_000_000_000)
        found = chunks or self.chunks(number)
        hits = tuple(self.hit(rank, chunk_id, text) for rank, (chunk_id, text) in enumerate(found, 1))
        backwards = tuple(self.hit(rank, chunk_id, text) for rank, (chunk_id, text) in enumerate(found[::-1], 1))
        ids = [f"{number * 16 + offset:016x}" for offset in range(1, 6)]
        prompt = "Answer from the context.\n\n" + "\n\n".join(hit.text or "" for hit in hits[:2])
        common = {"index": index, "index_version": version, "top_k": 50}
        stages = (
            self.stage(ids[0], StageKind.RETRIEVE, "bm25", start_ns + 1, hits=hits, query=question, **common),
            self.stage(ids[1], StageKind.RETRIEVE, "dense", start_ns + 2, hits=backwards, query=question, **common),
            self.stage(
                ids[2],
                StageKind.FUSE,
                "rrf",
                start_ns + 3,
                hits=hits,
                inputs=(StageInput(stage_id=ids[0], depth=20), StageInput(stage_id=ids[1])),
                flow_source=FlowSource.RECORDED,
                settings={"k": 60},
            ),
            self.stage(ids[3], StageKind.RERANK, "rerank", start_ns + 4, hits=hits[:2]),
            self.stage(
                ids[4],
                StageKind.GENERATE,
                "generate",
                start_ns + 5,
                prompt=(Message(role="system", text=prompt), Message(role="user", text=question)),
                text=answer,
            ),
        )
        request = Request(
            request_id=fields.pop("request_id", f"{trace_id}-{root}"),
            trace_id=trace_id,
            app=app,
            question=question,
            answer=answer,
            start_ns=start_ns,
            end_ns=fields.pop("end_ns", start_ns + 250_000_000),
            **fields,
        )
        recorded = RecordedRequest(request=request, stages=stages)
        return Made(recorded, self.spans(recorded, root))

    def chunks(self, number: int, count: int = 5) -> tuple[tuple[str, str]]:
        """Ids and texts that differ from request to request."""
        return tuple(
            (
                f"page-{number}#{place}",
                f"Paragraph {place} of page {number} says what applies to case {number * 100 + place}, in full.",
            )
            for place in range(count)
        )

    def hit(self, rank: int, chunk_id: str, text: str | None, **fields: Any) -> Hit:
        """A hit with the usual fields."""
        return Hit(
            **{
                "rank": rank,
                "chunk_id": chunk_id,
                "id_source": IdSource.METADATA,
                "doc_id": chunk_id.split("#", maxsplit=1)[0],
                "score": 1 / rank,
                "score_kind": ScoreKind.SIMILARITY,
                "text": text,
                "text_hash": None if text is None else text_hash(text),
                "text_state": TextState.NOT_CAPTURED if text is None else TextState.KNOWN,
                "metadata": {"source": chunk_id.split("#", maxsplit=1)[0] + ".md", "version": 3},
                **fields,
            }
        )

    def stage(self, stage_id: str, kind: StageKind, name: str, start_ns: int, **fields: Any) -> Stage:
        """A stage of 40 ms."""
        hits = fields.get("hits")
        return Stage(
            **{
                "stage_id": stage_id,
                "kind": kind,
                "name": name,
                "start_ns": start_ns,
                "end_ns": start_ns + 40_000_000,
                "outcome": Outcome.OK,
                "length": None if hits is None else len(hits),
                "completeness": Completeness.COMPLETE,
                **fields,
            }
        )

    def spans(self, recorded: RecordedRequest, root: str) -> tuple[Span, ...]:
        """Spans as the shim would have sent them: one JSON attribute a list, each text once."""
        request = recorded.request
        resource = {wire.APP: request.app, wire.ENVIRONMENT: request.environment}
        attributes: dict[str, Any] = {
            wire.VERSION: wire.WIRE_VERSION,
            wire.KIND: "request",
            wire.QUESTION: request.question,
            wire.ANSWER: request.answer,
        }
        spans = [self.span(request.trace_id, root, None, "answer", request.start_ns, attributes, resource)]
        sent: dict[str, int] = {}
        for stage in recorded.stages:
            attributes = {wire.VERSION: wire.WIRE_VERSION, wire.KIND: stage.kind.value, wire.NAME: stage.name}
            if stage.hits is not None:
                attributes[wire.HITS] = json.dumps(
                    {"n": len(stage.hits), "scope": root, "hits": [self.hit_json(hit, sent) for hit in stage.hits]},
                    ensure_ascii=False,
                    separators=(",", ":"),
                )
            if stage.prompt is not None:
                attributes[wire.PROMPT] = json.dumps([message.model_dump() for message in stage.prompt])
            spans.append(
                self.span(request.trace_id, stage.stage_id, root, stage.name, stage.start_ns, attributes, resource)
            )
        return tuple(spans)

    def hit_json(self, hit: Hit, sent: dict[str, int]) -> dict[str, Any]:
        """A hit in the form of `wire.HITS`."""
        found = {"id": hit.chunk_id, "src": hit.id_source.value, "s": hit.score, "m": hit.metadata, "doc": hit.doc_id}
        if hit.text is not None:
            if hit.text not in sent:
                found["x"] = hit.text
            found["t"] = sent.setdefault(hit.text, len(sent))
        return found

    def span(  # noqa: PLR0917 - in the order of a span
        self,
        trace_id: str,
        span_id: str,
        parent: str | None,
        name: str,
        start_ns: int,
        attributes: dict[str, Any],
        resource: dict[str, Any],
        **fields: Any,
    ) -> Span:
        """A finished span of 40 ms."""
        return Span(
            **{
                "trace_id": trace_id,
                "span_id": span_id,
                "parent_span_id": parent,
                "name": name,
                "kind": 1,
                "start_ns": start_ns,
                "end_ns": start_ns + 40_000_000,
                "status": 1,
                "status_message": "",
                "attributes": attributes,
                "resource": resource,
                "scope": "goldrank",
                **fields,
            }
        )

    def batch(self, *made: Made, **fields: Any) -> IntakeBatch:
        """Everything of these requests in one transaction."""
        return IntakeBatch(
            spans=tuple(span for one in made for span in one.spans),
            requests=tuple(one.recorded for one in made),
            members={one.request_id: one.members for one in made},
            **fields,
        )

    def label(self, request_id: str, chunk_id: str = "page-1#2", **fields: Any) -> Label:
        """A gold label."""
        return Label(
            **{
                "label_id": f"label-{chunk_id}",
                "request_id": request_id,
                "app": "support-bot",
                "judgement": Judgement.GOLD,
                "grade": 1,
                "evidence": 1,
                "target": LabelTarget(chunk_id=chunk_id),
                "who": "ann",
                "at_ns": T0,
                **fields,
            }
        )


@pytest.fixture(scope="session")
def make() -> Maker:
    """Makes requests, batches and labels."""
    return Maker()


@pytest.fixture(scope="session")
def made_of() -> type[Made]:
    """A request of one's own with its spans."""
    return Made
