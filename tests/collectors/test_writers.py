"""Keys of single writers that no recording holds: older and newer names, other forms of the same value."""

from __future__ import annotations

import json
from typing import Any

import pytest
from goldrank.collectors import compose
from goldrank.collectors.dialects.facts import LOG_BODY, LOG_EVENT
from goldrank.model import Completeness, Outcome, RecordedRequest, ScoreKind, Span, SpanEvent, Stage, StageKind
from other_spans import ANSWER, QUESTION, TEXTS, chain, flat, openinference
from wire_spans import make_span, span_id

OPERATION = "gen_ai.operation.name"
ROWS = [{"id": "a", "score": 0.9}, {"id": "b", "score": 0.5}]


def only(*spans: Span) -> RecordedRequest:
    """The one request of these spans."""
    (one,) = compose(spans)
    return one.recorded


def stage(*spans: Span) -> Stage:
    """The one stage below a chain."""
    (one,) = only(chain(), *spans).stages
    return one


def ids(found: Stage) -> list[str] | None:
    """The chunk ids of a list; None where it has none."""
    return None if found.hits is None else [hit.chunk_id for hit in found.hits]


def said(role: str, *texts: str) -> dict[str, Any]:
    """A message as GenAI's conventions have it."""
    return {"role": role, "parts": [{"type": "text", "content": text} for text in texts]}


@pytest.mark.parametrize(
    "attributes",
    [
        {"gen_ai.retrieval.documents": json.dumps(ROWS).encode()},
        {"gen_ai.retrieval.documents": [json.dumps(row) for row in ROWS]},
        {f"gen_ai.retrieval.documents.{n}.{key}": row[key] for n, row in enumerate(ROWS) for key in row},
    ],
)
def test_forms_of_genais_documents(attributes: dict[str, Any]) -> None:
    """JSON as bytes, a list of JSON texts, an attribute for each field."""
    found = stage(make_span(2, 1, attributes={OPERATION: "retrieval"} | attributes))
    assert ids(found) == ["a", "b"]
    assert [hit.score for hit in found.hits or ()] == [0.9, 0.5]


def test_where_a_retrieval_searched_and_with_which_model() -> None:
    """The store's address where nothing else names it."""
    attributes = {OPERATION: "retrieval", "server.address": "vectors", "gen_ai.request.model": "e5"}
    found = stage(make_span(2, 1, attributes=attributes))
    assert (found.index, found.embedding_model) == ("vectors", "e5")
    named = attributes | {"gen_ai.data_source.id": "kb", "gen_ai.provider.name": "chroma"}
    assert stage(make_span(2, 1, attributes=named)).index == "kb"


@pytest.mark.parametrize(
    ("word", "kind"), [("LLM", StageKind.GENERATE), ("EMBEDDING", StageKind.EMBED), ("RETRIEVER", StageKind.RETRIEVE)]
)
def test_kinds_of_the_extension(word: str, kind: StageKind) -> None:
    """Of `gen_ai.span.kind`, where no operation is named."""
    assert stage(make_span(2, 1, attributes={"gen_ai.span.kind": word})).kind is kind


def test_the_one_list_of_a_reranker() -> None:
    """With scores it is what was made, without them what was given."""
    attributes = {"gen_ai.span.kind": "RERANKER", "gen_ai.rerank.query": "q", "gen_ai.rerank.top_n": 2}
    scored = stage(make_span(2, 1, attributes=attributes | {"gen_ai.rerank.documents": json.dumps(ROWS[::-1])}))
    assert (ids(scored), scored.query, scored.top_k) == (["b", "a"], "q", 2)
    given = json.dumps([{"id": row["id"]} for row in ROWS])
    bare = stage(make_span(2, 1, attributes=attributes | {"gen_ai.rerank.documents": given}))
    assert (ids(bare), bare.completeness) == (None, Completeness.NOT_RECORDED)


def test_coheres_reranker_in_the_keys_of_a_model_call() -> None:
    """Its answers name the documents by their places, best first; it is no model call, and answers nobody."""
    texts = [TEXTS["a"], TEXTS["b"], "Gift cards are final."]
    attributes: dict[str, Any] = {"llm.request.type": "rerank", "gen_ai.request.model": "rerank-3"}
    attributes |= {f"gen_ai.prompt.{n}.content": text for n, text in enumerate([*texts, QUESTION])}
    attributes |= {"gen_ai.prompt.3.role": "user"}
    attributes |= {
        f"gen_ai.completion.{n}.content": f"Doc {place}, Score: {0.9 - n / 10}" for n, place in enumerate((1, 0))
    }
    found = openinference(
        2, 1, "RETRIEVER", attributes={"input.value": QUESTION} | flat(["a", "b"]), start_ms=1, end_ms=2
    )
    recorded = only(make_span(1, kind=2, end_ms=99), found, make_span(3, 1, attributes=attributes, start_ms=5))
    rerank = recorded.stages[1]
    assert (rerank.kind, rerank.query, rerank.model) == (StageKind.RERANK, QUESTION, "rerank-3")
    assert [(hit.rank, hit.chunk_id, hit.score, hit.score_kind) for hit in rerank.hits or ()] == [
        (1, "b", 0.9, ScoreKind.RERANK),
        (2, "a", 0.8, ScoreKind.RERANK),
    ]
    assert recorded.request.answer is None


def test_an_answer_that_a_chain_wrote_into_a_message() -> None:
    """Its output as JSON; an object of the app's own stays as it is."""

    def answer(text: str) -> str | None:
        attributes = {OPERATION: "invoke_workflow", "gen_ai.input.messages": json.dumps([said("user", QUESTION)])}
        attributes["gen_ai.output.messages"] = json.dumps([said("assistant", text)])
        return only(make_span(1, attributes=attributes)).request.answer

    assert answer(json.dumps({"answer": ANSWER})) == ANSWER
    assert answer('{"days": 30}') == '{"days": 30}'


@pytest.mark.parametrize("form", ["map", "text"])
def test_the_body_of_a_log_record(form: str) -> None:
    """Its messages may stand in the body in place of the attributes."""
    body: Any = {
        "gen_ai.input.messages": [said("user", QUESTION)],
        "gen_ai.output.messages": [said("assistant", ANSWER)],
    }
    body = json.dumps(body) if form == "text" else body
    attributes = {LOG_EVENT: "gen_ai.client.inference.operation.details", LOG_BODY: body}
    call = make_span(2, 1, attributes={OPERATION: "chat"})
    request = only(make_span(1, end_ms=99), call, make_span(9, 2, attributes=attributes)).request
    assert (request.question, request.answer) == (QUESTION, ANSWER)


def test_a_log_record_says_what_a_call_failed_with() -> None:
    """Where the span only says that it failed."""
    attributes = {LOG_EVENT: "gen_ai.client.operation.exception"}
    attributes |= {"exception.type": "TimeoutError", "exception.message": "no answer"}
    call = make_span(2, 1, attributes={OPERATION: "chat"}, status=2)
    recorded = only(chain()._replace(status=2), call, make_span(9, 2, attributes=attributes))
    assert [one.error for one in recorded.stages] == ["TimeoutError: no answer"]
    assert recorded.request.error == "TimeoutError: no answer"


def test_messages_of_a_call_as_a_list_of_events() -> None:
    """pydantic-ai once wrote them into one attribute."""
    events = [
        {"event.name": "gen_ai.user.message", "role": "user", "content": QUESTION},
        {"event.name": "gen_ai.choice", "index": 0, "message": {"role": "assistant", "content": ANSWER}},
    ]
    call = make_span(2, 1, attributes={OPERATION: "chat", "events": json.dumps(events)})
    request = only(make_span(1, kind=2, end_ms=99), call).request
    assert (request.question, request.answer) == (QUESTION, ANSWER)


def test_a_tool_in_older_keys() -> None:
    """Without an operation it is known by what it was given and returned."""
    attributes = {"gen_ai.tool.name": "search_kb", "tool_arguments": '{"query": "returns"}'}
    attributes["tool_response"] = json.dumps([{"id": "a", "text": TEXTS["a"], "score": 0.5}])
    found = stage(make_span(2, 1, name="running tool", attributes=attributes))
    assert (found.kind, found.name, found.query, ids(found)) == (StageKind.RETRIEVE, "search_kb", "returns", ["a"])


def agent(messages: list[dict[str, Any]], **more: Any) -> RecordedRequest:
    """A run of pydantic-ai."""
    attributes = {OPERATION: "invoke_agent", "pydantic_ai.all_messages": json.dumps(messages), "final_result": ANSWER}
    return only(make_span(1, attributes=attributes | more))


def test_the_question_of_an_agents_run() -> None:
    """What was said before its first reply: later texts of the user's role are the agent's own. Of several parts the
    last; of an earlier conversation nothing."""
    again, reply = said("user", "Validation failed: fix it."), said("assistant", ANSWER)
    messages = [
        said("user", "Do you sell laptops?"),
        said("assistant", "Yes."),
        said("user", QUESTION),
        reply,
        again,
        reply,
    ]
    later = agent(messages, **{"pydantic_ai.new_message_index": 2}).request
    assert later.question == QUESTION
    assert [message.text for message in later.history] == ["Do you sell laptops?", "Yes."]
    first = [said("system", "Be kind."), said("user", "What we know: ...", QUESTION), reply, again, reply]
    assert agent(first, **{"gen_ai.conversation.id": "c"}).request.question == QUESTION
    counted = [said("system", "Be kind."), *messages]  # what the run counts as one is two here
    assert agent(counted, **{"pydantic_ai.new_message_index": 2}).request.question == QUESTION


@pytest.mark.parametrize("messages", [None, 7, "", [None], [{"role": "user", "content": "q", "parts": 7}]])
def test_spoilt_messages_of_a_run_raise_nothing(messages: Any) -> None:
    """The answer is read all the same."""
    attributes = {OPERATION: "invoke_agent", "pydantic_ai.all_messages": messages, "final_result": ANSWER}
    assert only(make_span(1, None, attributes=attributes)).request.answer == ANSWER


def test_an_answer_that_is_an_object() -> None:
    """What an agent returned is its answer, whatever its fields are called."""
    assert agent([said("user", QUESTION)], final_result='{"days": 30}').request.answer == '{"days": 30}'


def langfuse(number: int, parent: int | None, kind: str, **said: Any) -> Span:
    """An observation."""
    attributes = {"langfuse.observation.type": kind, **{key.replace("__", "."): value for key, value in said.items()}}
    return make_span(number, parent, attributes=attributes)


def test_langfuse_says_what_the_whole_trace_was_asked() -> None:
    """Rather than what the function around everything was given; on whichever span it stands."""
    inner = {"langfuse__trace__input": QUESTION, "langfuse__trace__output": ANSWER}
    root = langfuse(
        1, None, "span", langfuse__observation__input='{"args": ["x"]}', langfuse__observation__output="raw"
    )
    request = only(root, langfuse(2, 1, "span", **inner)).request
    assert (request.question, request.answer, request.question_source) == (QUESTION, ANSWER, None)


def test_langfuses_level_is_an_error() -> None:
    """Also where the span's own status says nothing; of the root it is the request's."""
    failed = {"langfuse__observation__level": "ERROR", "langfuse__observation__status_message": "boom"}
    recorded = only(langfuse(1, None, "span"), langfuse(2, 1, "retriever", **failed))
    assert (recorded.stages[0].outcome, recorded.stages[0].error) == (Outcome.ERROR, "boom")
    assert (recorded.request.outcome, recorded.request.missing) == (Outcome.OK, ())
    request = only(langfuse(1, None, "span", **failed), langfuse(2, 1, "retriever")).request
    assert (request.outcome, request.error) == (Outcome.ERROR, "boom")


def test_environment_and_version_in_other_keys() -> None:
    """The resource counts first, then the writer's own keys."""
    root = langfuse(1, None, "span", langfuse__environment="prod", langfuse__release="7")
    request = only(root._replace(resource={"service.name": "bot"})).request
    assert (request.environment, request.app_version) == ("prod", "7")
    assert only(root).request.environment == "test"
    older = chain()._replace(resource={"service.name": "bot", "deployment.environment": "stage"})
    assert only(older).request.environment == "stage"


@pytest.mark.parametrize(
    "attributes",
    [
        {"gen_ai.usage.input_tokens": 1200, "gen_ai.usage.output_tokens": 30},
        {"gen_ai.usage.prompt_tokens": 1200, "gen_ai.usage.completion_tokens": 30},
        {"llm.token_count.prompt": 1200, "llm.token_count.completion": 30},
        {"langfuse.observation.usage_details": '{"input": 1200, "output": 30}'},
        {"mlflow.chat.tokenUsage": '{"input_tokens": 1200, "output_tokens": 30}'},
    ],
)
def test_tokens_of_a_model_call(attributes: dict[str, Any]) -> None:
    """In and out, whoever counts them; a search has none."""
    assert stage(make_span(2, 1, attributes={OPERATION: "chat"} | attributes)).notes["tokens"] == "1,200 in, 30 out"
    assert "tokens" not in stage(make_span(2, 1, attributes={OPERATION: "retrieval"} | attributes)).notes


def test_a_stream_of_mlflow() -> None:
    """An answer that came piece by piece; one of which a piece is missing is none."""
    events = tuple(
        SpanEvent(f"mlflow.chunk.item.{n}", n, {"mlflow.chunk.value": json.dumps(one)})
        for n, one in enumerate(("30 ", "days."))
    )
    root = make_span(
        1,
        attributes={"mlflow.spanType": '"CHAIN"', "mlflow.spanInputs": json.dumps({"question": QUESTION})},
        events=events,
    )
    assert only(root).request.answer == ANSWER
    assert only(root._replace(dropped_events=1)).request.answer is None


def test_traceloop_counts_nothing() -> None:
    """A count of 0 is an empty list; inputs and outputs in the newer keys alone are read."""
    task = {"traceloop.span.kind": "task", OPERATION: "vector_db_retrieve"}
    empty = stage(make_span(2, 1, attributes=task | {"traceloop.entity.output": '{"count": 0}'}))
    assert (ids(empty), empty.completeness) == ([], Completeness.COMPLETE)
    documents = {"documents": [{"page_content": TEXTS["a"], "metadata": {"chunk_id": "a"}}], "count": 1}
    newer = {"gen_ai.task.input": '{"query": "q"}', "gen_ai.task.output": json.dumps(documents)}
    found = stage(make_span(2, 1, attributes=task | newer))
    assert (found.query, ids(found)) == ("q", ["a"])


def test_what_openinference_says_elsewhere() -> None:
    """Session and user of a run, a tool's name, the model of a call that names it among its parameters."""
    request = only(chain(metadata='{"thread_id": "t", "user_id": "u"}')).request
    assert (request.session, request.user) == ("t", "u")
    assert only(chain(**{"metadata": '{"session_id": "t"}', "session.id": "s"})).request.session == "s"
    tool = openinference(
        2, 1, "TOOL", name="FunctionTool.call", attributes={"tool.name": "search_kb", "input.value": "q"}
    )
    assert stage(tool).name == "search_kb"
    call = openinference(2, 1, "LLM", attributes={"llm.invocation_parameters": '{"model": "m", "temperature": 0}'})
    assert stage(call).model == "m"


def test_what_a_search_of_haystack_was_asked() -> None:
    """Its filter, and the model that a generator names beside its reply."""
    base = {"haystack.component.name": "x"}
    search = {
        "haystack.component.type": "InMemoryBM25Retriever",
        "haystack.component.input": json.dumps({"query": "q", "filters": {"lang": "en"}}),
    }
    assert stage(make_span(2, 1, attributes=base | search)).filters == {"lang": "en"}
    made = {"replies": [ANSWER], "meta": [{"model": "m"}]}
    call = {"haystack.component.type": "OpenAIGenerator", "haystack.component.output": json.dumps(made)}
    found = stage(make_span(2, 1, attributes=base | call))
    assert (found.model, found.text, found.stage_id) == ("m", ANSWER, span_id(2))


def observed(made: Any) -> Stage:
    """A retriever of Langfuse that returned this."""
    return stage(langfuse(2, 1, "retriever", langfuse__observation__output=json.dumps(made)))


def test_a_list_of_ids() -> None:
    """Texts without a space are ids, alone or with a score; where one of them may be a passage, all are."""
    assert ids(observed(["refunds#0", "refunds#1"])) == ["refunds#0", "refunds#1"]
    pairs = observed([["refunds#0", 2.5], ["refunds#1", -1]])
    assert [(hit.chunk_id, hit.score) for hit in pairs.hits or ()] == [("refunds#0", 2.5), ("refunds#1", -1.0)]
    texts = observed(["Returns.", "Within 30 days."]).hits or ()
    assert [hit.text for hit in texts] == ["Returns.", "Within 30 days."]
    assert [hit.text for hit in observed(["返品は14日以内です。"]).hits or ()] == ["返品は14日以内です。"]


def test_metadata_that_stand_beside_the_text() -> None:
    """Where a document has no place of its own for them; its vector is none of them."""
    row = {"id": "a", "content": TEXTS["a"], "score": 0.5, "source": "s", "page": 3, "embedding": [0.1], "title": None}
    (hit,) = observed([row]).hits or ()
    assert (hit.metadata, hit.doc_id) == ({"source": "s", "page": 3}, "s")
    node = {"node": {"id_": "a", "text": TEXTS["a"], "metadata": {}, "class_name": "TextNode"}, "score": 0.5}
    (hit,) = observed([node]).hits or ()
    assert hit.metadata == {}


def test_the_stores_own_id_in_the_metadata() -> None:
    """Counts where the document has no other."""
    place = "retrieval.documents.0.document"
    bare = {f"{place}.content": TEXTS["a"], f"{place}.metadata": '{"_id": "p1"}'}
    assert ids(stage(openinference(2, 1, "RETRIEVER", attributes=bare))) == ["p1"]
    assert ids(stage(openinference(2, 1, "RETRIEVER", attributes=bare | {f"{place}.id": "a"}))) == ["a"]
    named = bare | {f"{place}.metadata": '{"_id": "p1", "chunk_id": "c"}'}
    assert ids(stage(openinference(2, 1, "RETRIEVER", attributes=named))) == ["c"]


@pytest.mark.parametrize(
    "written",
    [
        "[<NodeWithScore(node=TextNode(id_=a), score=0.5)>, <NodeWithScore(node=TextNode(id_=b), score=0.25)>]",
        "[Document(id=a, content: 'x), y', score: 0.5), Document(id=b, content: 'z', score: 0.25)]",
        json.dumps([{"document.id": "a", "document.score": 0.5}, {"document.id": "b", "document.score": 0.25}]),
    ],
)
def test_a_list_written_down_as_a_whole(written: str) -> None:
    """As Python writes it, or with OpenInference's names inside one value."""
    found = stage(openinference(2, 1, "RETRIEVER", attributes={"output.value": written}))
    assert [(hit.chunk_id, hit.score) for hit in found.hits or ()] == [("a", 0.5), ("b", 0.25)]


def test_a_list_that_holds_something_else_is_none() -> None:
    """Half of it would be a wrong list."""
    written = "[<NodeWithScore(node=TextNode(id_=a), score=0.5)>, <Other(x)>]"
    assert ids(stage(openinference(2, 1, "RETRIEVER", attributes={"output.value": written}))) is None


def test_a_reranker_that_was_given_texts_alone() -> None:
    """Its input is the list of the retriever that found them."""
    bare = {
        key: value for key, value in flat(["a", "b"], "reranker.input_documents").items() if not key.endswith(".id")
    }
    found = openinference(2, 1, "RETRIEVER", attributes=flat(["a", "b"]), start_ms=1, end_ms=2)
    made = flat(["b"], "reranker.output_documents")
    recorded = only(chain(), found, openinference(3, 1, "RERANKER", attributes=bare | made, start_ms=5))
    assert [given.stage_id for given in recorded.stages[1].inputs] == [span_id(2)]


@pytest.mark.parametrize(
    "written",
    [
        (
            "[HumanMessage(content='hi', additional_kwargs={}, response_metadata={}), "
            'AIMessage(content="it\'s so", additional_kwargs={}, response_metadata={}, tool_calls=[])]'
        ),
        [["hi", "it's so"]],
        "Human: hi\nAI: it's so",
        ["user: hi", "assistant: it's so"],
        [
            {"role": role, "blocks": [{"block_type": "text", "text": text}]}
            for role, text in (("user", "hi"), ("assistant", "it's so"))
        ],
        [["human", "hi"], ["ai", "it's so"]],
        [
            f"ChatMessage(role=<MessageRole.{role}: '{role.lower()}'>, additional_kwargs={{}}, "
            f"blocks=[TextBlock(block_type='text', text={text!r})])"
            for role, text in (("USER", "hi"), ("ASSISTANT", "it's so"))
        ],
    ],
)
def test_writings_of_an_earlier_conversation(written: Any) -> None:
    """Messages as Python writes them, pairs, lines with names."""
    request = only(chain(**{"input.value": json.dumps({"input": QUESTION, "chat_history": written})})).request
    assert request.question == QUESTION
    assert [(one.role, one.text) for one in request.history] == [("user", "hi"), ("assistant", "it's so")]


def test_plain_text_stays_as_it_was_written() -> None:
    """A question in quotes, an answer that is JSON, where the writer says that they are plain."""
    plain = {"input.mime_type": "text/plain", "output.mime_type": "text/plain"}
    request = only(chain(**{"input.value": '"refund policy"', "output.value": '{"days": 30}', **plain})).request
    assert (request.question, request.answer) == ('"refund policy"', '{"days": 30}')
    wrapped = only(chain(**{"input.value": '{"query": "refunds"}', "output.value": '{"answer": "30"}'})).request
    assert (wrapped.question, wrapped.answer) == ("refunds", "30")


def test_a_prompt_written_by_hand() -> None:
    """The plain text that a call was given; arguments in JSON are no prompt."""

    def prompt(given: str) -> list[str]:
        found = stage(openinference(2, 1, "LLM", attributes={"input.value": given, "output.value": ANSWER}))
        return [message.text for message in found.prompt or ()]

    assert prompt("Use this: ...") == ["Use this: ..."]
    assert prompt('{"prompt_args": {"x": 1}}') == []


def test_a_prompt_without_its_first_messages() -> None:
    """Where the exporter dropped them, the prompt is not whole, and it is said."""
    row = {"llm.input_messages.5.message.role": "user", "llm.input_messages.5.message.content": QUESTION}
    recorded = only(chain(), openinference(2, 1, "LLM", name="Chat", attributes=row, dropped_attributes=9))
    assert recorded.stages[0].completeness is Completeness.TRUNCATED
    assert any(words.startswith("Chat: its first messages are missing") for words in recorded.request.missing)


def test_what_keeps_a_stream_calls_no_model() -> None:
    """LlamaIndex has a step of a model's kind that only writes down what came."""
    name = "StreamingAgentChatResponse.write_response_to_history"
    kept = openinference(2, 1, "LLM", name=name, attributes={"input.value": '{"memory": "Memory()"}'})
    assert only(chain(), kept).stages == ()
