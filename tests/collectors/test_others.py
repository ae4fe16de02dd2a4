"""Spans of other writers, made by hand: what the recordings of tests/captures do not hold, and each rule by itself."""

from __future__ import annotations

import json
from typing import Any

import pytest
from goldrank.collectors import compose
from goldrank.collectors.dialects.facts import LOG_EVENT
from goldrank.model import Completeness, FlowSource, Outcome, RecordedRequest, ScoreKind, Span, Stage, StageKind
from other_spans import ANSWER, QUESTION, TEXTS, chain, flat, openinference, simple, store_query, traceloop_hits
from wire_spans import make_request, make_span, make_stage, span_id


def only(*spans: Span) -> RecordedRequest:
    """The one request of these spans."""
    (one,) = compose(spans)
    return one.recorded


def ids(stage: Stage) -> list[str] | None:
    """The chunk ids of a list; None where it has none."""
    return None if stage.hits is None else [hit.chunk_id for hit in stage.hits]


def named(recorded: RecordedRequest, kind: StageKind) -> Stage:
    """The one stage of this kind."""
    (stage,) = [stage for stage in recorded.stages if stage.kind is kind]
    return stage


def test_a_whole_request() -> None:
    """Question, answer, three stages; the reranker's input is the retriever's list."""
    recorded = only(*simple())
    request = recorded.request
    assert (request.question, request.question_source, request.answer) == (QUESTION, None, ANSWER)
    assert [stage.kind.value for stage in recorded.stages] == ["retrieve", "rerank", "generate"]
    rerank = named(recorded, StageKind.RERANK)
    assert ids(rerank) == ["b"]
    assert [given.stage_id for given in rerank.inputs] == [span_id(2)]
    assert rerank.flow_source is FlowSource.RECORDED
    assert request.missing == ()


def test_ranks_are_the_numbers_in_the_keys() -> None:
    """10 comes after 9, and what an exporter dropped at the top stays missing."""
    many = [f"c{n}" for n in range(12)]
    whole = openinference(2, 1, "RETRIEVER", attributes={"input.value": "q", **flat(many)})
    assert ids(named(only(chain(), whole), StageKind.RETRIEVE)) == many
    late = flat(many[8:], first=8)
    cut = openinference(2, 1, "RETRIEVER", attributes=late, name="kb", dropped_attributes=17)
    recorded = only(chain(), cut)
    stage = named(recorded, StageKind.RETRIEVE)
    assert (stage.completeness, stage.missing_top, stage.length) == (Completeness.TOP_MISSING, 8, 12)
    assert [hit.rank for hit in stage.hits or ()] == [9, 10, 11, 12]
    hint = "the exporter dropped its oldest attributes; raise OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT"
    assert recorded.request.missing == (f"kb: ranks 1 to 8 are missing: {hint}",)


def test_a_document_of_which_half_was_dropped_is_missing() -> None:
    """What is left of it names no chunk."""
    rest = {"retrieval.documents.3.document.score": 0.2, **flat(["e"], first=4)}
    cut = openinference(2, 1, "RETRIEVER", attributes=rest, dropped_attributes=9)
    stage = named(only(chain(), cut), StageKind.RETRIEVE)
    assert (stage.missing_top, ids(stage)) == (4, ["e"])


def test_dropped_documents_come_back_from_the_output() -> None:
    """LlamaIndex writes its output last, so it survives; texts are there for those ranks that were not dropped."""
    output = json.dumps([f"<NodeWithScore(node=TextNode(id_={one}), score={n / 2})>" for n, one in enumerate("abc")])
    span = openinference(
        2, 1, "RETRIEVER", attributes=flat(["c"], first=2) | {"output.value": output}, dropped_attributes=9
    )
    stage = named(only(chain(), span), StageKind.RETRIEVE)
    assert (ids(stage), stage.completeness) == (["a", "b", "c"], Completeness.COMPLETE)
    assert [(hit.score, hit.text) for hit in stage.hits or ()] == [(0.0, None), (0.5, None), (1.0, "text of c")]


def test_nothing_found_is_not_nothing_recorded() -> None:
    """Only an explicit empty list is an empty list."""
    found = openinference(2, 1, "RETRIEVER", attributes={"output.value": "[]"})
    assert ids(named(only(chain(), found), StageKind.RETRIEVE)) == []
    silent = openinference(2, 1, "RETRIEVER", name="kb", attributes={"input.value": "q"})
    recorded = only(chain(), silent)
    assert named(recorded, StageKind.RETRIEVE).completeness is Completeness.NOT_RECORDED
    assert recorded.request.missing[0].startswith("kb: no documents were sent")


def test_nested_lists_count_once() -> None:
    """A retriever around the same retriever is one stage; around two it is a fusion; a re-ordered one reranks."""
    asked = {"input.value": QUESTION}
    outer = openinference(2, 1, "RETRIEVER", name="A.retrieve", attributes=asked | flat(["a", "b"]), end_ms=50)
    inner = openinference(3, 2, "RETRIEVER", name="A._retrieve", attributes=asked | flat(["a", "b"]), start_ms=1)
    assert len(only(chain(), outer, inner).stages) == 1
    second = openinference(4, 2, "RETRIEVER", name="B", attributes=asked | flat(["b", "a"]), start_ms=2)
    other = openinference(5, 2, "RETRIEVER", name="C", attributes={"input.value": "else"} | flat(["b"]), start_ms=2)
    kinds = [stage.kind.value for stage in only(chain(), outer, second, other).stages]
    assert kinds == ["fuse", "retrieve", "retrieve"]
    assert [stage.kind.value for stage in only(chain(), outer, second).stages] == ["rerank", "retrieve"]
    fewer = openinference(2, 1, "RETRIEVER", name="A", attributes=asked | flat(["a"]), end_ms=50)
    assert [stage.kind.value for stage in only(chain(), fewer, inner).stages] == ["filter", "retrieve"]


@pytest.mark.parametrize(
    ("system", "hit", "expected"),
    [
        ("pinecone", {"score": 0.5, "metadata": "{'text': 'Hi.', 'doc_id': 'd'}"}, (0.5, "unknown", "d")),
        ("Weaviate", {"distance": 0.25, "metadata": '{"doc_id": "d"}'}, (0.25, "distance", "d")),
        ("chroma", {"distance": 1.5, "document": "Hi.", "metadata": '{"doc_id": "d"}'}, (1.5, "distance", "d")),
    ],
)
def test_clients_of_vector_stores(system: str, hit: dict[str, Any], expected: tuple[Any, ...]) -> None:
    """A hit an event; metadata as JSON or as Python writes it."""
    event = {f"db.query.result.{key}": value for key, value in {"id": "a", **hit}.items()}
    stage = named(only(chain(), store_query(system, [event])), StageKind.RETRIEVE)
    (found,) = stage.hits or ()
    assert (found.chunk_id, found.score, found.score_kind.value, found.doc_id) == ("a", *expected)


def test_queries_in_one_call_are_told_apart() -> None:
    """Milvus names the query of each hit, distances are texts; Those of Chroma are split if that divides evenly."""
    rows = [("0", "a", "0.5"), ("0", "b", "0.6"), ("1", "b", "0.1")]
    keys = ("db.search.query.id", "db.search.result.id", "db.search.result.distance")
    hits = [dict(zip(keys, row, strict=True)) for row in rows]
    recorded = only(chain(), store_query("milvus", hits, event="db.search.result"))
    assert [ids(stage) for stage in recorded.stages] == [["a", "b"], ["b"]]
    assert len({stage.stage_id for stage in recorded.stages}) == 2
    assert [stage.query for stage in recorded.stages] == [None, None]
    first = (recorded.stages[0].hits or ())[0]
    assert (first.score, first.score_kind) == (0.5, ScoreKind.DISTANCE)
    events = [{"db.query.result.id": one} for one in "abcd"]
    even = only(chain(), store_query("chroma", events, attributes={"db.chroma.query.embeddings_count": 2}))
    assert [ids(stage) for stage in even.stages] == [["a", "b"], ["c", "d"]]
    mixed = only(chain(), store_query("chroma", events[:3], attributes={"db.chroma.query.embeddings_count": 2}))
    assert [stage.completeness for stage in mixed.stages] == [Completeness.NOT_RECORDED]
    assert "2 queries are mixed" in mixed.request.missing[0]


@pytest.mark.parametrize(
    ("operation", "of_prompts", "of_completions"),
    [
        ("gen_ai.operation.name", "gen_ai.prompt", "gen_ai.completion"),
        ("llm.request.type", "llm.prompts", "llm.completions"),
    ],
)
def test_older_keys_of_model_calls(operation: str, of_prompts: str, of_completions: str) -> None:
    """Numbered prompts and completions, and the oldest names of both."""
    said = {f"{of_prompts}.0.role": "user", f"{of_prompts}.0.content": QUESTION, f"{of_completions}.0.content": ANSWER}
    request = only(make_span(1, kind=2), make_span(2, 1, attributes={operation: "chat"} | said)).request
    assert (request.question, request.answer) == (QUESTION, ANSWER)
    assert request.question_source == "inferred: the last thing that the user said to the model"


def test_a_reranker_in_genai_keys() -> None:
    """An extension of the conventions: what it was given, and what it made of it."""
    rows = [{"id": one, "score": score} for one, score in (("a", 0.2), ("b", 0.9))]
    said = {
        "gen_ai.operation.name": "rerank",
        "gen_ai.rerank.input_documents": json.dumps(rows),
        "gen_ai.rerank.output_documents": json.dumps(rows[::-1]),
    }
    found = openinference(2, 1, "RETRIEVER", attributes=flat(["a", "b"]), start_ms=1, end_ms=2)
    recorded = only(chain(), found, make_span(3, 1, name="rerank m", attributes=said, start_ms=3))
    rerank = named(recorded, StageKind.RERANK)
    assert (ids(rerank), [given.stage_id for given in rerank.inputs]) == (["b", "a"], [span_id(2)])


def test_a_log_record_says_what_its_span_does_not() -> None:
    """It may come before its span, after it, or without it."""
    messages = [{"role": "user", "parts": [{"type": "text", "content": QUESTION}]}]
    answers = [{"role": "assistant", "parts": [{"type": "text", "content": ANSWER}]}]
    attributes = {LOG_EVENT: "gen_ai.client.inference.operation.details", "gen_ai.operation.name": "chat"}
    attributes |= {"gen_ai.input.messages": messages, "gen_ai.output.messages": answers}
    call = make_span(2, 1, attributes={"gen_ai.operation.name": "chat"})
    log = make_span(9, 2, attributes=attributes)
    for spans in ((make_span(1), call, log), (log, make_span(1), call)):
        recorded = only(*spans)
        assert (recorded.request.question, recorded.request.answer) == (QUESTION, ANSWER)
        assert [stage.stage_id for stage in recorded.stages] == [span_id(2)]
    assert only(log).request.question == QUESTION


def test_a_log_record_whose_span_never_came_says_that_one_is_missing() -> None:
    """Also where the request has its lists, and the record was cut down to one of its attributes."""
    answers = [{"role": "assistant", "parts": [{"type": "text", "content": ANSWER}]}]
    attributes = {LOG_EVENT: "gen_ai.client.inference.operation.details", "gen_ai.output.messages": answers}
    log = make_span(9, 8, attributes=attributes)
    recorded = only(*simple(), log)
    assert recorded.request.missing == ("1 span missing",)
    assert only(*simple()).request.missing == ()


def test_cut_json_gives_what_is_certain() -> None:
    """Whole documents before the cut; of the last one only where its id is known."""
    whole = traceloop_hits(["a", "b"])
    span = {"traceloop.span.kind": "task", "gen_ai.operation.name": "vector_db_retrieve", "traceloop.entity.name": "R"}
    for length in range(len(whole)):
        retriever = make_span(2, 1, attributes=span | {"traceloop.entity.output": whole[:length]})
        stage = named(only(chain(), retriever), StageKind.RETRIEVE)
        assert ids(stage) in (None, ["a"], ["a", "b"])
        if whole[:length].startswith('{"documents": ['):
            assert stage.completeness is Completeness.TRUNCATED


def test_a_tool_that_returns_documents_is_a_retriever() -> None:
    """One that returns a text is a tool; one that was asked for nothing is an ordinary step."""
    documents = json.dumps([{"chunk_id": "a", "text": TEXTS["a"], "score": 0.5}])

    def call(name: str, arguments: str, result: str) -> Stage:
        attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name}
        attributes |= {"gen_ai.tool.call.arguments": arguments, "gen_ai.tool.call.result": result}
        (stage,) = only(chain(), make_span(2, 1, attributes=attributes)).stages
        return stage

    found = call("find", '{"search_query": "returns"}', documents)
    assert (found.kind, found.query, ids(found)) == (StageKind.RETRIEVE, "returns", ["a"])
    assert call("kb", '{"query": "returns"}', "30 days").kind is StageKind.TOOL
    assert call("weather", '{"city": "Bonn"}', "rain").kind is StageKind.OTHER


def test_several_requests_under_one_web_server() -> None:
    """A server that nobody knows is split where more than one step inside it was asked something."""
    server = make_span(1, kind=2, name="POST /batch", end_ms=100)
    asked = [
        openinference(n, 1, "CHAIN", attributes={"input.value": f"question {n}?"}, start_ms=n, end_ms=n + 1)
        for n in (2, 3)
    ]
    inner = openinference(4, 3, "RETRIEVER", attributes={"input.value": "q", **flat(["a"])}, start_ms=3)
    composed = [one.recorded for one in compose((server, *asked, inner))]
    assert [one.request.question for one in composed] == ["question 2?", "question 3?"]
    assert [len(one.stages) for one in composed] == [0, 1]
    assert [one.request.question for one in [only(server, asked[0])]] == ["question 2?"]


def test_what_only_prepares_is_no_request() -> None:
    """Filling an index, making an agent: kept as spans, and no question was asked."""
    add = make_span(1, name="chroma.add", attributes={"db.system": "chroma", "db.operation": "add"})
    agent = make_span(1, attributes={"gen_ai.operation.name": "create_agent"})
    assert compose([add]) == () == compose([agent])
    assert len(compose([add, make_span(2, 1, attributes={"gen_ai.operation.name": "chat"})])) == 1


def test_the_steps_that_fill_an_index_are_no_requests() -> None:
    """Embeddings alone, LlamaIndex's splitters, Haystack's writers; beside a question they are steps like others."""
    texts = {"embedding.embeddings.0.embedding.text": "a text", "input.value": '{"texts": ["a text"]}'}
    embedding = openinference(2, None, "EMBEDDING", name="OpenAIEmbedding.get_text_embedding_batch", attributes=texts)
    nodes = {"input.value": '{"text": "a text about refunds"}'}
    splitter = openinference(2, None, "CHAIN", name="SentenceSplitter.__call__", attributes=nodes)
    pipeline = openinference(1, None, "CHAIN", name="Pipeline.run", attributes={"input.value": '{"writer": {}}'})
    writer = openinference(2, 1, "CHAIN", name="DocumentWriter.run", attributes=nodes)
    own = make_span(2, name="haystack.component.run", attributes={"haystack.component.type": "DocumentWriter"})
    for spans in ([embedding], [splitter], [pipeline, writer], [own]):
        assert compose(spans) == ()
    assert only(chain(), writer).request.question == QUESTION
    query = openinference(2, 1, "EMBEDDING", attributes=texts)
    assert only(chain(), query).request.question == QUESTION


def test_two_lists_given_come_from_two_steps() -> None:
    """Also where both legs found the same, or one the beginning of the other."""
    first = openinference(2, 1, "RETRIEVER", name="bm25", attributes=flat(["a", "b"], score=7.0), end_ms=10)
    second = openinference(3, 1, "RETRIEVER", name="dense", attributes=flat(["a", "b", "c"], score=0.5), end_ms=20)

    def documents(names: str, score: float) -> list[dict[str, Any]]:
        return [{"id": name, "content": TEXTS.get(name, f"text of {name}"), "score": score} for name in names]

    given = {"documents": [documents("ab", 7.0), documents("abc", 0.5)]}
    joiner = make_span(
        4,
        1,
        name="haystack.component.run",
        start_ms=30,
        attributes={
            "haystack.component.type": "DocumentJoiner",
            "haystack.component.input": json.dumps(given),
            "haystack.component.output": json.dumps({"documents": documents("abc", 0.1)}),
        },
    )
    fused = named(only(chain(), first, second, joiner), StageKind.FUSE)
    assert [(found.stage_id, found.depth) for found in fused.inputs] == [(span_id(2), None), (span_id(3), None)]


def test_errors_say_type_and_message() -> None:
    """Once, from the deepest span, without the stack trace."""
    message = "TimeoutError('no answer in 2 s')Traceback (most recent call last):\n  File x"
    root = chain()._replace(status=2, status_message=message)
    failed = openinference(2, 1, "RETRIEVER", attributes={"input.value": "q"}, status=2, status_message=message)
    recorded = only(root, failed)
    assert (recorded.request.outcome, recorded.request.error) == (Outcome.ERROR, "TimeoutError: no answer in 2 s")
    assert [stage.error for stage in recorded.stages] == ["TimeoutError: no answer in 2 s"]
    assert recorded.request.missing == ()


def test_beside_goldranks_own_spans() -> None:
    """In a request of the shim, steps of other instrumentations are stages, too; inside a stage of the shim they are
    the shim's business, and the header stays the shim's."""
    found = openinference(3, 1, "RETRIEVER", name="kb", attributes={"input.value": "q", **flat(["a"])}, start_ms=2)
    inside = openinference(4, 2, "RETRIEVER", name="inner", attributes=flat(["b"]), start_ms=1)
    recorded = only(make_request(1), make_stage(2, 1, hits=[{"id": "b"}]), found, inside)
    assert [stage.name for stage in recorded.stages] == ["span 2", "kb"]
    assert recorded.request.question == "how?"


def test_an_unknown_span_with_documents_is_a_retriever() -> None:
    """By the names of its attributes and the shape of their values; a list of anything else is left alone."""
    documents = json.dumps([{"id": "a", "content": TEXTS["a"], "score": 0.5}])
    span = make_span(2, 1, name="vector search", attributes={"query": "returns", "documents": documents})
    stage = named(only(make_span(1, attributes={"app.question": QUESTION}), span), StageKind.RETRIEVE)
    assert (stage.query, ids(stage)) == ("returns", ["a"])
    orders = make_span(2, 1, attributes={"results": json.dumps([{"order": 7, "total": 3}])})
    assert only(make_span(1), orders).stages == ()


def test_ids_are_shared_by_text() -> None:
    """A list without ids and a list with ids hold the same chunk where the text is the same, if only one id has it."""
    bare = {key: value for key, value in flat(["b", "a"]).items() if not key.endswith(".id")}
    spans = (
        chain(),
        openinference(2, 1, "RETRIEVER", name="one", attributes={"input.value": "q", **flat(["a", "b"])}, start_ms=1),
        openinference(3, 1, "RETRIEVER", name="two", attributes={"input.value": "q", **bare}, start_ms=2),
    )
    assert [ids(stage) for stage in only(*spans).stages] == [["a", "b"], ["b", "a"]]
