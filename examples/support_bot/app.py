"""The support bot of Quillmoor, a product that does not exist: questions in, answers with sources out.

Each step is a plain function with one decorator of goldrank above it. That is all the recording there is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import goldrank

from . import access, answerer, duplicates, fusion, prompt, rewriting
from .hits import Hit
from .library import INDEX, library
from .rewriting import Turn
from .settings import PRODUCTION, Settings


@goldrank.request
def answer(
    question: str,
    *,
    user: str,  # noqa: ARG001 - who asks, and in which conversation: goldrank reads both by their names
    session: str,  # noqa: ARG001
    history: Sequence[Turn] = (),
    groups: Sequence[str] = (),
    settings: Settings = PRODUCTION,
    tell_id: Callable[[str], None] = lambda _: None,
) -> str:
    """The answer to a question of `user`, who is in `groups`, with marks such as [S1] for the sources.

    `tell_id` is given the id of the request before anything can fail. A web app would put it into a header and
    below the answer, so that people can name it when they complain.
    """
    tell_id(goldrank.request_id())
    if settings != PRODUCTION:
        goldrank.note("set-up", settings.differences())
    query = standalone(question, history) if settings.rewrite else question
    found = search_legs(query, settings)
    fused = rrf(found, top_k=settings.fused)
    ranked = filter_groups(fused, groups)
    if settings.dedupe:
        ranked = dedupe(ranked)
    if settings.rerank:
        ranked = rerank(
            query, ranked[: settings.candidates], settings.reranked, settings.index_version, settings.outage
        )
    return generate(build_prompt(question, ranked, history, settings))


def search_legs(query: str, settings: Settings) -> list[list[Hit]]:
    """What each leg found. One that fails is left out, so that the others still give an answer."""
    found = []
    for leg in settings.legs:
        try:
            found.append(LEGS[leg](query, settings.leg_depth, settings.index_version, settings.outage))
        except TimeoutError:
            continue  # the other leg answers; goldrank has recorded the failure
    return found


@goldrank.rewrite(technique="standalone")
def standalone(question: str, history: Sequence[Turn]) -> str:
    """The question as it can be searched without the history."""
    return rewriting.make_standalone(question, history)


@goldrank.retrieve(index=INDEX)
def bm25(query: str, top_k: int, index_version: str, outage: str | None = None) -> list[Hit]:
    """The keyword leg."""
    _fail_if("bm25", outage)
    return library(index_version).bm25.search(query, top_k)


@goldrank.retrieve(index=INDEX)
def dense(query: str, top_k: int, index_version: str, outage: str | None = None) -> list[Hit]:
    """The leg that searches by meaning."""
    _fail_if("dense", outage)
    return library(index_version).dense.search(query, top_k)


@goldrank.fuse
def rrf(found: Sequence[Sequence[Hit]], top_k: int) -> list[Hit]:
    """One list out of those of the legs."""
    return fusion.fuse(found, keep=top_k)


@goldrank.filter(name="groups")
def filter_groups(hits: Sequence[Hit], groups: Sequence[str]) -> list[Hit]:
    """What this user may read."""
    return access.readable(hits, groups)


@goldrank.other
def dedupe(hits: Sequence[Hit]) -> list[Hit]:
    """The list without near-duplicates."""
    return duplicates.without_near_duplicates(hits)


@goldrank.rerank
def rerank(
    query: str, hits: Sequence[Hit], top_n: int | None, index_version: str, outage: str | None = None
) -> list[Hit]:
    """The candidates in the order of the reranker; all of them unless `top_n` says how many."""
    _fail_if("rerank", outage)
    return library(index_version).reranker.rank(query, hits)[:top_n]


@goldrank.assemble(name="prompt builder")
def build_prompt(question: str, hits: Sequence[Hit], history: Sequence[Turn], settings: Settings) -> str:
    """The prompt with the passages that fit."""
    chosen = prompt.choose(hits, takes=settings.takes, budget=settings.budget)
    return prompt.build_prompt(question, chosen, history)


@goldrank.generate
def generate(prompt: str) -> str:
    """The answer that the model writes."""
    return answerer.generate(prompt)


LEGS = {"bm25": bm25, "dense": dense}


def _fail_if(step: str, outage: str | None) -> None:
    if step == outage:
        raise TimeoutError("no answer in 2 s")
