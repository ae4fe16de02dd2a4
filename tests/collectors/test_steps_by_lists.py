"""Steps told by their lists, and agents that write their thoughts down, as LangChain and LlamaIndex sent them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from goldrank.collectors import compose
from goldrank.collectors.dialects.talk import answer_in
from goldrank.model import RecordedRequest, Span, StageKind
from other_spans import ANSWER, QUESTION, TEXTS, chain, flat, openinference
from wire_spans import make_span


def only(*spans: Span) -> RecordedRequest:
    """The one request of these spans."""
    (one,) = compose(spans)
    return one.recorded


def nodes(ids: str) -> list[str]:
    """Nodes of LlamaIndex as Traceloop writes them: JSON texts in a list."""
    return [
        json.dumps({"node": {"id_": one, "text": TEXTS.get(one, f"text of {one}"), "metadata": {}}, "score": 0.5})
        for one in ids
    ]


def task(name: str, given: dict[str, Any], made: Any) -> Span:
    """A step of Traceloop's below the root."""
    said = {"traceloop.entity.input": json.dumps(given), "traceloop.entity.output": json.dumps(made)}
    attributes = {"traceloop.span.kind": "task", "traceloop.entity.name": f"{name}.task", **said}
    return make_span(2, 1, scope="traceloop", name=f"{name}.task", attributes=attributes, start_ms=1, end_ms=5)


@pytest.mark.parametrize(
    ("name", "argument", "kept", "kind"),
    [
        ("LLMRerank", "nodes", "ba", StageKind.RERANK),
        ("LongContextReorder", "nodes", "acb", StageKind.RERANK),
        ("Mine", "ns", "ca", StageKind.RERANK),
        ("Mine", "ns", "ac", StageKind.FILTER),
    ],
)
def test_a_post_processor_is_told_by_its_lists(name: str, argument: str, kept: str, kind: StageKind) -> None:
    """Whatever it and its arguments are called: it searches nothing and is no model."""
    given = {argument: nodes("abc"), "query_bundle": {"query_str": QUESTION}}
    (stage,) = only(chain(), task(name, given, nodes(kept))).stages
    assert (stage.kind, stage.query) == (kind, QUESTION)
    assert [hit.chunk_id for hit in stage.hits or ()] == list(kept)


def test_what_hands_a_list_on_is_no_stage() -> None:
    """The same documents in the same order, or others beside them, were neither reranked nor filtered."""
    for made in ("abc", "abd"):
        assert only(chain(), task("Keep", {"docs": nodes("abc")}, nodes(made))).stages == ()


def test_a_cut_list_is_no_filter() -> None:
    """Of a list that was cut nobody knows what it left out."""
    whole = json.dumps(nodes("ab"))
    said = {
        "traceloop.span.kind": "task",
        "traceloop.entity.input": json.dumps({"docs": nodes("ab")}),
        "traceloop.entity.output": whole[: len(whole) // 2 + 10],
    }
    span = make_span(2, 1, scope="traceloop", name="Mine.task", attributes=said, start_ms=1, end_ms=5)
    assert only(chain(), span).stages == ()


def test_the_query_beside_the_documents_in_one_argument() -> None:
    """LangChain's functions get everything in one dict."""
    documents = [{"page_content": TEXTS[one], "metadata": {"chunk_id": one}} for one in "ab"]
    given = {"inputs": {"docs": documents, "question": QUESTION}}
    (stage,) = only(chain(), task("rerank", given, {"outputs": {"docs": documents[::-1]}})).stages
    assert (stage.kind, stage.query) == (StageKind.RERANK, QUESTION)


@pytest.mark.parametrize(
    ("kept", "kind"), [("ac", StageKind.FILTER), ("ab", StageKind.RERANK), ("ca", StageKind.RERANK)]
)
def test_a_compression_that_leaves_out_from_between_filters(kept: str, kind: StageKind) -> None:
    """It kept the order and the scores; of the first few nobody can tell, so it stays what its name says."""
    outer = openinference(
        2,
        1,
        "RETRIEVER",
        name="ContextualCompressionRetriever",
        attributes={"input.value": QUESTION, **flat(list(kept))},
        start_ms=1,
        end_ms=9,
    )
    inner = openinference(
        3, 2, "RETRIEVER", attributes={"input.value": QUESTION, **flat(["a", "b", "c"])}, start_ms=2, end_ms=5
    )
    assert [stage.kind for stage in only(chain(), outer, inner).stages] == [kind, StageKind.RETRIEVE]


def model_call(number: int, parent: int, said: list[tuple[str, str]], text: str, start: int) -> Span:
    """A model call with its messages."""
    found = {"llm.output_messages.0.message.role": "assistant", "llm.output_messages.0.message.content": text}
    for place, (role, content) in enumerate(said):
        found[f"llm.input_messages.{place}.message.role"] = role
        found[f"llm.input_messages.{place}.message.content"] = content
    return openinference(number, parent, "LLM", attributes=found, start_ms=start, end_ms=start + 5)


def test_an_agent_that_writes_its_thoughts_down() -> None:
    """What a tool found is told to the model in the user's name; the last thought ends in the answer."""
    step = "Thought: search\nAction: kb\nAction Input: {}"
    first = [("user", QUESTION)]
    then = [*first, ("assistant", step), ("user", "Observation: 30 days")]
    stopped = "StopEvent(result=AgentOutput(response=ChatMessage(role=<MessageRole.ASSISTANT: 'assistant'>, add..."
    root = openinference(1, None, "CHAIN", name="ReActAgent.run", attributes={"output.value": stopped}, end_ms=100)
    last = model_call(3, 1, then, f"Thought: I can answer.\nAnswer: {ANSWER}", 30)
    recorded = only(root, model_call(2, 1, first, step, 10), last)
    assert (recorded.request.question, recorded.request.answer) == (QUESTION, ANSWER)


def test_the_end_of_a_workflow_holds_its_answer() -> None:
    """As Python writes LlamaIndex's event; of one that was cut, or holds no text, nothing is read."""
    assert answer_in(f"StopEvent(result={ANSWER!r})") == ANSWER
    assert answer_in('StopEvent(result="It\'s free.\\nAlways.")') == "It's free.\nAlways."
    for written in ("StopEvent(result=None)", "StopEvent(result='You have...", "StopEvent(result=Output(text='x'))"):
        assert answer_in(written) is None


def test_a_model_that_judges_passages_answers_nothing() -> None:
    """Of a request without its root the answer is none of the calls inside a search."""
    outer = openinference(
        2, 1, "RETRIEVER", attributes={"input.value": QUESTION, **flat(["a"])}, start_ms=10, end_ms=90
    )
    answers = model_call(4, 1, [("user", QUESTION)], ANSWER, 30)
    assert only(outer, model_call(3, 2, [("user", "Is it relevant?")], "YES", 80), answers).request.answer == ANSWER
    assert only(outer, model_call(3, 2, [("user", "Is it relevant?")], "YES", 80)).request.answer is None
