"""The app of the stories: the pipeline that each was recorded from, on the functions of `toy_rag.py`.

A worker process imports it to replay stories. The session of a request names its story, a JSON file in the folder
`stories` beside this file (`pipelines.pipeline_of` makes it). `toy_rag.py` is imported from the folder of the cases.
"""

from __future__ import annotations

import functools
import importlib
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import goldrank

STORIES = Path(__file__).with_name("stories")
sys.path.append(os.environ["GOLDRANK_CASES"])
toy_rag = importlib.import_module("toy_rag")
goldrank.init(app="case", environment="test")

Hits = list[dict[str, Any]]
Stage = Callable[..., Hits]


class Story:
    """The corpus of one story and its decorated stages."""

    def __init__(self, name: str) -> None:
        known = json.loads((STORIES / f"{name}.json").read_text(encoding="utf-8"))
        self.corpus: Hits = known["corpus"]
        self.index, self.version = known["index"], known["index_version"]
        self.rewrites: bool = known["rewrites"]
        self.keep, self.budget = known["keep"], known["budget"]
        self.legs = [(self._leg(stage), stage["query"]) for stage in known["stages"] if stage["kind"] == "retrieve"]
        later = [stage for stage in known["stages"] if stage["kind"] != "retrieve"]
        self.later = [(stage["kind"], self._later(stage)) for stage in later]

    def _hits(self, ranked: list[tuple[str, float]]) -> Hits:
        by_id = {chunk["id"]: chunk for chunk in self.corpus}
        return [{**by_id[chunk_id], "score": score} for chunk_id, score in ranked]

    def _leg(self, known: dict[str, Any]) -> Stage:
        @goldrank.retrieve(name=known["name"], index=self.index, index_version=self.version)
        def leg(query: str, top_k: int = known["depth"], search: str = known["search"]) -> Hits:
            return self._hits(getattr(toy_rag, search)(query, self.corpus, k=top_k))

        return leg

    def _later(self, known: dict[str, Any]) -> Stage:
        if known["kind"] == "fuse":

            @goldrank.fuse(name=known["name"])
            def fuse(lists: list[Hits], top_k: int = known["depth"]) -> Hits:
                return self._hits(toy_rag.rrf(*map(_ranked, lists), top=top_k))

            return fuse

        @goldrank.rerank(name=known["name"])
        def rerank(query: str, hits: Hits, top_k: int = known["depth"]) -> Hits:
            return self._hits(toy_rag.rerank(query, _ranked(hits), self.corpus, top=top_k))

        return rerank


def _ranked(hits: Hits) -> list[tuple[str, float]]:
    return [(hit["id"], hit["score"]) for hit in hits]


@functools.cache
def story(name: str) -> Story:
    """The story of that name."""
    return Story(name)


@goldrank.rewrite(name="rewrite")
def rewrite(question: str, history: list[dict]) -> str:
    """All that the user said, and the question: this app has no model that could do better."""
    return " ".join([turn["content"] for turn in history if turn["role"] == "user"] + [question])


@goldrank.generate(name="answer")
def write(prompt: str, context: Hits) -> str:
    """The first passage: this app has no model."""
    return prompt.partition("\n\n")[0] if context else "I do not know."


@goldrank.request(name="ask")
def answer(question: str, history: list[dict] | None = None, session: str = "") -> str:
    """Searches in every leg, fuses and reranks where the story did, and answers from what the prompt has room for."""
    told = story(session)
    written: Any = rewrite(question, history or []) if told.rewrites else question
    queries = [written] if isinstance(written, str) else list(written)
    lists = [leg(own if own in queries else queries[0]) for leg, own in told.legs]
    hits = lists[0]
    for kind, stage in told.later:
        hits = stage(lists) if kind == "fuse" else stage(queries[0], hits)
    kept = hits[: told.budget] if told.keep == "head" else hits[max(0, len(hits) - told.budget) :]
    return write("\n\n".join(hit["text"] for hit in kept), kept)
