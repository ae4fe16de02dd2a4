"""What people's own functions were given and gave back, as tracing decorators write it down."""

from __future__ import annotations

import json
from typing import Any

import pytest
from goldrank.collectors import compose
from goldrank.collectors.dialects.documents import documents_in
from goldrank.collectors.dialects.talk import query_in
from goldrank.model import Completeness, Outcome, RecordedRequest, Span, StageKind
from other_spans import QUESTION
from wire_spans import make_span

COLUMNS = {"ids": [["a", "b"]], "documents": [["A.", "B."]], "distances": [[0.1, 0.2]], "metadatas": None}


def only(*spans: Span) -> RecordedRequest:
    """The one request of these spans."""
    (one,) = compose(spans)
    return one.recorded


def tool(**attributes: Any) -> Span:
    """A tool that is called a search, in GenAI's keys."""
    said = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search_kb"} | attributes
    fields = {"status": attributes.pop("status", 0)} if "status" in attributes else {}
    said.pop("status", None)
    asked = {"gen_ai.tool.call.arguments": json.dumps({"query": QUESTION})}
    return make_span(2, 1, name="execute_tool search_kb", attributes=asked | said, start_ms=1, **fields)


def agent() -> Span:
    """The root above the tool."""
    said = {"gen_ai.operation.name": "invoke_agent", "gen_ai.input.messages": json.dumps(QUESTION)}
    return make_span(1, None, name="invoke_agent", attributes=said, end_ms=100)


def test_the_name_of_an_argument_says_more_than_its_place() -> None:
    """An argument called question is the question, whatever stands before it."""
    assert query_in({"args": ["acme", "en"], "kwargs": {"question": QUESTION}}) == QUESTION
    assert query_in({"args": [QUESTION], "kwargs": {"text": "else", "k": 3}}) == QUESTION


def test_columns_of_a_client_are_documents() -> None:
    """Chroma's client returns ids, texts and distances side by side."""
    docs = documents_in(COLUMNS, texts=True)
    assert [(doc.chunk_id, doc.text, doc.score, doc.score_kind) for doc in docs or ()] == [
        ("a", "A.", 0.1, "distance"),
        ("b", "B.", 0.2, "distance"),
    ]
    assert documents_in({"ids": ["a"], "documents": None}, texts=True) is not None
    assert documents_in({"ids": [[]], "documents": [[]]}, texts=True) == ()


@pytest.mark.parametrize(
    "columns",
    [
        {"ids": [["a"], ["b"]], "documents": [["A."], ["B."]]},  # two queries
        {"ids": [["a", "b"]], "documents": [["A."]]},
    ],
)
def test_columns_of_no_one_list_are_none(columns: dict[str, Any]) -> None:
    """Of several queries, or of different lengths: a list without ids would be another one."""
    assert documents_in(columns, texts=True) is None


def test_a_search_that_failed_is_a_retriever() -> None:
    """It has no documents by which to know it, but its name."""
    recorded = only(agent(), tool(status=2))
    (stage,) = recorded.stages
    assert (stage.kind, stage.outcome, stage.query) == (StageKind.RETRIEVE, Outcome.ERROR, QUESTION)
    assert recorded.request.missing == ()


def test_a_search_that_returned_a_text_says_that_its_list_is_missing() -> None:
    """One text is no list; content that was not captured is none either."""
    for said in ({"gen_ai.tool.call.result": "A.\n\nB."}, {}):
        recorded = only(agent(), tool(**said))
        (stage,) = recorded.stages
        assert (stage.kind, stage.hits, stage.completeness) == (StageKind.TOOL, None, Completeness.COMPLETE)
        assert recorded.request.missing[0].startswith("search_kb: what it found is not recorded as a list")
