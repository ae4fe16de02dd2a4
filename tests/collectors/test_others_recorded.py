"""What frameworks send in cases that no recording stands for: each was recorded from the real package once."""

from __future__ import annotations

import json
from typing import Any

import pytest
from goldrank.collectors import compose
from goldrank.model import Completeness, Outcome, RecordedRequest, Span, StageKind
from other_spans import ANSWER, QUESTION, TEXTS, chain, flat, openinference, store_query
from wire_spans import make_span


def only(*spans: Span) -> RecordedRequest:
    """The one request of these spans."""
    (one,) = compose(spans)
    return one.recorded


def traceloop(number: int, parent: int | None, kind: str, given: Any, made: Any, **fields: Any) -> Span:
    """A span as Traceloop writes it."""
    said = {"traceloop.entity.input": json.dumps(given), "traceloop.entity.output": json.dumps(made)}
    attributes = {"traceloop.span.kind": kind, **said} | fields.pop("attributes", {})
    return make_span(number, parent, attributes=attributes, **fields)


def test_a_root_whose_parent_never_comes_is_a_root() -> None:
    """Where its writer says so: after one failed search Traceloop names the same lost parent for every request."""
    asked = [
        traceloop(n, 99, "workflow", {"str_or_query_bundle": f"question {n}?"}, {"response": f"answer {n}"}, start_ms=n)
        for n in (2, 3)
    ]
    composed = sorted((one.recorded.request for one in compose(asked)), key=lambda one: one.question or "")
    assert [(one.question, one.answer, one.question_source) for one in composed] == [
        ("question 2?", "answer 2", None),
        ("question 3?", "answer 3", None),
    ]
    assert {one.outcome for one in composed} == {Outcome.OK}
    assert not any(one.missing for one in composed)


def test_a_task_whose_parent_is_missing_is_no_root() -> None:
    """The rest of a request that was lost stays one request, and says that it is not whole."""
    tasks = [traceloop(n, 1, "task", {"inputs": f"text {n}"}, {"outputs": "x"}, start_ms=n) for n in (2, 3)]
    assert only(*tasks).request.missing == ("request span missing",)


def test_a_request_failed_though_the_web_server_answered() -> None:
    """A server's span says nothing of an error that the app caught; an answer beside what failed is no failure."""
    server = make_span(1, None, name="POST /chat", attributes={"http.route": "/chat"}, end_ms=100)
    search = openinference(
        2, 1, "RETRIEVER", attributes={"input.value": "returns"}, status=2, status_message="timed out", start_ms=1
    )
    failed = only(server, search).request
    assert (failed.outcome, failed.error, failed.question) == (Outcome.ERROR, "timed out", "returns")
    said = {"input.value": "returns", "output.value": "We are sorry."}
    answered = only(server, search, openinference(3, 1, "CHAIN", attributes=said, start_ms=20, end_ms=30)).request
    assert (answered.outcome, answered.error, answered.answer) == (Outcome.OK, None, "We are sorry.")
    assert only(server._replace(status=1), search).request.outcome is Outcome.OK


def test_an_empty_list_is_what_a_retriever_found() -> None:
    """Whatever the class of the retriever is called; LlamaIndex's engines give a response."""
    asked = {"str_or_query_bundle": {"query_str": "returns"}}
    root = traceloop(1, None, "workflow", {"str_or_query_bundle": "returns"}, {"response": "Empty Response"}, end_ms=9)
    (stage,) = only(root, traceloop(2, 1, "task", asked, [], name="Fixed.task", start_ms=1)).stages
    assert (stage.kind, stage.name, stage.query, stage.hits) == (StageKind.RETRIEVE, "Fixed", "returns", ())


@pytest.mark.parametrize("form", ["artifact", "content"])
@pytest.mark.parametrize("writer", ["openinference", "traceloop"])
def test_documents_in_a_tool_message(form: str, writer: str) -> None:
    """A tool of LangChain returns a message: its documents are the artifact, or the content as JSON."""
    docs: list[dict[str, Any]] = [{"id": one, "page_content": TEXTS[one], "metadata": {}} for one in "ab"]
    content = "a: returns\n\nb: software" if form == "artifact" else json.dumps(docs)
    message = {"content": content, "type": "tool", "name": "search_kb", "tool_call_id": "c1"}
    if form == "artifact":
        message["artifact"] = docs
    if writer == "openinference":
        said = {"input.value": "returns", "output.value": json.dumps({"type": "tool", "data": message})}
        tool = openinference(2, 1, "TOOL", name="search_kb", attributes=said)
    else:
        path = ["langchain", "schema", "messages", "ToolMessage"]
        made = {"output": {"lc": 1, "type": "constructor", "id": path, "kwargs": message}}
        tool = traceloop(2, 1, "tool", {"inputs": {"query": "returns"}}, made, name="search_kb")
    (stage,) = only(chain(), tool).stages
    assert (stage.kind, stage.query) == (StageKind.RETRIEVE, "returns")
    assert [hit.chunk_id for hit in stage.hits or ()] == ["a", "b"]


def test_an_answer_as_haystack_writes_a_message() -> None:
    """The text of the message, its quotes and line ends as they were, and not its `repr`."""
    text = 'It\'s "30" days.\nReally.'
    message = f"ChatMessage(_role=<ChatRole.ASSISTANT: 'assistant'>, _content=[TextContent(text={text!r})], _meta={{}})"
    older = f"ChatMessage(content={text!r}, role=<ChatRole.ASSISTANT: 'assistant'>, name=None, meta={{}})"
    for one in (message, older):
        made = json.dumps({"llm": {"replies": [one]}})
        assert only(chain(**{"output.value": made})).request.answer == text


def test_what_is_only_handed_on_is_no_answer() -> None:
    """A step inside that gives back what it was given; a failed request has no answer of its inside either."""
    handed = openinference(2, 1, "CHAIN", attributes={"input.value": QUESTION, "output.value": QUESTION}, start_ms=1)
    silent = chain(**{"output.value": ""})
    assert only(silent, handed).request.answer is None
    inner = openinference(2, 1, "CHAIN", attributes={"input.value": QUESTION, "output.value": "text"}, start_ms=1)
    assert only(silent, inner).request.answer == "text"
    assert only(silent._replace(status=2), inner).request.answer is None


def test_a_query_keeps_the_number_of_its_line() -> None:
    """A retriever that was asked with "1. " before the text was asked by the model that wrote it so."""
    said = {"llm.output_messages.0.message.content": "1. return window\n2. deadline"}
    call = openinference(2, 1, "LLM", attributes=said, start_ms=1, end_ms=2)
    search = openinference(3, 1, "RETRIEVER", attributes={"input.value": "1. return window", **flat(["a"])}, start_ms=3)
    stages = only(chain(), call, search).stages
    assert [(stage.kind, stage.queries) for stage in stages[:1]] == [(StageKind.REWRITE, ("1. return window",))]


def test_dropping_doubles_or_low_scores_is_no_reranking() -> None:
    """LlamaIndex drops doubles after the search; a cut-off keeps the order and the scores: both are filters."""

    def scored(rows: list[tuple[str, float]]) -> dict[str, Any]:
        found = flat([one for one, _ in rows])
        scores = {f"retrieval.documents.{n}.document.score": score for n, (_, score) in enumerate(rows)}
        return found | scores | {"input.value": QUESTION}

    outer = openinference(2, 1, "RETRIEVER", attributes=scored([("a", 0.9), ("b", 0.8)]), start_ms=1, end_ms=9)
    inner = openinference(
        3, 2, "RETRIEVER", attributes=scored([("a", 0.9), ("b", 0.8), ("a", 0.7)]), start_ms=2, end_ms=8
    )
    assert [stage.kind for stage in only(chain(), outer, inner).stages] == [StageKind.FILTER, StageKind.RETRIEVE]

    def nodes(rows: list[tuple[str, float]]) -> list[str]:
        return [f"<NodeWithScore(node=TextNode(id_={one}), score={score})>" for one, score in rows]

    def processed(name: str, kept: list[tuple[str, float]]) -> StageKind:
        given = {"nodes": nodes([("a", 0.9), ("b", 0.8), ("c", 0.1)]), "query_bundle": {"query_str": QUESTION}}
        said = {"input.value": json.dumps(given), "output.value": json.dumps(nodes(kept))}
        return only(chain(), openinference(2, 1, "CHAIN", name=name, attributes=said)).stages[0].kind

    cutoff = "SimilarityPostprocessor._postprocess_nodes"
    assert processed(cutoff, [("a", 0.9), ("b", 0.8)]) is StageKind.FILTER
    assert processed(cutoff, [("b", 0.8), ("a", 0.9)]) is StageKind.RERANK
    assert processed(cutoff, [("a", 0.5), ("b", 0.4)]) is StageKind.RERANK
    assert processed("MyReranker._postprocess_nodes", [("a", 0.9), ("b", 0.8)]) is StageKind.RERANK


def test_a_reranker_whose_lists_are_hidden_is_one() -> None:
    """Its name says so; that its documents were hidden is said of it."""
    hidden = {"input.value": "__REDACTED__", "output.value": "__REDACTED__"}
    named = openinference(2, 1, "CHAIN", name="MyReranker._postprocess_nodes", attributes=hidden)
    (stage,) = only(chain(), named).stages
    assert (stage.kind, stage.completeness, stage.hits) == (StageKind.RERANK, Completeness.REDACTED, None)
    other = openinference(2, 1, "CHAIN", name="Compressor.run", attributes=hidden)
    assert only(chain(), other).stages == ()


def test_a_cut_list_inside_a_whole_one_counts_once() -> None:
    """The same retriever twice, one inside the other: where one list was cut, the whole one is the stage's."""
    nodes = [f"<NodeWithScore(node=TextNode(id_={one}), score=0.5)>" for one in "abc"]
    cut = json.dumps(nodes)[:120]
    whole = flat(["a", "b", "c"]) | {"input.value": QUESTION}
    short = {"input.value": QUESTION, "output.value": cut}
    for outer, inner in ((whole, short), (short, whole)):
        spans = (
            openinference(2, 1, "RETRIEVER", name="R.retrieve", attributes=outer, start_ms=1, end_ms=9),
            openinference(3, 2, "RETRIEVER", name="R._retrieve", attributes=inner, start_ms=2, end_ms=8),
        )
        (stage,) = only(chain(), *spans).stages
        assert stage.completeness is Completeness.COMPLETE
        assert [hit.chunk_id for hit in stage.hits or ()] == ["a", "b", "c"]


def test_json_that_was_cut_off_is_no_question() -> None:
    """It is neither a question nor an answer; a question that only begins like JSON is one."""
    request = only(traceloop(1, None, "workflow", {}, {}), openinference(2, 1, "RETRIEVER", attributes=flat(["a"])))
    assert request.request.question is None
    for key, text in (("input.value", '{"inputs": "How long may I'), ("output.value", '[{"answer": "30 da')):
        request = only(chain(**{key: text}))
        assert (request.request.question if key == "input.value" else request.request.answer) is None
    for text in ('{"question": "what"} is this JSON?', "[1] what does it mean", '["a"] and {', "{braces"):
        assert only(chain(**{"input.value": text})).request.question == text


def test_the_work_goes_on_after_a_query_was_written() -> None:
    """While the root is missing, what a model said before a search of unknown query is not taken for the answer."""
    said = {"llm.output_messages.0.message.content": "how long may software be returned"}
    call = openinference(2, 1, "LLM", attributes=said, start_ms=1, end_ms=2)
    search = openinference(3, 1, "RETRIEVER", attributes=flat(["a"]), start_ms=3, end_ms=4)
    assert only(call, search).request.answer is None
    last = openinference(
        4, 1, "LLM", attributes={"llm.output_messages.0.message.content": ANSWER}, start_ms=5, end_ms=6
    )
    assert only(call, search, last).request.answer == ANSWER


def langfuse(number: int, name: str, given: Any, made: Any, **fields: Any) -> Span:
    """An observation of the type "span" inside the root, as Langfuse's decorator writes it."""
    said = {"langfuse.observation.input": json.dumps(given), "langfuse.observation.output": json.dumps(made)}
    return make_span(number, 1, name=name, attributes={"langfuse.observation.type": "span", **said}, **fields)


def test_lists_among_the_arguments_of_a_function() -> None:
    """Langfuse has no kind for a reranker: it is told by its name and by the lists that it took and gave."""
    docs = [{"id": one, "content": TEXTS[one], "score": 0.4} for one in "ab"]
    better = [{"id": one, "content": TEXTS[one], "score": score} for one, score in (("b", 0.9), ("a", 0.1))]
    reranked = langfuse(2, "rerank", {"args": [QUESTION, docs], "kwargs": {}}, better)
    (stage,) = only(chain(), reranked).stages
    assert (stage.kind, stage.query, [hit.chunk_id for hit in stage.hits or ()]) == (
        StageKind.RERANK,
        QUESTION,
        ["b", "a"],
    )
    for name in ("reciprocal_rank_fusion", "rrf"):
        fused = langfuse(2, name, {"args": [docs, better, 60], "kwargs": {}}, docs)
        assert [one.kind for one in only(chain(), fused).stages] == [StageKind.FUSE]
    for name in ("refuse", "narrfy"):
        other = langfuse(2, name, {"args": [docs, better, 60], "kwargs": {}}, docs)
        assert only(chain(), other).stages == ()


def test_queries_given_as_texts_are_told_apart() -> None:
    """Chroma counts texts and embeddings of one call apart; of a call with several queries none is inferred."""
    hits = [{"db.query.result.id": one, "db.query.result.distance": 0.5} for one in "abcd"]
    two = store_query("chroma", hits, attributes={"db.chroma.query.texts_count": 2})
    assert [[hit.chunk_id for hit in stage.hits or ()] for stage in only(chain(), two).stages] == [
        ["a", "b"],
        ["c", "d"],
    ]
    three = store_query("chroma", hits, attributes={"db.chroma.query.texts_count": 3})
    silent = store_query("qdrant", [], attributes={"qdrant.search_batch.requests_count": 2})
    for span in (three, silent):
        (stage,) = only(chain(), span).stages
        assert (stage.query, stage.hits) == (None, None)
    one = store_query("qdrant", [])
    assert only(chain(), one).stages[0].query == QUESTION


def test_rows_without_an_id_keep_their_rank() -> None:
    """Id and score may both be absent in GenAI's lists; that is no reason to drop the others."""
    rows = [{"id": "a", "score": 0.4}, {"id": None}, {"id": "b"}, {}]
    said = {"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.documents": json.dumps(rows)}
    (stage,) = only(chain(), make_span(2, 1, attributes=said)).stages
    assert stage.completeness is Completeness.PARTLY_READABLE
    assert [hit.rank for hit in stage.hits or ()] == [1, 2, 3, 4]
    assert [hit.chunk_id for hit in stage.hits or ()][::2] == ["a", "b"]


def test_null_is_no_answer() -> None:
    """Writers that put every value in JSON write so that there is none."""
    said = {"mlflow.spanType": '"CHAIN"', "mlflow.spanInputs": json.dumps({"question": QUESTION})}
    root = make_span(1, None, attributes=said | {"mlflow.spanOutputs": "null"}, status=2)
    assert only(root).request.answer is None


def test_a_retriever_without_content_is_one_by_its_class() -> None:
    """Content capture is off: that its list was not recorded is said, and not that nothing was searched."""
    named = {"traceloop.span.kind": "task", "traceloop.entity.name": "VectorIndexRetriever.task"}
    root = make_span(1, None, name="q", attributes={"traceloop.span.kind": "workflow"}, end_ms=9)
    tasks = [make_span(n, n - 1, name="VectorIndexRetriever.task", attributes=named, start_ms=n) for n in (2, 3)]
    recorded = only(root, *tasks)
    (stage,) = recorded.stages
    assert (stage.kind, stage.completeness) == (StageKind.RETRIEVE, Completeness.NOT_RECORDED)
    assert recorded.request.missing[0].startswith("VectorIndexRetriever: content capture is off")


def test_a_hidden_query_is_none() -> None:
    """The word that stands in its place was asked by nobody."""
    hidden = {"reranker.query": "__REDACTED__", "input.value": "__REDACTED__"}
    recorded = only(chain(), openinference(2, 1, "RERANKER", attributes=hidden, start_ms=1))
    assert recorded.stages[0].query in (None, recorded.request.question)


def test_a_prompt_that_was_cut_is_no_question() -> None:
    """The chunk in it was cut off as the chunk itself was; what was searched for stands for the question."""
    limit = 50
    prompt = {"llm.input_messages.0.message.role": "user", "llm.input_messages.0.message.content": f"Use: {TEXTS['a']}"}
    found = {"input.value": "returns", **flat(["a"]), "output.value": "x" * 70}
    spans = (
        openinference(1, None, "CHAIN", attributes={"output.value": "y" * 70}, end_ms=100),
        openinference(2, 1, "RETRIEVER", attributes=found, start_ms=1, end_ms=5),
        openinference(3, 1, "LLM", attributes=prompt, start_ms=10, end_ms=90),
    )
    cut = [span._replace(attributes={key: value[:limit] for key, value in span.attributes.items()}) for span in spans]
    request = only(*cut).request
    assert (request.question, request.question_source) == ("returns", "inferred: the first query of a retriever")
