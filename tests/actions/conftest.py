"""A workspace on a real store, with requests whose lists are visible in the test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from goldrank.actions import NewLabel, SaveLabels, Workspace, save_labels
from goldrank.model import (
    Complaint,
    CorpusChunk,
    CorpusManifest,
    FlowSource,
    Hit,
    IdSource,
    Judgement,
    LabelTarget,
    Level,
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
from goldrank.store import IntakeBatch, Store
from goldrank.store.duckdb import open_store

T0 = 1_793_275_200_000_000_000
"""29 October 2026, 12:00 UTC, in nanoseconds."""
MS = 1_000_000


class Clock:
    """Each look at it is a second later than the one before."""

    def __init__(self) -> None:
        self.at_ns = T0

    def __call__(self) -> int:
        self.at_ns += 1_000_000_000
        return self.at_ns


def text_of(chunk_id: str) -> str:
    """The text of a chunk in these tests."""
    return f"The passage {chunk_id} says in its own words what {chunk_id} is about."


class Desk:
    """A workspace, and short ways to fill its store."""

    text_of = staticmethod(text_of)

    def __init__(self, store: Store, spool: Path) -> None:
        self.clock = Clock()
        self.workspace = Workspace(store=store, spool=spool, who="anna", now_ns=self.clock, redact=())
        self.store = store

    def by(self, who: str) -> Workspace:
        """The same desk with another person at it."""
        return self.workspace._replace(who=who)

    def request_id(self, number: int) -> str:
        """The id of the request with this number."""
        return f"{number + 0xABCDEF00:032x}"[::-1].replace("0", "f", 3)[::-1] + f"-{number * 16 + 1:016x}"

    def record(
        self,
        number: int = 1,
        *,
        question: str | None = "How do I cancel?",
        legs: dict[str, str] | None = None,
        rerank: str | None = None,
        prompt: str = "a b",
        **fields: Any,
    ) -> str:
        """Stores a request with retrieve legs, optionally a reranker, and a prompt; its id.

        Lists are written as words: `legs={"bm25": "a b c"}`.
        """
        request_id = fields.pop("request_id", self.request_id(number))
        stages = self._stages(number, question or "", legs or {"bm25": "a b c d e", "dense": "b a e"}, rerank, prompt)
        stages = (*fields.pop("before", ()), *stages)
        request = Request(
            request_id=request_id,
            trace_id=request_id.partition("-")[0],
            app=fields.pop("app", "bot"),
            question=question,
            answer=fields.pop("answer", "As the passages say."),
            start_ns=T0 + number * 1000 * MS,
            end_ns=T0 + number * 1000 * MS + 250 * MS,
            **fields,
        )
        self.store_recorded(RecordedRequest(request=request, stages=stages))
        return request_id

    def store_recorded(self, recorded: RecordedRequest) -> None:
        """Stores a request as the ingester would."""
        request = recorded.request
        spans = [self._span(request.trace_id, request.request_id[-16:], None, "request", request.start_ns)]
        root = spans[0].span_id
        spans += [self._span(request.trace_id, one.stage_id, root, one.name, one.start_ns) for one in recorded.stages]
        members = {request.request_id: tuple((span.trace_id, span.span_id) for span in spans)}
        self.store.intake.commit(IntakeBatch(spans=tuple(spans), requests=(recorded,), members=members))

    def label(self, request_id: str, *gold: str, forbidden: tuple[str, ...] = (), who: str = "anna") -> None:
        """Labels chunks of a request."""
        wanted = [(Judgement.GOLD, one) for one in gold] + [(Judgement.FORBIDDEN, one) for one in forbidden]
        labels = tuple(NewLabel(judgement=kind, target=target(one)) for kind, one in wanted)
        save_labels(self.by(who), SaveLabels(request_id=request_id, labels=labels))

    def complain(self, complaint_id: str, text: str, request_id: str | None = None) -> None:
        """Stores a ticket."""
        self.store.complaints.save(
            Complaint(complaint_id=complaint_id, app="bot", text=text, at_ns=self.clock(), request_id=request_id)
        )

    def corpus(self, *chunk_ids: str, version: str = "1", texts: dict[str, str] | None = None) -> None:
        """Loads a manifest of the index `docs`."""
        known = {one: text_of(one) for one in chunk_ids} | (texts or {})
        chunks = tuple(CorpusChunk(chunk_id=one, doc_id=one, text=text) for one, text in known.items())
        self.store.corpora.add(CorpusManifest(app="bot", index="docs", version=version, chunks=chunks))

    def _stages(
        self, number: int, question: str, legs: dict[str, str], rerank: str | None, prompt: str
    ) -> tuple[Stage, ...]:
        start = T0 + number * 1000 * MS
        ids = [f"{number * 16 + 2 + place:016x}" for place in range(len(legs) + 2)]
        stages = [
            Stage(
                stage_id=ids[place],
                kind=StageKind.RETRIEVE,
                name=name,
                start_ns=start + (10 + place) * MS,
                end_ns=start + (20 + place) * MS,
                query=question,
                index="docs",
                top_k=5,
                hits=hits(words),
            )
            for place, (name, words) in enumerate(legs.items())
        ]
        if rerank is not None:
            inputs = tuple(StageInput(stage_id=one.stage_id) for one in stages)
            stages.append(
                Stage(
                    stage_id=ids[len(legs)],
                    kind=StageKind.RERANK,
                    name="rerank",
                    start_ns=start + 40 * MS,
                    end_ns=start + 60 * MS,
                    hits=hits(rerank),
                    inputs=inputs,
                    flow_source=FlowSource.RECORDED,
                )
            )
        sent = "\n\n".join(text_of(one) for one in prompt.split())
        stages.append(
            Stage(
                stage_id=ids[-1],
                kind=StageKind.GENERATE,
                name="generate",
                start_ns=start + 100 * MS,
                end_ns=start + 200 * MS,
                prompt=(Message(role="system", text=sent), Message(role="user", text=question)),
                text="As the passages say.",
            )
        )
        return tuple(stages)

    def _span(self, trace_id: str, span_id: str, parent: str | None, name: str, start_ns: int) -> Span:
        return Span(
            trace_id=trace_id[:32],
            span_id=span_id,
            parent_span_id=parent,
            name=name,
            kind=1,
            start_ns=start_ns,
            end_ns=start_ns + MS,
            status=0,
            status_message="",
            attributes={wire.VERSION: 1},
            resource={wire.APP: "bot"},
            scope="goldrank",
        )


def hits(words: str) -> tuple[Hit, ...]:
    """`"a b"` as ranks 1 and 2, each of the document with its own name and falling scores."""
    return tuple(
        Hit(
            rank=rank,
            chunk_id=one,
            id_source=IdSource.FIELD,
            doc_id=one,
            index="docs",
            score=1 / rank,
            text=text_of(one),
            text_hash=text_hash(text_of(one)),
            text_state=TextState.KNOWN,
            metadata={"page": rank},
        )
        for rank, one in enumerate(words.split(), start=1)
    )


def target(name: str) -> LabelTarget:
    """`a`, or `doc:a`."""
    if name.startswith("doc:"):
        return LabelTarget(level=Level.DOCUMENT, doc_id=name.removeprefix("doc:"))
    return LabelTarget(chunk_id=name)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A desk on an empty store."""
    with open_store(tmp_path / "store.duckdb") as store:
        yield Desk(store, tmp_path / "spool")


@pytest.fixture
def make_target():
    """`target`, for tests."""
    return target


@pytest.fixture
def make_desk():
    """A desk on a store in another folder."""

    @contextmanager
    def make(folder: Path) -> Iterator[Desk]:
        with open_store(folder / "store.duckdb") as store:
            yield Desk(store, folder / "spool")

    return make
