"""Model calls that write queries, and texts that look as if they were cut."""

from __future__ import annotations

import pytest
from goldrank.collectors import compose
from goldrank.model import RecordedRequest, Span, StageKind, TextState
from other_spans import ANSWER, chain, flat, openinference


def only(*spans: Span) -> RecordedRequest:
    """The one request of these spans."""
    (one,) = compose(spans)
    return one.recorded


def model(number: int, text: str, start_ms: float) -> Span:
    """A call that answered this."""
    said = {"llm.output_messages.0.message.role": "assistant", "llm.output_messages.0.message.content": text}
    return openinference(number, 1, "LLM", attributes=said, start_ms=start_ms, end_ms=start_ms + 1)


def search(query: str, **said: str) -> Span:
    """A retriever that was asked this, at 5 ms."""
    attributes = {"input.value": query, **flat(["a", "b"]), **said}
    return openinference(3, 1, "RETRIEVER", attributes=attributes, start_ms=5, end_ms=6)


@pytest.mark.parametrize(
    "text",
    [
        "laptop returns",
        '"laptop returns"',
        "laptop returns\n",
        "Standalone question: laptop returns",
        '{"query": "laptop returns"}',
        '```json\n["laptop returns", "q2"]\n```',
        "1. laptop returns\n2. opened laptops",
    ],
)
def test_what_writes_a_query_is_a_rewrite(text: str) -> None:
    """However the model dressed the query that was searched for."""
    recorded = only(chain(), model(2, text, 1), search("laptop returns"), model(4, ANSWER, 10))
    assert [stage.kind.value for stage in recorded.stages] == ["rewrite", "retrieve", "generate"]
    assert recorded.stages[0].queries == ("laptop returns",)


def test_what_was_embedded_for_a_search_is_a_rewrite() -> None:
    """A passage made up to search with; an answer that is embedded once all was searched is an answer."""

    def embed(text: str, start_ms: float) -> Span:
        attributes = {"embedding.embeddings.0.embedding.text": text}
        return openinference(9, 1, "EMBEDDING", attributes=attributes, start_ms=start_ms, end_ms=start_ms + 1)

    found = openinference(3, 1, "RETRIEVER", attributes=flat(["a"]), start_ms=5, end_ms=6)
    passage = "Returns are accepted for 30 days."
    recorded = only(chain(), model(2, passage, 1), embed(passage, 3), found, model(4, ANSWER, 10))
    assert [stage.kind for stage in recorded.stages if stage.text] == [StageKind.REWRITE, StageKind.GENERATE]
    kept = only(chain(), found, model(4, ANSWER, 10), embed(ANSWER, 20))
    assert [stage.kind for stage in kept.stages if stage.text] == [StageKind.GENERATE]


def test_passages_of_one_length_are_not_cut() -> None:
    """An app may divide its documents so; where other texts have that length too, an exporter cut them all."""
    passages = {f"retrieval.documents.{n}.document.content": f"{one * 60}" for n, one in enumerate("abc")}
    whole = openinference(2, 1, "RETRIEVER", attributes={"input.value": "q", **passages})
    hits = only(chain(), whole).stages[0].hits or ()
    assert {hit.text_state for hit in hits} == {TextState.KNOWN}
    cut = openinference(2, 1, "RETRIEVER", attributes={"input.value": "q", **passages, "output.value": "[" + "x" * 59})
    hits = only(chain(), cut).stages[0].hits or ()
    assert {hit.text_state for hit in hits} == {TextState.CUT}
