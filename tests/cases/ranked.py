"""Rank cases and stories: recorded lists become a request, gold becomes labels, diagnosis says the rest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from feeding import Feed
from goldrank.actions import NewLabel, SaveLabels, Workspace, save_labels
from goldrank.model import CorpusChunk, CorpusManifest, Judgement, LabelTarget, Level, Span, derived_chunk_id
from reporting import describe_request
from shim import kind_of
from span_lines import APP, RESOURCE, as_hit, wire_attributes

INDEX = "corpus"
T0_NS = 1_793_275_200_000_000_000
STEP_NS = 10_000_000


class Sent(NamedTuple):
    """A request that was recorded from a case."""

    request_id: str
    spans: tuple[Span, ...]


def make_spans(case: Mapping[str, Any], number: int = 1, *, version: str | None = None, index: str = INDEX) -> Sent:
    """The spans of a request with the stages of `case`, in the order of the case, each after the one before."""
    trace = f"{0xCA5E:08x}{number:024x}"
    corpus = {str(chunk["id"]): chunk for chunk in case.get("corpus") or ()}
    root = f"{number * 1000:016x}"
    spans: list[Span] = []

    def add(kind: str, name: str, given: Mapping[str, Any], status: str | None = None) -> None:
        at_ns = T0_NS + number * 1_000_000_000 + len(spans) * STEP_NS
        spans.append(
            Span(
                trace_id=trace,
                span_id=f"{number * 1000 + len(spans):016x}",
                parent_span_id=None if kind == "request" else root,
                name=name,
                kind=1,
                start_ns=at_ns,
                end_ns=at_ns + (STEP_NS // 2 if kind != "request" else 900_000_000),
                status=0,
                status_message="",
                attributes=wire_attributes(kind, name, given, status),
                resource=RESOURCE,
                scope="goldrank",
            )
        )

    keys = ("question", "history", "answer", "user", "session", "tenant", "groups", "as_of")
    add("request", "ask", {key: case[key] for key in keys if key in case} | _groups_of(case))
    if case.get("rewrite"):
        queries = case["rewrite"] if isinstance(case["rewrite"], list) else [case["rewrite"]]
        add("rewrite", "rewrite", {"query": case["question"], "queries": queries})
    for listed in case["stages"]:
        stage = {**listed, "kind": listed.get("kind") or kind_of(str(listed["name"]))}
        status = stage.get("status") or ("error" if stage.get("error") else None)
        add(stage["kind"], stage["name"], _stage(stage, case, corpus, version, index), status)
    context = _context_of(case)
    if context is not None or case.get("prompt") is not None:
        add("generate", "answer", {"prompt": case.get("prompt"), "context": context, "text": case.get("answer")})
    return Sent(f"{trace}-{root}", (*spans[1:], spans[0]))


def make_manifest(chunks: Iterable[Mapping[str, Any]], version: str, *, index: str = INDEX) -> CorpusManifest:
    """A complete corpus, as chunks of the cases say it."""
    listed = [
        CorpusChunk(
            chunk_id=str(chunk["id"]),
            doc_id=chunk.get("doc_id"),
            text=chunk.get("text"),
            metadata=chunk.get("meta") or {},
        )
        for chunk in chunks
    ]
    return CorpusManifest(app=APP, environment="test", index=index, version=version, chunks=tuple(listed))


def _context_of(case: Mapping[str, Any]) -> list[str] | None:
    """The chunk ids that the prompt held; None where the case does not say."""
    context = case.get("context")
    if isinstance(context, Mapping):
        context = context.get("chunk_ids")
    return None if context is None else [str(as_hit(one).get("id")) for one in context]


def make_labels(gold: Any) -> tuple[NewLabel, ...]:
    """Gold in any form of the cases: a list of ids, or chunk_ids, doc_ids, texts and forbidden ids."""
    if not isinstance(gold, Mapping):
        gold = {"chunk_ids": gold}
    grades = {one: grade for one, grade in gold.get("grades", {}).items() if grade > 0}
    judged_zero = [one for one, grade in gold.get("grades", {}).items() if grade <= 0]
    gold = {**gold, "grades": grades}
    forbidden = [*gold.get("forbidden_ids", ()), *gold.get("forbidden_chunk_ids", ())]
    return (
        *(_label(_chunk(one), grade=grades.get(str(one), 1)) for one in _ids(gold)),
        *(_label(_document(one), grade=grades.get(str(one), 1)) for one in gold.get("doc_ids", ())),
        *(_label(LabelTarget(chunk_id=derived_chunk_id(text), text=text)) for text in gold.get("texts", ())),
        *(_label(_chunk(one), evidence=number) for number, group in _alternatives(gold) for one in group),
        *(_label(_chunk(one), Judgement.FORBIDDEN) for one in forbidden),
        *(_label(_document(one), Judgement.FORBIDDEN) for one in gold.get("forbidden_doc_ids", ())),
        *(_label(_chunk(one), Judgement.NOT_RELEVANT) for one in (*gold.get("not_relevant_ids", ()), *judged_zero)),
    )


def _ids(gold: Mapping[str, Any]) -> list[Any]:
    """The golds of their own: those that are graded, too, where they are named nowhere else."""
    named = list(gold.get("chunk_ids", ()))
    elsewhere = {str(one) for one in (*named, *gold.get("doc_ids", ()))}
    return [*named, *(one for one in gold.get("grades", {}) if one not in elsewhere)]


def _alternatives(gold: Mapping[str, Any]) -> list[tuple[int, list[Any]]]:
    """Groups of golds of which one is enough, each with an evidence number beyond those of the others."""
    return [(100 + number, group) for number, group in enumerate(gold.get("alternatives", ()), start=1)]


def _chunk(chunk_id: object) -> LabelTarget:
    return LabelTarget(chunk_id=str(chunk_id))


def _document(doc_id: object) -> LabelTarget:
    return LabelTarget(level=Level.DOCUMENT, doc_id=str(doc_id))


def _label(
    target: LabelTarget, judgement: Judgement = Judgement.GOLD, *, grade: int = 1, evidence: int | None = None
) -> NewLabel:
    return NewLabel(judgement=judgement, target=target, grade=max(1, min(4, grade)), evidence=evidence)


def examine_cases(feed: Feed, spool: Path, cases: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Records, labels and examines each case, and says what came out."""
    workspace = Workspace(store=feed.store, spool=spool, who="case", now_ns=lambda: T0_NS)
    for number, case in enumerate(cases, start=1):
        version = None
        if case.get("corpus"):
            version = str(number)
            feed.send_corpus(make_manifest(case["corpus"], version))
        sent = make_spans(case, number, version=version)
        feed.send(sent.spans)
        feed.ingest()
        labels = make_labels(case.get("gold", ()))
        warnings: tuple[str, ...] = ()
        if labels:
            warnings = save_labels(workspace, SaveLabels(request_id=sent.request_id, labels=labels)).warnings
        expected = tuple(case.get("expected_answer_contains") or ())
        yield describe_request(feed.store, sent.request_id, expected=expected) | {"warnings": list(warnings)}


def _stage(
    stage: Mapping[str, Any],
    case: Mapping[str, Any],
    corpus: Mapping[str, Mapping[str, Any]],
    version: str | None,
    index: str,
) -> dict[str, Any]:
    given = {
        key: stage[key]
        for key in ("hits", "query", "requested_k", "top_n", "top_k", "filters", "queries")
        if key in stage
    }
    given |= {key: stage[key] for key in ("technique", "model", "error", "text", "prompt", "context") if key in stage}
    by_document = stage["kind"] == "fuse" and case.get("fusion", {}).get("key") == "doc_id"
    if given.get("hits") is None:
        given.pop("hits", None)
        if "hits" in stage and stage.get("status") is None and not stage.get("error"):
            given["unreadable"] = True
    else:
        given["hits"] = [_hit(hit, corpus, by_document=by_document) for hit in given["hits"]]
    if stage["kind"] == "retrieve":
        given.setdefault("query", case.get("rewrite") or case.get("question"))
        if version is not None:
            given |= {"index": index, "index_version": version}
    if stage["kind"] == "filter" and case.get("settings"):
        given["settings"] = case["settings"]
    if stage["kind"] == "fuse" and case.get("fusion"):
        given["settings"] = {key: value for key, value in case["fusion"].items() if key != "key"}
    if stage.get("settings"):
        given["settings"] = stage["settings"]
    for key in ("length", "state", "completeness", "index", "index_version", "embedding_model"):
        if key in stage:
            given[key] = stage[key]
    return given


def _hit(hit: Any, corpus: Mapping[str, Mapping[str, Any]], *, by_document: bool) -> dict[str, Any]:
    hit = as_hit(hit)
    known = corpus.get(str(hit.get("id")), {})
    full = {**{key: known[key] for key in ("doc_id", "text", "meta") if key in known}, **hit}
    if by_document:
        full.setdefault("doc_id", hit["id"])
    return full


def _groups_of(case: Mapping[str, Any]) -> dict[str, Any]:
    return {"groups": case["user_groups"]} if "user_groups" in case else {}
