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
from ..hits import MAX_HITS
from ..recognisers import RawHit, read_hit, reading_of
from ..values import fields_of, id_text, is_a
from .patches import Patches, bound

Noticed = list[RawHit]
"""What was returned on the way to a list of passages, as read."""

_LOOKING: Final = Guard("looking at what a DSPy retriever found")
_seen: Final[ContextVar[Noticed | None]] = ContextVar("goldrank-dspy-hits", default=None)
_patches: Final = Patches()
_READING: Final = reading_of("retrieve", "dspy")
_TEXT: Final = "long_text"
"""What DSPy calls the text of a passage."""
_COLUMNS: Final = ("passages", "scores", "indices")
_IDS: Final = ("ids", "pids", "doc_ids")
"""Names of a prediction's lists, side by side: one entry for each passage."""


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
                    span.set_attributes(_listed(_hits_of(found, seen)))
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
            if is_a(found, tuple) and len(found) == len(_COLUMNS):
                passages, indices, scores = found
                _tell({"passages": passages, "indices": indices, "scores": scores})
        return found

    return search


def _tell(found: Any) -> None:
    """Tells the retriever around, if there is one, what was returned inside it."""
    seen = _seen.get()
    if seen is not None:
        with _LOOKING:
            seen += _read(found) or ()


def _hits_of(found: Any, seen: Noticed) -> list[RawHit] | None:
    """The passages in the order in which the app got them, each with what was noticed of it.

    The same texts in the same order are the same list; else a text that was noticed in two ways says nothing.
    """
    hits = _read(found)
    if not hits:
        return hits
    last = seen[-len(hits) :]
    if [hit.text for hit in last] == [hit.text for hit in hits]:
        return [_filled(hit, other) for hit, other in zip(hits, last, strict=True)]
    known: dict[str | None, RawHit | None] = {}
    for hit in seen:
        known[hit.text] = hit if known.get(hit.text, hit) == hit else None
    return [_filled(hit, known.get(hit.text)) for hit in hits]


def _filled(hit: RawHit, other: RawHit | None) -> RawHit:
    if other is None:
        return hit
    gaps = {
        name: value
        for name in ("chunk_id", "score", "doc_id", "metadata")
        if getattr(hit, name) is None and (value := getattr(other, name)) is not None
    }
    return hit._replace(**gaps)


def _read(found: Any) -> list[RawHit] | None:
    """The passages in what a retriever returned; None where it holds no list of them."""
    store = getattr(found, "_store", None)  # of a dspy.Prediction
    columns = store if is_a(store, dict) else found
    if is_a(columns, Mapping) and is_a(columns.get("passages"), list | tuple):
        return _by_column(columns)
    if not is_a(found, list | tuple):
        return None
    hits = [_read_one(item) for item in found[:MAX_HITS]]
    known = [hit for hit in hits if hit is not None]
    return known if len(known) == len(hits) else None


def _by_column(columns: Mapping[str, Any]) -> list[RawHit] | None:
    passages = columns["passages"][:MAX_HITS]
    lists = [(name, columns[name]) for name in (*_COLUMNS[1:], *_IDS, "metadatas") if name in columns]
    beside = {name: one for name, one in lists if is_a(one, list | tuple) and len(one) == len(columns["passages"])}
    found = []
    for place, passage in enumerate(passages):
        hit = _read_one(passage)
        if hit is None:
            return None
        found.append(_filled(hit, _read_row({name: one[place] for name, one in beside.items()}, hit.text)))
    return found


def _read_row(row: Mapping[str, Any], text: str | None) -> RawHit | None:
    """What stands beside a passage. Its place in the corpus is no id."""
    said: dict[str, Any] = {"text": text, "score": row.get("scores")}
    said["id"] = next((row[name] for name in _IDS if name in row), None)
    said["metadata"] = row.get("metadatas") or ({"corpus_index": row["indices"]} if "indices" in row else {})
    return read_hit(said, _READING)


def _read_one(item: Any) -> RawHit | None:
    """A text, or a thing with `long_text` and whatever stands beside it."""
    if is_a(item, str):
        return RawHit(text=str.__str__(item))
    store = getattr(item, "_store", None)
    fields = store if is_a(store, dict) else fields_of(item)
    if fields is None:
        return None
    text = fields.get(_TEXT, fields.get("text"))
    if not is_a(text, str):
        return read_hit(item, _READING)
    rest = {key: value for key, value in fields.items() if key not in (_TEXT, "text", "pid")}
    hit = read_hit({**rest, "text": text}, _READING)
    own_id = id_text(fields.get("pid"))
    hit = hit or RawHit(text=text)
    return hit._replace(chunk_id=own_id) if hit.chunk_id is None and own_id is not None else hit


def _listed(hits: list[RawHit] | None) -> dict[str, Any]:
    """The documents of a span; an empty list is said as such."""
    if not hits:
        return {} if hits is None else {"retrieval.documents": []}
    found: dict[str, Any] = {}
    for place, hit in enumerate(hits):
        where = f"retrieval.documents.{place}.document"
        metadata = dict(hit.metadata or {}) | ({"doc_id": hit.doc_id} if hit.doc_id else {})
        said = {"id": hit.chunk_id, "content": hit.text, "score": hit.score}
        said["metadata"] = json.dumps(metadata, ensure_ascii=False, default=str) if metadata else None
        found |= {f"{where}.{name}": value for name, value in said.items() if value is not None}
    return found
