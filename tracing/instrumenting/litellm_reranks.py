"""LiteLLM's rerankers, which OpenInference's instrumentor does not record: what went in, what came out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from ..guest import Guard
from ..hits import MAX_HITS
from ..recognisers import read_hit, reading_of
from ..values import fields_of, is_a, score_of

_LOOKING: Final = Guard("looking at what a reranker of LiteLLM was given and gave back")
_READING: Final = reading_of("rerank", "litellm")
_NAME: Final = "rerank"
_INPUT: Final = "reranker.input_documents"
_OUTPUT: Final = "reranker.output_documents"


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
        found |= _described(f"{_INPUT}.{place}.document", document)
    return found


def _ranked(given: Mapping[str, Any], found: Any) -> dict[str, Any]:
    """The documents in the order of the results, each with the score that it got."""
    results = getattr(found, "results", None)
    if not is_a(results, list):
        return {}
    documents = _documents(given)
    said: dict[str, Any] = {} if results else {_OUTPUT: []}
    for place, result in enumerate(results[:MAX_HITS]):
        fields = fields_of(result) or {}
        index, score = fields.get("index"), score_of(fields.get("relevance_score"))
        where = f"{_OUTPUT}.{place}.document"
        if is_a(index, int) and 0 <= index < len(documents):
            said |= _described(where, documents[index])
        if score is not None:
            said[f"{where}.score"] = score
    return said


def _documents(given: Mapping[str, Any]) -> Sequence[Any]:
    documents: Any = given.get("documents")
    return documents[:MAX_HITS] if is_a(documents, list | tuple) else ()


def _described(where: str, document: Any) -> dict[str, Any]:
    """A text, or a dict with one and whatever stands beside it."""
    if is_a(document, str):
        return {f"{where}.content": document}
    hit = read_hit(document, _READING)
    said = {} if hit is None else {"id": hit.chunk_id, "content": hit.text}
    return {f"{where}.{name}": value for name, value in said.items() if value is not None}
