"""Real packages, exporting over OTLP into a running collector: what they did is what goldrank shows."""

from __future__ import annotations

from typing import Any

import pytest

QUESTION = "Can I return an annual plan?"


def ids(stage: dict[str, Any]) -> list[str]:
    """Chunk ids in order of rank, which count from 1."""
    assert [hit["rank"] for hit in stage["hits"]] == list(range(1, len(stage["hits"]) + 1))
    return [hit["chunk_id"] for hit in stage["hits"]]


def pairs(stage: dict[str, Any]) -> list[list[Any]]:
    """(id, score) in order of rank, as an app prints them."""
    return [[chunk_id, hit["score"]] for chunk_id, hit in zip(ids(stage), stage["hits"], strict=True)]


def into(seen: Any, stage: dict[str, Any]) -> set[str]:
    """The stages whose lists went into this one."""
    edges = seen.view["diagnosis"]["flow"]["edges"]
    return {edge["source_id"] for edge in edges if edge["target_id"] == stage["stage_id"]}


@pytest.mark.parametrize(
    "instrumentation", ["openinference-langchain", pytest.param("traceloop-langchain", marks=pytest.mark.slow)]
)
def test_langchain(see, instrumentation):
    """Two legs, their fusion, the prompt with two passages, the answer."""
    seen = see("hybrid", instrumentation)
    assert (seen.request["question"], seen.request["answer"]) == (QUESTION, seen.truth["answer"])
    assert seen.request["app"] == "hybrid"
    assert sorted(map(ids, seen.of_kind("retrieve"))) == sorted(seen.truth["legs"])
    assert [stage["query"] for stage in seen.of_kind("retrieve")] == [QUESTION, QUESTION]
    (fused,) = seen.of_kind("fuse")
    assert ids(fused) == seen.truth["fused"]
    assert into(seen, fused) == {stage["stage_id"] for stage in seen.of_kind("retrieve")}
    assert {hit["text_state"] for hit in fused["hits"]} == {"known"}
    (generated,) = seen.of_kind("generate")
    assert QUESTION in generated["prompt"][0]["text"]
    entries = seen.view["diagnosis"]["context"]["entries"]
    assert [entry["chunk_id"] for entry in entries] == seen.truth["fused"][:2]
    assert seen.view["diagnosis"]["headline"]["verdict"] == "delivered"


@pytest.mark.slow
@pytest.mark.parametrize("instrumentation", ["openinference-llama_index", "traceloop-llama_index"])
def test_llama_index(see, instrumentation):
    """The retriever with its scores, the reranker that the app wrote, the answer; the index's embeddings are none."""
    seen = see("engine", instrumentation)
    assert (seen.request["question"], seen.request["answer"]) == (QUESTION, seen.truth["answer"])
    (retrieved,) = seen.of_kind("retrieve")
    assert pairs(retrieved) == seen.truth["retrieved"]
    (reranked,) = seen.of_kind("rerank")
    assert ids(reranked) == [chunk_id for chunk_id, _ in seen.truth["reranked"]]
    assert pairs(reranked) == seen.truth["reranked"]
    assert into(seen, reranked) == {retrieved["stage_id"]}
    assert seen.view["diagnosis"]["headline"]["verdict"] == "delivered"


@pytest.mark.slow
@pytest.mark.parametrize("instrumentation", ["openinference-haystack", "haystack-own"])
def test_haystack(see, instrumentation):
    """Both retrievers with scores, their join, the answer; the pipeline that fills the index is no request."""
    seen = see("pipeline", instrumentation)
    assert (seen.request["question"], seen.request["answer"]) == (QUESTION, seen.truth["answer"])
    found = seen.of_kind("retrieve")
    assert sorted(map(pairs, found)) == sorted([seen.truth["bm25"], seen.truth["dense"]])
    assert [stage["query"] for stage in found] == [QUESTION, QUESTION]
    (fused,) = seen.of_kind("fuse")
    assert pairs(fused) == seen.truth["joined"]
    assert into(seen, fused) == {stage["stage_id"] for stage in seen.of_kind("retrieve")}
    assert seen.view["diagnosis"]["headline"]["verdict"] == "delivered"
