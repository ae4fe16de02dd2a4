"""What OpenInference's instrumentor does not see of DSPy's retrievers.

It records `dspy.Retrieve` as its texts alone, and no list of `dspy.Embeddings` or of a subclass that searches itself.
Here each retriever makes a span, and what a retrieval model or an index returned on the way gives ids, scores and
metadata to exactly those passages. Two of the instrumentor's errors would reach the app: those are kept from it.
"""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from typing import Any, Final

import dspy
from dspy.utils.unbatchify import Unbatchify
from opentelemetry.trace import Status, StatusCode
from wrapt import ObjectProxy

from ..guest import Guard
from ..recognisers import RawHit
from ..values import is_a
from .documents import RETRIEVED, document_at
from .dspy_passages import COLUMNS, Noticed, hits_of, read_passages
from .patches import Patches, bound

_LOOKING: Final = Guard("looking at what a DSPy retriever found")
_seen: Final[ContextVar[Noticed | None]] = ContextVar("goldrank-dspy-hits", default=None)
_patches: Final = Patches()


def fill(instrumentor: Any) -> None:
    """From now on every retriever makes a span, on the tracer of `instrumentor`."""
    if _patches:
        return
    tracer = instrumentor._tracer  # noqa: SLF001 - it gives it out in no other way
    as_retriever = functools.partial(_as_retriever, tracer)
    _patches.replace(dspy.Retrieve, "__call__", as_retriever)
    _patches.replace(dspy.Embeddings, "__call__", as_retriever)
    _patches.replace(dspy.ColBERTv2, "__call__", lambda wrapper: as_retriever(_inside(wrapper)))
    _patches.replace(Unbatchify, "__call__", _noticed_search)
    module = inspect.getmodule(type(instrumentor))
    if hasattr(module, "_get_input_value"):
        _patches.replace(module, "_get_input_value", _without_errors)


def let_go() -> None:
    """Puts everything back."""
    _patches.undo()


def _inside(wrapper: Any) -> Any:
    """The method itself: the instrumentor's wrapper around it raises where passages are plain texts."""
    return getattr(wrapper, "__wrapped__", wrapper)


def _without_errors(original: Callable[..., str]) -> Callable[..., str]:
    """An input that cannot be written down is none; without this a `forward` whose first parameter has another name
    than self fails."""

    def get_input_value(method: Any, *args: Any, **kwargs: Any) -> str:
        try:
            return original(method, *args, **kwargs)
        except Exception:  # noqa: BLE001 - the app's own call says what is wrong with its arguments, if anything is
            return json.dumps({"args": args, "kwargs": kwargs}, default=repr)

    return get_input_value


def _as_retriever(tracer: Any, original: Any) -> Callable[..., Any]:
    """A retriever's call, as a span. A retrieval model in the settings is listened to while it runs."""

    def search(self: Any, *args: Any, **kwargs: Any) -> Any:
        seen: Noticed = []
        with tracer.start_as_current_span(type(self).__name__) as span:
            with _LOOKING:
                span.set_attributes(_asked(self, args, kwargs))
            token = _seen.set(seen)
            try:
                with dspy.context(rm=_listened_to(dspy.settings.rm)):
                    found = bound(original, self)(*args, **kwargs)
            finally:
                _seen.reset(token)
            with _LOOKING:
                if span.is_recording():
                    span.set_attributes(_listed(hits_of(found, seen)))
                    span.set_status(Status(StatusCode.OK))
        _tell(found)
        return found

    return search


def _asked(self: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Kind, query and depth."""
    query = args[0] if args else next((kwargs[name] for name in ("query", "query_or_queries") if name in kwargs), None)
    depth = kwargs.get("k", args[1] if len(args) > 1 else None)
    given = {"query": query, "k": getattr(self, "k", None) if depth is None else depth}
    said = {name: value for name, value in given.items() if is_a(value, str | int)}
    return {
        "openinference.span.kind": "RETRIEVER",
        "input.value": json.dumps(said, ensure_ascii=False),
        "input.mime_type": "application/json",
    }


def _listened_to(model: Any) -> Any:
    """A retrieval model that can be called as before; what it returns is noticed."""
    return _Listened(model) if callable(model) else model


class _Listened(ObjectProxy):  # type: ignore[type-arg] # a proxy of anything that can be called
    """A retrieval model, listened to; it stands for the model in every other way."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        found = self.__wrapped__(*args, **kwargs)
        _tell(found)
        return found


def _noticed_search(original: Any) -> Callable[..., Any]:
    """Of an index of embeddings, which keeps the scores to itself."""

    def search(self: Any, *args: Any, **kwargs: Any) -> Any:
        found = bound(original, self)(*args, **kwargs)
        with _LOOKING:
            if is_a(found, tuple) and len(found) == len(COLUMNS):
                passages, indices, scores = found
                _tell({"passages": passages, "indices": indices, "scores": scores})
        return found

    return search


def _tell(found: Any) -> None:
    """Tells the retriever around, if there is one, what was returned inside it."""
    seen = _seen.get()
    if seen is not None:
        with _LOOKING:
            seen += read_passages(found) or ()


def _listed(hits: list[RawHit] | None) -> dict[str, Any]:
    """The documents of a span; an empty list is said as such."""
    if not hits:
        return {} if hits is None else {RETRIEVED: []}
    found: dict[str, Any] = {}
    for place, hit in enumerate(hits):
        metadata = dict(hit.metadata or {}) | ({"doc_id": hit.doc_id} if hit.doc_id else {})
        found |= document_at(RETRIEVED, place, chunk_id=hit.chunk_id, text=hit.text, score=hit.score, metadata=metadata)
    return found
