"""Spans as the instrumentors of Bedrock, DSPy and LiteLLM send them: attributes as they were seen, values shortened."""

from __future__ import annotations

import json
from typing import Any

import pytest
from goldrank.collectors import compose
from goldrank.model import Completeness, RecordedRequest, Span
from other_spans import ANSWER, QUESTION, TEXTS, openinference
from wire_spans import make_request, make_stage

NO_RETRIEVAL = "no retrieval was recorded: put @goldrank.retrieve on the function that searches"


def only(*spans: Span) -> RecordedRequest:
    """The one request of these spans."""
    (one,) = compose(spans)
    return one.recorded


def completion(number: int, parent: int | None = None) -> Span:
    """A call of LiteLLM's completion."""
    said = {
        "llm.model_name": "openai/gpt-fake",
        "llm.input_messages.0.message.role": "system",
        "llm.input_messages.0.message.content": f"Answer from:\n{TEXTS['a']}",
        "llm.input_messages.1.message.role": "user",
        "llm.input_messages.1.message.content": QUESTION,
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": ANSWER,
        "output.value": ANSWER,
    }
    return openinference(number, parent, "LLM", name="completion", attributes=said, start_ms=10, end_ms=90)


# ---- a model call beside goldrank's own stages ------------------------------------------------------


@pytest.mark.parametrize("kind", ["retrieve", "rerank", "fuse", "filter", "tool"])
def test_a_search_of_our_own_is_a_retrieval(kind: str) -> None:
    """Where `@goldrank.retrieve` is on the function that searches, nobody asks for it."""
    search = make_stage(2, 1, kind, hits=[{"id": "a", "text": 0}], start_ms=1)
    recorded = only(make_request(1, question=QUESTION), search, completion(3, 1))
    assert [stage.kind.value for stage in recorded.stages] == [kind, "generate"]
    assert NO_RETRIEVAL not in recorded.request.missing


@pytest.mark.parametrize("kind", ["rewrite", "assemble", "guard"])
def test_another_stage_of_our_own_is_none(kind: str) -> None:
    """A model answered, and nothing was searched: the page says what to do."""
    recorded = only(make_request(1, question=QUESTION), make_stage(2, 1, kind, start_ms=1), completion(3, 1))
    assert recorded.request.missing == (NO_RETRIEVAL,)


# ---- Bedrock ----------------------------------------------------------------------------------------


def passages(*names: str, score: float | None = None) -> dict[str, Any]:
    """Documents of a knowledge base, in rank order."""
    found: dict[str, Any] = {}
    for place, name in enumerate(names):
        where = f"retrieval.documents.{place}.document"
        inner = {"x-amz-bedrock-kb-chunk-id": f"1%3A0%3A{name}", "x-amz-bedrock-kb-data-source-id": "DS", "lang": "en"}
        location = {"type": "S3", "s3Location": {"uri": f"s3://kb/{name}.md"}}
        found[f"{where}.id"] = inner["x-amz-bedrock-kb-chunk-id"]
        found[f"{where}.content"] = TEXTS.get(name, f"text of {name}")
        if score is not None:
            found[f"{where}.score"] = score
        found[f"{where}.metadata"] = json.dumps({"location": location, "metadata": inner, "type": "TEXT"})
    return found


def retrieve(number: int, parent: int | None, attributes: dict[str, Any], **fields: Any) -> Span:
    """Bedrock's Retrieve."""
    search = {"numberOfResults": 2, "filter": {"equals": {"key": "lang", "value": "en"}}}
    asked = {"knowledgeBaseId": "KB12345678", "retrieval_configuration": {"vectorSearchConfiguration": search}}
    said = {"input.value": QUESTION, "llm.invocation_parameters": json.dumps(asked)} | attributes
    fields = {"status": 1, "start_ms": 1, "end_ms": 5} | fields
    return openinference(number, parent, "RETRIEVER", name="bedrock.retrieve", attributes=said, **fields)


def test_bedrock_retrieve() -> None:
    """Knowledge base, depth, filter; each passage with the document where it lies and the metadata of its own."""
    recorded = only(make_request(1, question=QUESTION), retrieve(2, 1, passages("a", "b", score=0.5)))
    (stage,) = recorded.stages
    assert (stage.query, stage.index, stage.top_k) == (QUESTION, "KB12345678", 2)
    assert stage.filters == {"equals": {"key": "lang", "value": "en"}}
    assert [(hit.chunk_id, hit.doc_id, hit.score) for hit in stage.hits or ()] == [
        ("1%3A0%3Aa", "s3://kb/a.md", 0.5),
        ("1%3A0%3Ab", "s3://kb/b.md", 0.5),
    ]
    assert (stage.hits or ())[0].metadata["lang"] == "en"


def test_metadata_of_one_length_are_not_cut() -> None:
    """Those of a knowledge base are mostly alike in length; texts that were cut are not whole objects."""
    names = [f"c{n}" for n in range(5)]
    assert len({len(value) for key, value in passages(*names).items() if key.endswith("metadata")}) == 1
    said = {**passages(*names), "llm.invocation_parameters": "{}"}
    assert only(retrieve(2, None, said)).request.missing == ()
    cut = {key: value[:120] for key, value in said.items()}
    assert "texts were cut at 120 characters" in only(retrieve(2, None, cut)).request.missing[-1]


@pytest.mark.parametrize(("status", "dropped", "found"), [(1, 0, ()), (0, 0, None), (1, 3, None)])
def test_bedrock_found_nothing(status: int, dropped: int, found: tuple[()] | None) -> None:
    """A call that ended well and sent no passage found none; of another one it is not known."""
    span = retrieve(2, 1, {}, status=status, dropped_attributes=dropped)
    (stage,) = only(make_request(1, question=QUESTION), span).stages
    assert stage.hits == found


def retrieve_and_generate(attributes: dict[str, Any], parent: int | None = None) -> Span:
    """Bedrock's RetrieveAndGenerate."""
    base = {"knowledgeBaseId": "KB12345678", "modelArn": "arn:claude"}
    base["retrievalConfiguration"] = {"vectorSearchConfiguration": {"numberOfResults": 5}}
    asked = {"retrieveAndGenerateConfiguration": {"type": "KNOWLEDGE_BASE", "knowledgeBaseConfiguration": base}}
    said = {"input.value": QUESTION, "output.value": ANSWER, "llm.model_name": "arn:claude"} | attributes
    said["llm.invocation_parameters"] = json.dumps(asked | {"sessionId": "s1"})
    return openinference(2, parent, "RETRIEVER", name="bedrock.retrieve_and_generate", attributes=said, status=1)


def test_bedrock_retrieve_and_generate() -> None:
    """Question and answer; the passages that the answer cites are not what was found, and each stands there once."""
    recorded = only(retrieve_and_generate(passages("b", "a", "b")))
    (stage,) = recorded.stages
    request = recorded.request
    assert (request.question, request.answer, request.session) == (QUESTION, ANSWER, "s1")
    assert (stage.index, stage.top_k, stage.model, stage.length) == ("KB12345678", 5, "arn:claude", None)
    assert [hit.chunk_id for hit in stage.hits or ()] == ["1%3A0%3Ab", "1%3A0%3Aa"]
    assert stage.completeness is Completeness.TRUNCATED
    assert "only the passages that the answer cites" in request.missing[0]


def test_bedrock_answer_without_citations() -> None:
    """What was found is not known; it is not said that nothing was."""
    recorded = only(retrieve_and_generate({}))
    (stage,) = recorded.stages
    assert (stage.hits, stage.completeness) == (None, Completeness.NOT_RECORDED)
    assert recorded.request.answer == ANSWER


def test_bedrock_look_up_of_an_agent() -> None:
    """The knowledge base stands in the span's own metadata."""
    said = {"input.value": "returns", "metadata": json.dumps({"knowledge_base_id": "KB12345678"}), **passages("a")}
    (stage,) = only(openinference(2, None, "RETRIEVER", name="knowledge_base", attributes=said)).stages
    assert (stage.index, (stage.hits or ())[0].doc_id) == ("KB12345678", "s3://kb/a.md")


def invoke_model(model: str, **attributes: Any) -> Span:
    """Bedrock's InvokeModel of a model that takes no messages."""
    said = {"llm.model_name": model, "llm.provider": "aws"} | {
        key.replace("__", "."): value for key, value in attributes.items()
    }
    return openinference(3, 1, "LLM", name="bedrock.invoke_model", attributes=said, start_ms=10, end_ms=20)


@pytest.mark.parametrize(
    "attributes",
    [
        {"llm__invocation_parameters": json.dumps({"inputText": "Answer this."})},
        {"input__value": json.dumps({"inputText": "Answer this."})},
        {"input__value": "Answer this.", "llm__invocation_parameters": "{}"},
    ],
)
def test_bedrock_prompt_that_is_one_text(attributes: dict[str, Any]) -> None:
    """A prompt without roles."""
    call = invoke_model("amazon.titan-text-express-v1", output__value=ANSWER, **attributes)
    (stage,) = only(make_request(1, question=QUESTION), call).stages
    assert [(message.role, message.text) for message in stage.prompt or ()] == [("", "Answer this.")]
    assert (stage.text, stage.model) == (ANSWER, "amazon.titan-text-express-v1")


@pytest.mark.parametrize("body", [{"inputText": "returns"}, {"texts": ["returns", "b"], "input_type": "search_query"}])
def test_bedrock_embedding(body: dict[str, Any]) -> None:
    """A model that embeds is called like any other, and alone it is no request."""
    call = invoke_model("amazon.titan-embed-text-v2:0", llm__invocation_parameters=json.dumps(body))
    (stage,) = only(make_request(1, question=QUESTION), call).stages
    assert (stage.kind.value, stage.query, stage.prompt) == ("embed", "returns", None)
    assert compose([call]) == ()


# ---- DSPy -------------------------------------------------------------------------------------------


def test_dspy_module() -> None:
    """Depth in the arguments, steps without the method that ran; a retriever that is recorded twice is one."""
    asked = json.dumps({"query": QUESTION, "k": 2})
    listed = {"retrieval.documents.0.document.content": TEXTS["a"], "input.value": json.dumps({"query": QUESTION})}
    outer = listed | {"retrieval.documents.0.document.id": "a", "input.value": asked}
    said = {"input.value": json.dumps({"question": QUESTION}), "output.value": json.dumps({"answer": ANSWER})}
    recorded = only(
        openinference(1, None, "CHAIN", name="RAG.forward", attributes=said, end_ms=100),
        openinference(2, 1, "RETRIEVER", name="Retrieve", attributes=outer, start_ms=1, end_ms=5),
        openinference(3, 2, "RETRIEVER", name="Retrieve.forward", attributes=listed, start_ms=2, end_ms=4),
        openinference(4, 1, "LLM", name="LM.__call__", attributes={"llm.model_name": "m"}, start_ms=10, end_ms=90),
    )
    search, call = recorded.stages
    assert (recorded.request.question, recorded.request.answer) == (QUESTION, ANSWER)
    assert (search.name, search.top_k, [hit.chunk_id for hit in search.hits or ()]) == ("Retrieve", 2, ["a"])
    assert (call.name, call.kind.value) == ("LM", "generate")


def test_dspy_retriever_that_failed_twice() -> None:
    """The retriever and what it asked failed as one."""
    fields: dict[str, Any] = {"attributes": {"input.value": json.dumps({"query": QUESTION})}, "status": 2}
    recorded = only(
        openinference(1, None, "CHAIN", name="RAG.forward", end_ms=100),
        openinference(2, 1, "RETRIEVER", name="Retrieve", start_ms=1, end_ms=5, **fields),
        openinference(3, 2, "RETRIEVER", name="Retrieve.forward", start_ms=2, end_ms=4, **fields),
    )
    (stage,) = recorded.stages
    assert (stage.name, stage.query, stage.outcome.value) == ("Retrieve", QUESTION, "error")


# ---- a model call inside a generate stage of our own ------------------------------------------------


def generate(**attributes: Any) -> Span:
    """A function under `@goldrank.generate`, which was given neither messages nor a model's name."""
    return make_stage(2, 1, "generate", attributes={"goldrank.text": ANSWER} | attributes, start_ms=5, end_ms=95)


def test_a_call_inside_gives_prompt_and_model() -> None:
    """The stage is one, and what the decorator did not see is the call's."""
    (stage,) = only(make_request(1, question=QUESTION), generate(), completion(3, 2)).stages
    assert (stage.kind.value, stage.text, stage.model) == ("generate", ANSWER, "openai/gpt-fake")
    assert [message.text for message in stage.prompt or ()] == [f"Answer from:\n{TEXTS['a']}", QUESTION]
    assert stage.notes["prompt"] == "the model call inside it"


def test_a_prompt_of_its_own_stays() -> None:
    """What the decorator saw counts."""
    own = json.dumps([{"role": "user", "text": "mine"}])
    (stage,) = only(make_request(1), generate(**{"goldrank.prompt": own}), completion(3, 2)).stages
    assert [message.text for message in stage.prompt or ()] == ["mine"]
    assert (stage.model, "prompt" in stage.notes) == ("openai/gpt-fake", False)


def test_of_several_calls_the_one_that_answered() -> None:
    """Known by its answer; where none gave it nothing is said. Calls that wrap each other are one."""
    other = completion(4, 2)
    other = other._replace(attributes={**other.attributes, "llm.output_messages.0.message.content": "No."})
    other = other._replace(attributes={**other.attributes, "llm.input_messages.1.message.content": "Is it so?"})
    (stage,) = only(make_request(1), generate(), completion(3, 2), other).stages
    assert (stage.prompt or ())[-1].text == QUESTION
    (stage,) = only(make_request(1), generate(**{"goldrank.text": "Maybe."}), completion(3, 2), other).stages
    assert stage.prompt is None
    (stage,) = only(make_request(1), generate(), completion(3, 2), completion(4, 3)).stages
    assert (stage.prompt or ())[-1].text == QUESTION


def test_a_call_in_a_stage_inside_is_that_stages() -> None:
    """And a stage that is no model call takes none."""
    inner = make_stage(3, 2, "rewrite", start_ms=6, end_ms=92)
    around, rewrite = only(make_request(1), generate(), inner, completion(4, 3)).stages
    assert (around.prompt, rewrite.model) == (None, "openai/gpt-fake")
    (stage,) = only(make_request(1), make_stage(2, 1, "tool", end_ms=99), completion(3, 2)).stages
    assert (stage.prompt, stage.model) == (None, None)


def test_arguments_of_another_framework_are_no_prompt() -> None:
    """LlamaIndex writes its template down as Python would; what was sent is the rendered one."""
    said = {"input.value": json.dumps({"prompt": "SelectorPromptTemplate(metadata={})"}), "output.value": ANSWER}
    (stage,) = only(make_request(1), openinference(2, 1, "LLM", name="MockLLM.predict", attributes=said)).stages
    assert (stage.prompt, stage.text) == (None, ANSWER)


def test_texts_have_the_ids_of_our_own_lists() -> None:
    """A reranker of LiteLLM is given texts: those that one of our own lists names are its chunks, so the path goes on.
    A text that two ids share, and one that is in no list, is known by itself."""
    texts = [TEXTS["a"], TEXTS["b"], "twice"]
    hits = [{"id": name, "t": place, "x": texts[place]} for name, place in (("a", 0), ("b", 1), ("c", 2), ("d", 2))]
    hits[0] |= {"doc": "d1", "m": {"lang": "en"}}
    search = make_stage(2, 1, hits=hits, start_ms=1, end_ms=5, attributes={"goldrank.index": "book"})
    flat = {f"reranker.output_documents.{n}.document.content": text for n, text in enumerate(["new", *texts[::-1]])}
    rerank = openinference(3, 1, "RERANKER", name="rerank", attributes=flat, start_ms=6, end_ms=9)
    found = only(make_request(1, question=QUESTION), search, rerank).stages[1].hits or ()
    assert [hit.chunk_id for hit in found][2:] == ["b", "a"]
    assert [hit.chunk_id.startswith("sha256:") for hit in found] == [True, True, False, False]
    assert (found[3].doc_id, found[3].index, found[3].metadata) == ("d1", "book", {"lang": "en"})
