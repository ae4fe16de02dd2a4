"""Spans as other writers send them, made by hand: a small request of each dialect that no recording stands for."""

from __future__ import annotations

import json
from typing import Any

from goldrank.model import Span, SpanEvent
from wire_spans import T0_NS, make_span

QUESTION = "How long may I return it?"
ANSWER = "30 days."
TEXTS = {"a": "Returns are free within 30 days of delivery, unopened.", "b": "Software cannot be returned once opened."}


def openinference(number: int, parent: int | None, kind: str, **fields: Any) -> Span:
    """A span with OpenInference's kind, which LangChain's instrumentor writes last."""
    attributes = fields.pop("attributes", {}) | {"openinference.span.kind": kind}
    return make_span(number, parent, attributes=attributes, **fields)


def flat(ids: list[str], prefix: str = "retrieval.documents", first: int = 0, **more: Any) -> dict[str, Any]:
    """Flattened documents, in rank order."""
    found: dict[str, Any] = {}
    for place, one in enumerate(ids, first):
        found[f"{prefix}.{place}.document.id"] = one
        found[f"{prefix}.{place}.document.content"] = TEXTS.get(one, f"text of {one}")
        found |= {f"{prefix}.{place}.document.{key}": value for key, value in more.items()}
    return found


def chain(**attributes: Any) -> Span:
    """The root of a request, span 1."""
    said = {"input.value": QUESTION, "output.value": ANSWER} | attributes
    return openinference(1, None, "CHAIN", name="rag", attributes=said, end_ms=100)


def simple() -> tuple[Span, ...]:
    """A chain, a retriever, a reranker, a model call."""
    prompt = {
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": f"{TEXTS['a']}\n{QUESTION}",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": ANSWER,
    }
    reranked = flat(["a", "b"], "reranker.input_documents") | flat(["b"], "reranker.output_documents", score=0.9)
    return (
        chain(),
        openinference(
            2, 1, "RETRIEVER", attributes={"input.value": QUESTION, **flat(["a", "b"])}, start_ms=1, end_ms=5
        ),
        openinference(3, 1, "RERANKER", attributes={"reranker.query": QUESTION, **reranked}, start_ms=6, end_ms=9),
        openinference(4, 1, "LLM", attributes=prompt, start_ms=10, end_ms=90),
    )


def store_query(system: str, hits: list[dict[str, Any]], *, event: str = "db.query.result", **fields: Any) -> Span:
    """A call of a vector store's client, span 2; one event a hit."""
    attributes = {"db.system": system, "db.operation": "query"} | fields.pop("attributes", {})
    events = tuple(SpanEvent(event, T0_NS, hit) for hit in hits)
    return make_span(2, 1, name=f"{system}.query", attributes=attributes, events=events, start_ms=1, **fields)


def traceloop_hits(ids: list[str]) -> str:
    """What Traceloop writes of a LangChain retriever."""
    documents = [{"page_content": TEXTS[one], "metadata": {"chunk_id": one, "doc_id": "d"}} for one in ids]
    return json.dumps({"documents": documents, "count": len(ids)})
