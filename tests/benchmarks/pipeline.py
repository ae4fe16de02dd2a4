"""The six-stage pipeline that the benchmarks run, over fixed lists: rewrite, two legs, fuse, rerank, generate.

The functions do nothing but hand back what they were given, so what is measured is the recording. The lists are those
of `rag_requests.py` in the folder GOLDRANK_BENCH (default ../shared/bench) where it is there, else ones of the same
shape that are made here.
"""

from __future__ import annotations

import importlib.util
import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

Hits = list[dict[str, Any]]
Decorate = Callable[[str], Callable[[Callable[..., Any]], Callable[..., Any]]]


class Neutral(NamedTuple):
    """One request in no tool's terms."""

    question: str
    rewrite: str
    dense: Hits
    lexical: Hits
    fused: Hits
    reranked: Hits
    prompt: str
    answer: str
    session: str


def neutral_requests(n: int) -> Iterator[Neutral]:
    """`n` deterministic requests, from the shared generator where it is there."""
    generator = shared_generator()
    return _made_requests(n) if generator is None else _shared_requests(generator, n)


def shared_generator() -> Any:
    """The module `rag_requests.py`; None where it is not there."""
    default = Path(__file__).resolve().parents[3] / "shared" / "bench"
    path = Path(os.environ.get("GOLDRANK_BENCH", default)) / "rag_requests.py"
    if not path.exists():
        return None
    spec = importlib.util.spec_from_file_location("rag_requests", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _shared_requests(generator: Any, n: int) -> Iterator[Neutral]:
    for request in generator.requests(n):
        yield Neutral(
            question=request["question"],
            rewrite=request["rewrite"],
            dense=_as_hits(request["dense"]),
            lexical=_as_hits(request["lexical"]),
            fused=_as_hits(request["rerank_in"]),
            reranked=_as_hits(request["rerank_out"]),
            prompt=request["prompt"],
            answer=request["answer"],
            session=request["session"],
        )


def _as_hits(ranked: list[dict[str, Any]]) -> Hits:
    return [
        {
            "id": hit["chunk_id"],
            "doc_id": hit["doc_id"],
            "text": hit["text"],
            "score": hit["score"],
            "metadata": {"version": hit["version"]},
        }
        for hit in ranked
    ]


def _made_requests(n: int, *, seed: int = 7, chunks: int = 5000, text_chars: int = 600) -> Iterator[Neutral]:
    """Deterministic requests: legs of 20 hits with texts, fusion of 20, five after the reranker."""
    rng = random.Random(seed)
    words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(3, 10))) for _ in range(4000)]
    weights = [1 / (place + 1) for place in range(len(words))]
    corpus = [
        {
            "id": f"doc{number // 8:05d}#c{number % 8}",
            "doc_id": f"doc{number // 8:05d}",
            "text": " ".join(rng.choices(words, weights, k=text_chars // 6)),
            "metadata": {"version": number % 3},
        }
        for number in range(chunks)
    ]

    def ranked(k: int) -> Hits:
        scores = sorted((round(rng.random(), 6) for _ in range(k)), reverse=True)
        return [{**chunk, "score": score} for chunk, score in zip(rng.sample(corpus, k), scores, strict=True)]

    for number in range(n):
        dense, lexical = ranked(20), ranked(20)
        fused = [hit for pair in zip(dense, lexical, strict=True) for hit in pair][:20]
        reranked = rng.sample(fused, 5)
        context = "\n\n".join(f"[{hit['id']}]\n{hit['text']}" for hit in reranked)
        question = f"How do I {' '.join(rng.choices(words, k=9))}?"
        yield Neutral(
            question=question,
            rewrite=" ".join(rng.choices(words, k=12)),
            dense=dense,
            lexical=lexical,
            fused=fused,
            reranked=reranked,
            prompt=f"Answer only from the context.\n\n{context}\n\nQuestion: {question}",
            answer=" ".join(rng.choices(words, k=60)),
            session=f"s{number // 4}",
        )


def build(decorate: Decorate) -> Callable[[Neutral], str]:
    """The pipeline with each function decorated by `decorate(kind)`."""
    current: list[Neutral] = []

    @decorate("rewrite")
    def rewrite(question: str) -> str:
        return current[0].rewrite

    @decorate("retrieve")
    def dense(query: str, top_k: int = 20) -> Hits:
        return current[0].dense

    @decorate("retrieve")
    def lexical(query: str, top_k: int = 20) -> Hits:
        return current[0].lexical

    @decorate("fuse")
    def fuse(lists: list[Hits]) -> Hits:
        return current[0].fused

    @decorate("rerank")
    def rerank(query: str, hits: Hits) -> Hits:
        return current[0].reranked

    @decorate("generate")
    def generate(prompt: str) -> str:
        return current[0].answer

    @decorate("request")
    def answer(question: str, session: str) -> str:
        query = rewrite(question)
        fused = fuse([dense(query), lexical(query)])
        rerank(query, fused)
        return str(generate(current[0].prompt))

    def run(neutral: Neutral) -> str:
        current[:] = [neutral]
        return str(answer(neutral.question, session=neutral.session))

    return run
