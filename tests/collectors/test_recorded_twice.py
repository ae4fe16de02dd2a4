"""Steps that two spans record: one inside the other, or one beside the other, of two instrumentations of a process."""

from __future__ import annotations

import json
from typing import Any

from goldrank.collectors import compose
from goldrank.model import RecordedRequest, Span
from other_spans import ANSWER, QUESTION, TEXTS, chain, flat, openinference, store_query
from wire_spans import make_span, span_id

ASKED = {"input.value": QUESTION}


def only(*spans: Span) -> RecordedRequest:
    """The one request of these spans."""
    (one,) = compose(spans)
    return one.recorded


def kinds(recorded: RecordedRequest) -> list[str]:
    """Of its stages, in their order."""
    return [stage.kind.value for stage in recorded.stages]


def retriever(number: int, parent: int, ids: str, name: str, *, said: dict[str, Any] = ASKED, **fields: Any) -> Span:
    """As OpenInference writes it."""
    return openinference(number, parent, "RETRIEVER", name=name, attributes=said | flat(list(ids)), **fields)


def traceloop(number: int, parent: int, ids: str, name: str, **fields: Any) -> Span:
    """The same retriever as Traceloop writes it."""
    documents = [{"page_content": TEXTS.get(one, f"text of {one}"), "metadata": {"chunk_id": one}} for one in ids]
    attributes = {
        "traceloop.span.kind": "task",
        "gen_ai.operation.name": "vector_db_retrieve",
        "traceloop.entity.name": name,
        "traceloop.entity.input": json.dumps({"query": QUESTION}),
        "traceloop.entity.output": json.dumps({"documents": documents, "count": len(ids)}),
    }
    return make_span(number, parent, scope="traceloop", name=name, attributes=attributes, **fields)


def test_a_leg_that_found_what_the_fusion_gives_stays_a_leg() -> None:
    """Also where all legs found the same, and where the others found nothing."""
    outer = retriever(2, 1, "ab", "Hybrid", start_ms=1, end_ms=9)
    same = retriever(3, 2, "ab", "bm25", start_ms=2, end_ms=3)
    for other in ("ab", "ba", "b"):
        recorded = only(chain(), outer, same, retriever(4, 2, other, "dense", start_ms=2, end_ms=4))
        assert kinds(recorded) == ["fuse", "retrieve", "retrieve"]
    empty = openinference(4, 2, "RETRIEVER", attributes=ASKED | {"retrieval.documents": "[]"}, start_ms=2, end_ms=4)
    assert kinds(only(chain(), outer, same, empty)) == ["fuse", "retrieve", "retrieve"]
    assert kinds(only(chain(), outer, same)) == ["retrieve"]


def test_methods_of_one_retriever_are_one_also_where_content_is_off() -> None:
    """A fusion whose lists are not recorded is one stage around its legs."""
    names = ((2, 1, "F.retrieve"), (3, 2, "F._retrieve"), (4, 3, "A.retrieve"), (5, 3, "B.retrieve"))
    spans = [
        openinference(number, parent, "RETRIEVER", name=name, start_ms=number, end_ms=50 - number)
        for number, parent, name in names
    ]
    recorded = only(chain(), *spans)
    assert [(stage.kind.value, stage.name) for stage in recorded.stages] == [
        ("fuse", "F"),
        ("retrieve", "A"),
        ("retrieve", "B"),
    ]


def test_a_step_around_a_search_and_its_reranker_holds_them() -> None:
    """Its list is the reranker's, so it is counted there; with a list of its own it fuses."""
    given, made = flat(["a", "b"], "reranker.input_documents"), flat(["b"], "reranker.output_documents")
    inner = (
        retriever(3, 2, "ab", "dense", start_ms=2, end_ms=3),
        openinference(4, 2, "RERANKER", attributes={"reranker.query": QUESTION} | given | made, start_ms=4, end_ms=5),
    )
    assert kinds(only(chain(), retriever(2, 1, "b", "Both", start_ms=1, end_ms=9), *inner)) == ["retrieve", "rerank"]
    other = only(chain(), retriever(2, 1, "bca", "Both", start_ms=1, end_ms=9), *inner)
    assert kinds(other) == ["fuse", "retrieve", "rerank"]


def test_two_instrumentations_of_one_process_are_one_request() -> None:
    """Each with its own tree: every stage counts once, and each says what the other does not."""
    said = {"llm.output_messages.0.message.role": "assistant", "llm.output_messages.0.message.content": ANSWER}
    messages = json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": ANSWER}]}])
    chat = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.output.messages": messages}
    recorded = only(
        chain(),
        retriever(2, 1, "abc", "Hybrid", start_ms=1, end_ms=20),
        retriever(3, 2, "ab", "bm25", start_ms=2, end_ms=5),
        retriever(4, 2, "cb", "dense", start_ms=6, end_ms=9),
        openinference(5, 1, "LLM", name="Chat", attributes=said, start_ms=21, end_ms=30),
        make_span(11, 1, scope="traceloop", attributes={"traceloop.span.kind": "workflow"}, end_ms=99),
        traceloop(12, 11, "abc", "Hybrid", start_ms=1.1, end_ms=20.1),
        traceloop(13, 12, "ab", "bm25", start_ms=2.1, end_ms=5.1),
        traceloop(14, 12, "cb", "dense", start_ms=6.1, end_ms=9.1),
        make_span(15, 11, scope="traceloop", name="Chat.chat", attributes=chat, start_ms=21.1, end_ms=30.1),
    )
    assert kinds(recorded) == ["fuse", "retrieve", "retrieve", "generate"]
    assert [stage.stage_id for stage in recorded.stages] == [span_id(number) for number in (2, 3, 4, 5)]
    assert [hit.metadata for hit in recorded.stages[1].hits or ()] == [{"chunk_id": "a"}, {"chunk_id": "b"}]
    assert recorded.stages[3].model == "m"


def test_an_embedding_beside_another_of_the_same_text() -> None:
    """Two instrumentations name its step differently."""
    text = {"embedding.embeddings.0.embedding.text": QUESTION}
    first = openinference(2, 1, "EMBEDDING", name="Model.get_query_embedding", attributes=text, end_ms=9)
    said = {"gen_ai.operation.name": "embeddings", "gen_ai.request.model": "e5", "gen_ai.input.messages": QUESTION}
    other = {"traceloop.span.kind": "task", "traceloop.entity.input": json.dumps({"query": QUESTION})} | said
    (stage,) = only(chain(), first, make_span(3, 1, scope="traceloop", attributes=other, start_ms=1)).stages
    assert (stage.name, stage.query, stage.embedding_model) == ("Model.get_query_embedding", QUESTION, "e5")


def test_genais_retrieval_beside_a_retriever_that_has_a_name() -> None:
    """Its conventions do not name the class: the same query and the same ids at the same time are the same search."""
    rows = json.dumps([{"id": one, "score": 0.5} for one in "ab"])
    attributes = {
        "gen_ai.operation.name": "retrieval",
        "gen_ai.retrieval.documents": rows,
        "gen_ai.provider.name": "db",
    }
    asked = attributes | {"gen_ai.retrieval.query.text": QUESTION}
    named = retriever(3, 1, "ab", "Kb", start_ms=1, end_ms=9)
    (stage,) = only(chain(), make_span(2, 1, scope="genai", attributes=asked, start_ms=0.5, end_ms=9), named).stages
    assert (stage.name, stage.index, [hit.score for hit in stage.hits or ()]) == ("Kb", "db", [0.5, 0.5])
    other = asked | {"gen_ai.retrieval.query.text": "else"}
    two = only(chain(), make_span(2, 1, scope="genai", attributes=other, start_ms=0.5, end_ms=9), named)
    assert kinds(two) == ["retrieve", "retrieve"]


def test_the_same_search_again_is_another_stage() -> None:
    """One after the other, or by the same instrumentation at the same time: two searches."""
    first = retriever(2, 1, "ab", "kb", start_ms=1, end_ms=5)
    assert kinds(only(chain(), first, traceloop(3, 1, "ab", "kb", start_ms=6, end_ms=9))) == ["retrieve"] * 2
    assert kinds(only(chain(), first, retriever(3, 1, "ab", "kb", start_ms=2, end_ms=4))) == ["retrieve"] * 2
    assert kinds(only(chain(), first, traceloop(3, 1, "ba", "kb", start_ms=2, end_ms=4))) == ["retrieve"] * 2


def test_a_stores_call_beside_its_retriever_counts_once() -> None:
    """Some instrumentations do not tell the store's client inside which span it runs. Another list is another stage."""
    framework = retriever(3, 1, "ab", "VectorStoreRetriever", start_ms=0.5, end_ms=9)
    hits = [{"db.query.result.id": one, "db.query.result.distance": 0.25} for one in "ab"]
    (stage,) = only(chain(), framework, store_query("chroma", hits, end_ms=5, scope="chroma")).stages
    assert (stage.name, stage.query) == ("VectorStoreRetriever", QUESTION)
    assert [(hit.chunk_id, hit.score) for hit in stage.hits or ()] == [("a", 0.25), ("b", 0.25)]
    late = framework._replace(start_ns=framework.start_ns + 2_000_000)  # a clock that is coarse
    (stage,) = only(chain(), late, store_query("chroma", hits, end_ms=5, scope="chroma")).stages
    assert stage.name == "VectorStoreRetriever"
    other = only(chain(), framework, store_query("chroma", hits[:1], end_ms=5, scope="chroma"))
    assert kinds(other) == ["retrieve", "retrieve"]


def test_a_reranker_by_its_name_whatever_its_kind() -> None:
    """Langfuse has no word for one; a search that is called so and finds something new is a search."""
    documents = [{"id": one, "content": TEXTS[one], "score": 0.5} for one in "ab"]

    def call(kind: str, made: list[dict[str, Any]], name: str = "rerank") -> str:
        said = {"args": [QUESTION, documents], "kwargs": {}}
        attributes = {"langfuse.observation.type": kind, "langfuse.observation.input": json.dumps(said)}
        attributes["langfuse.observation.output"] = json.dumps(made)
        found = retriever(2, 1, "ab", "kb", start_ms=1, end_ms=2)
        return only(chain(), found, make_span(3, 1, name=name, attributes=attributes, start_ms=5)).stages[-1].kind.value

    assert [call(kind, documents[::-1]) for kind in ("span", "tool", "retriever")] == ["rerank"] * 3
    assert call("retriever", [{"id": "c", "content": "text", "score": 1.0}]) == "retrieve"
    assert call("retriever", documents[::-1], name="search") == "retrieve"


def test_two_instrumentations_below_a_web_server_are_no_two_requests() -> None:
    """A server is split at steps that were asked something; at those of two instrumentations only once."""
    server = make_span(1, kind=2, name="POST /chat", end_ms=100)

    def both(number: int, question: str, start_ms: float) -> tuple[Span, ...]:
        said = {"input.value": question, "output.value": ANSWER}
        given, made = json.dumps({"inputs": {"input": question}}), json.dumps({"outputs": ANSWER})
        other = {"traceloop.span.kind": "workflow", "traceloop.entity.input": given, "traceloop.entity.output": made}
        return (
            openinference(number, 1, "CHAIN", attributes=said, start_ms=start_ms, end_ms=start_ms + 40),
            retriever(number + 1, number, "ab", "kb", start_ms=start_ms + 2, end_ms=start_ms + 5),
            make_span(
                number + 2, 1, scope="traceloop", attributes=other, start_ms=start_ms + 0.1, end_ms=start_ms + 40.1
            ),
            traceloop(number + 3, number + 2, "ab", "kb", start_ms=start_ms + 2.1, end_ms=start_ms + 5.1),
        )

    one = only(server, *both(10, QUESTION, 1))
    assert (one.request.question, one.request.answer, kinds(one)) == (QUESTION, ANSWER, ["retrieve"])
    two = [found.recorded for found in compose((server, *both(10, QUESTION, 1), *both(20, "And software?", 20)))]
    assert [(found.request.question, kinds(found)) for found in two] == [
        (QUESTION, ["retrieve"]),
        ("And software?", ["retrieve"]),
    ]
    again = [found.recorded for found in compose((server, *both(10, QUESTION, 1), *both(20, QUESTION, 50)))]
    assert [kinds(found) for found in again] == [["retrieve"], ["retrieve"]]


def test_a_rendered_prompt_inside_another_counts_once() -> None:
    """Haystack's own tracer around OpenInference's: one template, one text."""
    own = {"haystack.component.type": "PromptBuilder", "haystack.component.output": json.dumps({"prompt": "Use a."})}
    inner = {"llm.prompt_template.template": "Use {x}.", "output.value": json.dumps({"prompt": "Use a."})}
    outer = make_span(2, 1, attributes=own, end_ms=9)
    assert kinds(only(chain(), outer, openinference(3, 2, "LLM", attributes=inner, start_ms=1))) == ["assemble"]


def test_the_scores_of_a_fusion_by_rank_say_so() -> None:
    """By its name; of any other fusion nobody knows what they are."""
    lists = {"input.value": json.dumps([[{"id": "a", "content": TEXTS["a"]}], [{"id": "b", "content": TEXTS["b"]}]])}
    made = json.dumps([{"id": one, "content": TEXTS[one], "score": 0.016} for one in "ab"])

    def kind_of_scores(name: str) -> set[str]:
        fused = openinference(2, 1, "CHAIN", name=name, attributes=lists | {"output.value": made})
        (stage,) = only(chain(), fused).stages
        return {hit.score_kind.value for hit in stage.hits or ()}

    assert (kind_of_scores("rrf_fuse"), kind_of_scores("fuse_by_weight")) == ({"rrf"}, {"unknown"})
