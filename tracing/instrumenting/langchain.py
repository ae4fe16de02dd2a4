"""What OpenInference's instrumentor loses of LangChain's documents: their ids, and the scores of vector stores.

A store's `similarity_search` mostly asks its own `similarity_search_with_score` and throws the scores away. While a
retriever runs we look at what such methods return, and know the scores of exactly these documents by identity.
Nothing is called that would not be called without us, and nothing that is returned is changed.
"""

from __future__ import annotations

import functools
import inspect
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any, Final
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler, BaseCallbackManager
from langchain_core.vectorstores import VectorStore, VectorStoreRetriever

from ..guest import Guard
from ..values import id_text, score_of
from .documents import RETRIEVED, document_at
from .patches import Patches, bound

Seen = list[tuple[Any, Any]]
"""(document, score) as a store's method returned them."""

_LOOKING: Final = Guard("looking at the scores of a vector store")
_seen: Final[ContextVar[Seen | None]] = ContextVar("goldrank-scores", default=None)
_MOST_RUNS: Final = 1_000
_scores: Final[OrderedDict[UUID, list[float | None]]] = OrderedDict()
"""Run of a retriever -> the score of each of its documents, until its span ends."""
_SCORED: Final = (
    "similarity_search_with_score",
    "similarity_search_with_score_by_vector",
    "_similarity_search_with_score_by_vector",
    "max_marginal_relevance_search_with_score_by_vector",
    "similarity_search_with_relevance_scores",
)
"""Methods that return pairs of a document and its score; the async ones have an `a` before their name."""
_METHODS: Final = frozenset({*_SCORED, *(f"a{name}" for name in _SCORED), "_asimilarity_search_with_score_by_vector"})

_patches: Final = Patches()
_looked_at: set[type] = set()


def fill(instrumentor: Any) -> None:
    """From now on retriever spans of `instrumentor` carry ids and, where a store gave any, scores."""
    if _patches:
        return
    handler = _Documents(instrumentor)
    _patches.replace(BaseCallbackManager, "__init__", functools.partial(_with_handler, handler))
    _patches.replace(VectorStoreRetriever, "_get_relevant_documents", _with_scores)
    _patches.replace(VectorStoreRetriever, "_aget_relevant_documents", _with_scores_async)


def let_go() -> None:
    """Puts everything back."""
    _patches.undo()
    _looked_at.clear()
    _scores.clear()


class _Documents(BaseCallbackHandler):
    """Is told of each retriever's documents before the instrumentor is, whose span is then still open."""

    run_inline = True
    ignore_llm = ignore_chain = ignore_agent = ignore_chat_model = ignore_retry = ignore_custom_event = True

    def __init__(self, instrumentor: Any) -> None:
        self._instrumentor = instrumentor

    def on_retriever_end(self, documents: Sequence[Any], *, run_id: UUID, **_: Any) -> None:
        """Puts ids and scores on the span."""
        with _LOOKING:
            scores = _scores.pop(run_id, None)
            span = self._instrumentor.get_span(run_id)
            if span is not None and span.is_recording():
                for place, document in enumerate(documents):
                    own_id = id_text(getattr(document, "id", None))
                    score = scores[place] if scores is not None and len(scores) == len(documents) else None
                    span.set_attributes(document_at(RETRIEVED, place, chunk_id=own_id, score=score))

    def on_retriever_error(self, error: BaseException, *, run_id: UUID, **_: Any) -> None:  # noqa: ARG002
        """Forgets the run."""
        _scores.pop(run_id, None)


def _with_handler(handler: _Documents, original: Callable[..., None]) -> Callable[..., None]:
    """Of a callback manager's `__init__`: ours stands before all others, and in copies once."""

    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        bound(original, self)(*args, **kwargs)
        with _LOOKING:
            for handlers in (self.handlers, self.inheritable_handlers):
                if not any(isinstance(one, _Documents) for one in handlers):
                    handlers.insert(0, handler)

    return init


def _with_scores(original: Callable[..., Any]) -> Callable[..., Any]:
    def get(self: Any, query: str, *args: Any, **kwargs: Any) -> Any:
        seen: Seen = []
        _look_at(self.vectorstore)
        token = _seen.set(seen)
        try:
            documents = bound(original, self)(query, *args, **kwargs)
        finally:
            _seen.reset(token)
        _keep(kwargs.get("run_manager"), documents, seen)
        return documents

    return get


def _with_scores_async(original: Callable[..., Any]) -> Callable[..., Any]:
    async def get(self: Any, query: str, *args: Any, **kwargs: Any) -> Any:
        seen: Seen = []
        _look_at(self.vectorstore)
        token = _seen.set(seen)
        try:
            documents = await bound(original, self)(query, *args, **kwargs)
        finally:
            _seen.reset(token)
        _keep(kwargs.get("run_manager"), documents, seen)
        return documents

    return get


def _keep(run_manager: Any, documents: Any, seen: Seen) -> None:
    """Keeps the score of each document that a store's method returned as this very object."""
    with _LOOKING:
        known = {id(document): score_of(score) for document, score in seen}
        scores = [known.get(id(document)) for document in documents]
        run_id = getattr(run_manager, "run_id", None)
        if run_id is not None and any(score is not None for score in scores):
            _scores[run_id] = scores
            while len(_scores) > _MOST_RUNS:
                _scores.popitem(last=False)


def _look_at(store: Any) -> None:
    """Wraps the methods of this store's classes that return scores, once."""
    with _LOOKING:
        for kind in type(store).__mro__:
            if kind in _looked_at or not issubclass(kind, VectorStore):
                continue
            _looked_at.add(kind)
            for name in _METHODS & kind.__dict__.keys():
                if inspect.isfunction(kind.__dict__[name]):
                    wrap = _noticed_async if inspect.iscoroutinefunction(kind.__dict__[name]) else _noticed
                    _patches.replace(kind, name, wrap)


def _noticed(original: Callable[..., Any]) -> Callable[..., Any]:
    def search(self: Any, *args: Any, **kwargs: Any) -> Any:
        found = bound(original, self)(*args, **kwargs)
        _notice(found)
        return found

    return search


def _noticed_async(original: Callable[..., Any]) -> Callable[..., Any]:
    async def search(self: Any, *args: Any, **kwargs: Any) -> Any:
        found = await bound(original, self)(*args, **kwargs)
        _notice(found)
        return found

    return search


def _notice(found: Any) -> None:
    """Later ones count: a method that asks another one returns its own idea of the score, after it."""
    seen = _seen.get()
    if seen is not None and isinstance(found, list):
        seen += [(pair[0], pair[1]) for pair in found if isinstance(pair, tuple) and len(pair) >= 2]
