"""Two apps that are recorded only in part, as many are in their first week: what goldrank cannot tell, it says."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import goldrank
import numpy as np
from numpy.typing import NDArray

from . import access, answerer, app, fusion, prompt
from .hits import Hit, best_first
from .library import INDEX, library
from .settings import Settings


@goldrank.request
def search_only(question: str, *, groups: Sequence[str], settings: Settings, tell_id: Callable[[str], None]) -> str:
    """The bot of an app that decorates its search and not what comes after it."""
    tell_id(goldrank.request_id())
    fused = app.rrf(app.search_legs(question, settings), settings.fused)
    ranked = app.rerank(question, app.filter_groups(fused, groups), None, settings.index_version)
    return _answer(question, ranked, settings)


@goldrank.retrieve(name="dense", index=INDEX)
def dense_numbers(query: str, index_version: str) -> NDArray[np.float64]:
    """A leg that returns a number for each chunk of the index, best or not: nobody can read a list from it."""
    return library(index_version).dense.scores(query)


@goldrank.request
def bare_numbers(question: str, *, groups: Sequence[str], settings: Settings, tell_id: Callable[[str], None]) -> str:
    """The bot of an app that decorates its legs and its model, one leg returning bare numbers."""
    tell_id(goldrank.request_id())
    pages = library(settings.index_version)
    by_words = app.bm25(question, settings.leg_depth, settings.index_version)
    by_meaning = best_first(
        zip(pages.chunks, dense_numbers(question, settings.index_version), strict=True), top_k=settings.leg_depth
    )
    fused = access.readable(fusion.fuse([by_words, by_meaning], keep=settings.fused), groups)
    chosen = prompt.choose(pages.reranker.rank(question, fused), takes=settings.takes, budget=settings.budget)
    return app.generate(prompt.build_prompt(question, chosen, ()))


def _answer(question: str, ranked: Sequence[Hit], settings: Settings) -> str:
    chosen = prompt.choose(ranked, takes=settings.takes, budget=settings.budget)
    return answerer.generate(prompt.build_prompt(question, chosen, ()))
