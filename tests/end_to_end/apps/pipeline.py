"""Haystack: an index is filled by a pipeline; then words and vectors are searched and joined, and a prompt is built."""

from __future__ import annotations

from telemetry import PASSAGES, QUESTION, begin, end, vector

provider = begin("pipeline")

from haystack import Document, Pipeline, component  # noqa: E402 - after the instrumentation
from haystack.components.builders import PromptBuilder  # noqa: E402
from haystack.components.joiners import DocumentJoiner  # noqa: E402
from haystack.components.retrievers.in_memory import (  # noqa: E402
    InMemoryBM25Retriever,
    InMemoryEmbeddingRetriever,
)
from haystack.components.writers import DocumentWriter  # noqa: E402
from haystack.document_stores.in_memory import InMemoryDocumentStore  # noqa: E402


@component
class WordsTextEmbedder:
    """By `vector`."""

    @component.output_types(embedding=list[float])
    def run(self, text: str) -> dict[str, list[float]]:
        return {"embedding": vector(text)}


@component
class EchoGenerator:
    """Stands for a model."""

    @component.output_types(replies=list[str])
    def run(self, prompt: str) -> dict[str, list[str]]:
        return {"replies": [f"Yes, within 30 days ({len(prompt)})."]}


store = InMemoryDocumentStore(embedding_similarity_function="cosine")
filling = Pipeline()
filling.add_component("writer", DocumentWriter(store))
filling.run(
    {
        "writer": {
            "documents": [
                Document(id=name, content=text, meta={"source": "book"}, embedding=vector(text))
                for name, text in PASSAGES.items()
            ]
        }
    }
)

asking = Pipeline()
asking.add_component("embedder", WordsTextEmbedder())
asking.add_component("bm25", InMemoryBM25Retriever(store, top_k=3))
asking.add_component("dense", InMemoryEmbeddingRetriever(store, top_k=3))
asking.add_component("joiner", DocumentJoiner(join_mode="reciprocal_rank_fusion", top_k=3))
template = (
    "Answer from these passages.\n{% for d in documents %}{{ d.content }}\n{% endfor %}\nQuestion: {{ question }}"
)
asking.add_component("prompt", PromptBuilder(template, required_variables=["documents", "question"]))
asking.add_component("generator", EchoGenerator())
asking.connect("embedder.embedding", "dense.query_embedding")
asking.connect("bm25.documents", "joiner.documents")
asking.connect("dense.documents", "joiner.documents")
asking.connect("joiner.documents", "prompt.documents")
asking.connect("prompt.prompt", "generator.prompt")
made = asking.run(
    {"embedder": {"text": QUESTION}, "bm25": {"query": QUESTION}, "prompt": {"question": QUESTION}},
    include_outputs_from={"bm25", "dense", "joiner"},
)


def pairs(name: str) -> list[tuple[str, float]]:
    """(id, score) of a component's documents."""
    return [(document.id, document.score) for document in made[name]["documents"]]


end(
    provider,
    answer=made["generator"]["replies"][0],
    bm25=pairs("bm25"),
    dense=pairs("dense"),
    joined=pairs("joiner"),
)
