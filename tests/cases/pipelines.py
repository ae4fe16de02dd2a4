"""Which functions of `toy_rag.py` a story's lists came from, as its recording alone tells: for `story_app`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from seen import NotExpressible
from shim import kind_of

SEARCHES = {"dense": "dense", "vector": "dense", "keyword": "bm25", "bm25": "bm25"}
"""Name of a retriever -> the function of `toy_rag.py` that ranked its list."""
DEPTHS = ("requested_k", "top_k", "top_n")


def pipeline_of(case: Mapping[str, Any], index: str, version: str) -> dict[str, Any]:
    """The story as `story_app` reads it. NotExpressible where `toy_rag.py` has no such stage."""
    stages = [_stage(stage) for stage in case["stages"]]
    if not any(stage["kind"] == "retrieve" for stage in stages):
        raise NotExpressible("no retriever was recorded, so that there is nothing to run again")
    keep, budget = _builder(case)
    return {
        "corpus": corpus_of(case),
        "index": index,
        "index_version": version,
        "stages": stages,
        "rewrites": bool(case.get("rewrite")),
        "keep": keep,
        "budget": budget,
    }


def corpus_of(case: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The chunks that were searched; without a corpus those of the lists, each with its id as its text."""
    if case.get("corpus"):
        return [dict(chunk) for chunk in case["corpus"]]
    ids = dict.fromkeys(str(hit["id"]) for stage in case["stages"] for hit in stage["hits"] or ())
    return [{"id": chunk_id, "text": chunk_id} for chunk_id in ids]


def changed_by_hand(case: Mapping[str, Any]) -> str:
    """The note of a stage whose list is not as it was ranked; empty: all are."""
    return next((f"{stage['name']}: {stage['note']}" for stage in case["stages"] if stage.get("note")), "")


def _stage(stage: Mapping[str, Any]) -> dict[str, Any]:
    name = str(stage["name"])
    kind = stage.get("kind") or kind_of(name)
    if kind not in {"retrieve", "fuse", "rerank"} or stage.get("hits") is None:
        raise NotExpressible(f"toy_rag.py has nothing that gives the {kind} stage {name} again")
    search = SEARCHES.get(name.lower())
    if kind == "retrieve" and search is None:
        raise NotExpressible(f"no search of toy_rag.py is known as {name}")
    depth = next((stage[key] for key in DEPTHS if stage.get(key)), len(stage["hits"]))
    return {"name": name, "kind": kind, "search": search, "depth": depth, "query": stage.get("query")}


def _builder(case: Mapping[str, Any]) -> tuple[str, int]:
    """From which end of the last list the prompt was filled ("head", "tail"), and how many passages it took."""
    last = [str(hit["id"]) for hit in case["stages"][-1]["hits"]]
    context = case.get("context")
    sent = context["chunk_ids"] if isinstance(context, Mapping) else context
    if sent is None or sent == last[: len(sent)]:
        return "head", len(last) if sent is None else len(sent)
    if sent == last[len(last) - len(sent) :]:
        return "tail", len(sent)
    raise NotExpressible("the context is neither the head nor the tail of the last list")
