"""Small requests for the tests of diagnosis: stages with visible lists, labels, prompts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from goldrank.model import (
    Completeness,
    FlowSource,
    Hit,
    Judgement,
    Label,
    LabelTarget,
    Level,
    Message,
    Outcome,
    RecordedRequest,
    Request,
    Stage,
    StageInput,
    StageKind,
    TextState,
)

MS = 1_000_000
START_NS = 1_795_000_000_000_000_000


def text_of(chunk_id: str) -> str:
    """The text of a chunk in these tests: long enough to be found in a prompt, and its own."""
    return f"The passage {chunk_id} says what {chunk_id} is about, in its own words."


class Make:
    """Builds recorded requests. Each stage starts 10 ms after the one before and takes 5 ms."""

    text_of = staticmethod(text_of)

    def __init__(self) -> None:
        self.clock = 0

    def hit(self, rank: int, chunk_id: str, **fields: Any) -> Hit:
        """One hit with the usual text; `text=None` for an unknown one."""
        text = fields.pop("text", text_of(chunk_id))
        state = fields.pop("text_state", TextState.NOT_CAPTURED if text is None else TextState.KNOWN)
        return Hit(rank=rank, chunk_id=chunk_id, text=text, text_state=state, **fields)

    def hits(
        self, ids: str | Sequence[Any], scores: Sequence[float | None] = (), first_rank: int = 1
    ) -> tuple[Hit, ...]:
        """`"a b c"`, or (id, fields) pairs, as ranks 1, 2, 3."""
        found = []
        for place, one in enumerate(ids.split() if isinstance(ids, str) else ids):
            chunk_id, fields = (one, {}) if isinstance(one, str) else one
            score = scores[place] if place < len(scores) else None
            found.append(self.hit(first_rank + place, chunk_id, **{"score": score, **fields}))
        return tuple(found)

    def stage(
        self,
        name: str,
        ids: str | Sequence[Any] | None = None,
        *,
        kind: str = "retrieve",
        inputs: Sequence[str | tuple[str, int]] = (),
        scores: Sequence[float | None] = (),
        first_rank: int = 1,
        **fields: Any,
    ) -> Stage:
        """A stage whose id is its name. `inputs` are recorded unless `flow_source` says otherwise."""
        start = START_NS + self.clock * MS
        self.clock += 10
        hits = None if ids is None else self.hits(ids, scores, first_rank)
        given = tuple(
            StageInput(stage_id=one) if isinstance(one, str) else StageInput(stage_id=one[0], depth=one[1])
            for one in inputs
        )
        fields.setdefault("flow_source", FlowSource.RECORDED if given else FlowSource.UNKNOWN)
        if hits is not None:
            fields.setdefault("length", len(hits) + fields.get("missing_top", 0))
        elif StageKind(kind) in {StageKind.RETRIEVE, StageKind.FUSE, StageKind.FILTER, StageKind.RERANK}:
            fields.setdefault("completeness", Completeness.NOT_RECORDED)
        return Stage(
            stage_id=fields.pop("stage_id", name),
            kind=StageKind(kind),
            name=name,
            start_ns=fields.pop("start_ns", start),
            end_ns=fields.pop("end_ns", start + 5 * MS),
            hits=hits,
            inputs=given,
            **fields,
        )

    def failed(self, name: str, error: str, **fields: Any) -> Stage:
        """A stage that raised."""
        return self.stage(name, None, outcome=Outcome.ERROR, error=error, **fields)

    def prompt(self, ids: str, name: str = "llm", **fields: Any) -> Stage:
        """A generate stage whose prompt holds the texts of these chunks behind [S1], [S2] ..."""
        parts = [f"[S{n}] {text_of(one)}" for n, one in enumerate(ids.split(), 1)]
        body = "\n".join(["Answer from these passages.", *parts, "Question: how long?"])
        return self.stage(name, None, kind="generate", prompt=(Message(role="user", text=body),), **fields)

    def recorded(self, *stages: Stage, **fields: Any) -> RecordedRequest:
        """A request with these stages."""
        request = Request(
            request_id="0" * 31 + "1-" + "0" * 15 + "1",
            trace_id="0" * 31 + "1",
            app="bot",
            question=fields.pop("question", "how long?"),
            start_ns=START_NS,
            **fields,
        )
        return RecordedRequest(request=request, stages=stages)

    def label(self, chunk_id: str | None = "g", *, judgement: str = "gold", **fields: Any) -> Label:
        """A label on a chunk, with its text unless `text=None`; `doc=` alone makes it a document label."""
        doc = fields.pop("doc", None)
        level = Level.CHUNK if chunk_id is not None or doc is None else Level.DOCUMENT
        default = None if chunk_id is None else text_of(chunk_id)
        target = LabelTarget(
            level=level,
            chunk_id=chunk_id,
            doc_id=doc,
            text=fields.pop("text", default),
            quote=fields.pop("quote", None),
            index=fields.pop("index", None),
        )
        evidence = fields.pop("evidence", 1 if judgement == "gold" else None)
        return Label(
            label_id=fields.pop("label_id", f"label of {chunk_id or doc or 'a quote'}"),
            request_id="r",
            app="bot",
            judgement=Judgement(judgement),
            grade=1 if judgement == "gold" else None,
            evidence=evidence,
            target=target,
            who="ann",
            at_ns=START_NS,
            **fields,
        )


@pytest.fixture
def make() -> Make:
    """A builder with its own clock."""
    return Make()
