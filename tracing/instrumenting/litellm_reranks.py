"""LiteLLM's rerankers, which OpenInference's instrumentor does not record: what went in, what came out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from ..guest import Guard
from ..hits import MAX_HITS
from ..recognisers import read_hit, reading_of
from ..values import fields_of, is_a, score_of
from .documents import RERANKED, TO_RERANK, document_at

_LOOKING: Final = Guard("looking at what a reranker of LiteLLM was given and gave back")
_READING: Final = reading_of("rerank", "litellm")
_NAME: Final = "rerank"


def recorded(tracer: Any, plain: Callable[..., Any]) -> Callable[..., Any]:
    """`litellm.rerank`, as a span. Its arguments come by name."""

    def rerank(*args: Any, **kwargs: Any) -> Any:
        with tracer.start_as_current_span(_NAME) as span:
            _say(span, lambda: _asked(kwargs))
            found = plain(*args, **kwargs)
            _say(span, lambda: _ranked(kwargs, found))
        return found

    return rerank


def recorded_async(tracer: Any, plain: Callable[..., Any]) -> Callable[..., Any]:
    """`litellm.arerank`, likewise."""

    async def rerank(*args: Any, **kwargs: Any) -> Any:
        with tracer.start_as_current_span(_NAME) as span:
            _say(span, lambda: _asked(kwargs))
            found = await plain(*args, **kwargs)
            _say(span, lambda: _ranked(kwargs, found))
        return found

    return rerank


def _say(span: Any, said: Callable[[], Mapping[str, Any]]) -> None:
    with _LOOKING:
        if span.is_recording():
            span.set_attributes(said())


def _asked(given: Mapping[str, Any]) -> dict[str, Any]:
    said = {
        "openinference.span.kind": "RERANKER",
        "reranker.query": given.get("query"),
        "reranker.model_name": given.get("model"),
        "reranker.top_k": given.get("top_n"),
    }
    found = {key: value for key, value in said.items() if is_a(value, str | int)}
    for place, document in enumerate(_documents(given)):
        chunk_id, text = _described(document)
        found |= document_at(TO_RERANK, place, chunk_id=chunk_id, text=text)
    return found


def _ranked(given: Mapping[str, Any], found: Any) -> dict[str, Any]:
    """The documents in the order of the results, each with the score that it got."""
    results = getattr(found, "results", None)
    if not is_a(results, list):
        return {}
    documents = _documents(given)
    said: dict[str, Any] = {} if results else {RERANKED: []}
    for place, result in enumerate(results[:MAX_HITS]):
        fields = fields_of(result) or {}
        index: Any = fields.get("index")
        score = score_of(fields.get("relevance_score"))
        known = is_a(index, int) and 0 <= index < len(documents)
        chunk_id, text = _described(documents[index]) if known else (None, None)
        said |= document_at(RERANKED, place, chunk_id=chunk_id, text=text, score=score)
    return said


def _documents(given: Mapping[str, Any]) -> Sequence[Any]:
    documents: Any = given.get("documents")
    return documents[:MAX_HITS] if is_a(documents, list | tuple) else ()


def _described(document: Any) -> tuple[str | None, str | None]:
    """Id and text of a text, or of a dict with one and whatever stands beside it."""
    if is_a(document, str):
        return None, document
    hit = read_hit(document, _READING)
    return (None, None) if hit is None else (hit.chunk_id, hit.text)
