"""LlamaIndex: a query engine with a postprocessor of its own that reranks."""

from __future__ import annotations

from telemetry import PASSAGES, QUESTION, begin, end, vector

provider = begin("engine")

from llama_index.core import VectorStoreIndex  # noqa: E402 - after the instrumentation
from llama_index.core.base.embeddings.base import BaseEmbedding  # noqa: E402
from llama_index.core.llms import MockLLM  # noqa: E402
from llama_index.core.postprocessor.types import BaseNodePostprocessor  # noqa: E402
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode  # noqa: E402


class Words(BaseEmbedding):
    """By `vector`."""

    def _get_text_embedding(self, text: str) -> list[float]:
        return vector(text)

    def _get_query_embedding(self, query: str) -> list[float]:
        return vector(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return vector(query)


given: list[tuple[str, float]] = []


class LongestReranker(BaseNodePostprocessor):
    """The longest passages first, and two of them."""

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        given.extend((found.node.node_id, found.score or 0.0) for found in nodes)
        scored = [NodeWithScore(node=found.node, score=float(len(found.text))) for found in nodes]
        return sorted(scored, key=lambda found: -(found.score or 0.0))[:2]


nodes = [TextNode(id_=name, text=text, metadata={"source": "book"}) for name, text in PASSAGES.items()]
index = VectorStoreIndex(nodes, embed_model=Words())
engine = index.as_query_engine(llm=MockLLM(max_tokens=5), similarity_top_k=4, node_postprocessors=[LongestReranker()])
answer = engine.query(QUESTION)
end(
    provider,
    answer=str(answer),
    retrieved=given,
    reranked=[(found.node.node_id, found.score) for found in answer.source_nodes],
)
