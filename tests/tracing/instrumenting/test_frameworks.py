"""What is recorded of each framework in one line, with its own fakes: no network, no keys."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import goldrank
import pytest


@pytest.fixture(autouse=True)
def _let_go() -> Iterator[None]:
    yield
    goldrank.uninstrument()


def listed(attributes: Any, field: str, prefix: str = "retrieval.documents") -> list[Any]:
    """A field of each document of a span, in order of rank."""
    found = []
    while (value := attributes.get(f"{prefix}.{len(found)}.document.{field}")) is not None:
        found.append(value)
    return found


# ---- LangChain --------------------------------------------------------------------------------------


def a_store(ids: bool = True) -> Any:
    """A store in memory with five passages."""
    from langchain_core.documents import Document
    from langchain_core.embeddings import DeterministicFakeEmbedding
    from langchain_core.vectorstores import InMemoryVectorStore

    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=16))
    names = [f"c{n}" for n in range(5)]
    passages = [Document(id=name if ids else None, page_content=f"text of {name}") for name in names]
    store.add_documents(passages)
    return store


def expected(store: Any, query: str, k: int) -> list[tuple[str, float]]:
    """(id, score) as the store says them itself."""
    return [(document.id, score) for document, score in store.similarity_search_with_score(query, k=k)]


@pytest.mark.parametrize("search", ["similarity", "similarity_score_threshold", "mmr"])
def test_langchain_ids_and_scores_of_a_vector_store(kept, search):
    """Documents carry no scores; those that the store computed on the way are recorded, of these very documents."""
    store = a_store()
    goldrank.instrument("langchain")
    options = {"k": 3, **({"score_threshold": 0.0} if search.endswith("threshold") else {})}
    store._select_relevance_score_fn = lambda: lambda score: (score + 1) / 2
    found = store.as_retriever(search_type=search, search_kwargs=options).invoke("what?")
    attributes = kept.attributes("VectorStoreRetriever")
    assert listed(attributes, "id") == [document.id for document in found]
    scores = dict(expected(store, "what?", 5))
    if search.endswith("threshold"):
        scores = {name: (score + 1) / 2 for name, score in scores.items()}
    assert listed(attributes, "score") == [scores[document.id] for document in found]


def test_langchain_async(kept):
    """The same in an event loop, several at once: no list gets the scores of another."""
    store = a_store()
    goldrank.instrument("langchain")
    retriever = store.as_retriever(search_kwargs={"k": 3})

    async def both() -> None:
        await asyncio.gather(*[retriever.ainvoke(f"question {n}") for n in range(4)])

    asyncio.run(both())
    assert len(kept.spans) == 4
    for span in kept.spans:
        pairs = list(zip(listed(span.attributes, "id"), listed(span.attributes, "score"), strict=True))
        assert pairs == expected(store, span.attributes["input.value"], 3)


def test_langchain_retrievers_inside_others(kept):
    """Inner retrievers of ensembles, compressions and multi-queries have lists with ids and scores of their own."""
    from langchain_classic.retrievers import ContextualCompressionRetriever, EnsembleRetriever, MultiQueryRetriever
    from langchain_core.language_models import FakeListChatModel

    store = a_store()
    goldrank.instrument("langchain")
    legs = [store.as_retriever(search_kwargs={"k": k}) for k in (2, 3)]
    hybrid = EnsembleRetriever(retrievers=legs, weights=[0.5, 0.5])

    class Reversed:
        """A reranker that turns the list round."""

        def compress_documents(self, documents: Any, query: str, callbacks: Any = None) -> Any:
            return documents[::-1][:2]

    whole = ContextualCompressionRetriever.model_construct(base_retriever=hybrid, base_compressor=Reversed())
    whole.invoke("what?")
    lists = {span.name: [] for span in kept.spans}
    for span in kept.spans:
        lists[span.name].append((listed(span.attributes, "id"), listed(span.attributes, "score")))
    assert sorted((len(ids), len(scores)) for ids, scores in lists["VectorStoreRetriever"]) == [(2, 2), (3, 3)]
    assert [len(ids) for ids, _ in lists["EnsembleRetriever"]] == [3]
    assert [len(ids) for ids, _ in lists["ContextualCompressionRetriever"]] == [2]
    kept.spans.clear()
    model = FakeListChatModel(responses=["first wording\nsecond wording"])
    MultiQueryRetriever.from_llm(retriever=legs[0], llm=model, include_original=True).invoke("what?")
    queries = [span.attributes["input.value"] for span in kept.spans if span.name == "VectorStoreRetriever"]
    assert sorted(queries) == ["first wording", "second wording", "what?"]


def test_langchain_documents_without_ids(kept):
    """Where a document has no id none is made up."""
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever

    class Fixed(BaseRetriever):
        """Always the same."""

        def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
            return [Document(page_content="one"), Document(id="c2", page_content="two")]

    goldrank.instrument("langchain")
    Fixed().invoke("q")
    attributes = kept.attributes("Fixed")
    assert "retrieval.documents.0.document.id" not in attributes
    assert attributes["retrieval.documents.1.document.id"] == "c2"
    assert listed(attributes, "content") == ["one", "two"]


def test_langchain_errors_reach_the_app(kept):
    """A retriever that fails raises what it raised, and its span says so."""
    from langchain_core.retrievers import BaseRetriever

    class Broken(BaseRetriever):
        """Never works."""

        def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Any]:
            raise ConnectionError("index is away")

    goldrank.instrument("langchain")
    with pytest.raises(ConnectionError, match="index is away"):
        Broken().invoke("q")
    assert kept.span("Broken").status.status_code.name == "ERROR"


# ---- LlamaIndex, Haystack, OpenAI -------------------------------------------------------------------


def test_llama_index(kept):
    """A query engine with fakes: ids and scores of the nodes, the question and the answer."""
    from llama_index.core import MockEmbedding, VectorStoreIndex
    from llama_index.core.llms import MockLLM
    from llama_index.core.schema import TextNode

    goldrank.instrument("llama_index")
    nodes = [TextNode(id_=f"n{n}", text=f"text {n}") for n in range(4)]
    index = VectorStoreIndex(nodes, embed_model=MockEmbedding(embed_dim=4))
    answer = index.as_query_engine(llm=MockLLM(), similarity_top_k=2).query("what?")
    retrieved = next(span for span in kept.spans if span.name == "VectorIndexRetriever.retrieve")
    assert listed(retrieved.attributes, "id") == [node.node.node_id for node in answer.source_nodes]
    assert len(listed(retrieved.attributes, "score")) == 2
    root = kept.span("RetrieverQueryEngine.query")
    assert root.parent is None
    assert "what?" in root.attributes["input.value"]


def test_haystack(kept):
    """A pipeline's retriever and ranker."""
    from haystack import Document, Pipeline
    from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
    from haystack.document_stores.in_memory import InMemoryDocumentStore

    goldrank.instrument("haystack")
    store = InMemoryDocumentStore()
    store.write_documents([Document(id=f"h{n}", content=f"passage about refunds {n}") for n in range(3)])
    pipeline = Pipeline()
    pipeline.add_component("bm25", InMemoryBM25Retriever(store, top_k=2))
    found = pipeline.run({"bm25": {"query": "refunds"}})["bm25"]["documents"]
    retrieved = next(span for span in kept.spans if span.attributes.get("openinference.span.kind") == "RETRIEVER")
    assert listed(retrieved.attributes, "id") == [document.id for document in found]
    assert listed(retrieved.attributes, "score") == [document.score for document in found]


def test_openai(kept):
    """A chat completion: prompt, answer, model; the server is a function."""
    import httpx
    from openai import OpenAI

    goldrank.instrument("openai")
    reply = {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "gpt-test",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Thirty days."}}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }
    transport = httpx.MockTransport(lambda _request: httpx.Response(200, json=reply))
    with httpx.Client(transport=transport) as http, OpenAI(api_key="none", http_client=http) as client:
        client.chat.completions.create(model="gpt-test", messages=[{"role": "user", "content": "How long?"}])
    (span,) = kept.spans
    assert span.attributes["llm.input_messages.0.message.content"] == "How long?"
    assert span.attributes["llm.output_messages.0.message.content"] == "Thirty days."
    assert json.loads(span.attributes["llm.invocation_parameters"]) == {"model": "gpt-test"}
