"""A query engine with a reranker of its own, without network or keys. The one line is `goldrank.instrument`."""

from __future__ import annotations

import hashlib
import math
import re

import goldrank
from llama_index.core import VectorStoreIndex
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.llms import MockLLM
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

goldrank.init(app="llama-index-app")
goldrank.instrument("llama_index")

PASSAGES = {
    "refunds#1": "Monthly plans are not refunded.",
    "refunds#2": "Annual plans can be returned within 30 days of the payment.",
    "refunds#3": "A refund arrives on the card within ten working days.",
    "plans#1": "Plans are changed in the settings, at any time.",
    "plans#2": "An annual plan costs ten times a monthly plan.",
}


def words_of(text: str) -> list[str]:
    """The words of a text, in small letters, without the s of a plural."""
    return [word.removesuffix("s") for word in re.findall(r"\w+", text.lower())]


class WordEmbedding(BaseEmbedding):
    """An embedding that needs no model: each word counts at one place of the vector."""

    def _get_text_embedding(self, text: str) -> list[float]:
        vector = [0.0] * 256
        for word in words_of(text):
            vector[hashlib.sha256(word.encode()).digest()[0]] += 1.0
        length = math.sqrt(sum(value * value for value in vector)) or 1.0
        return [value / length for value in vector]

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)


class LongestReranker(BaseNodePostprocessor):
    """Puts the passages with the most words first, and keeps two."""

    def _postprocess_nodes(
        self,
        nodes: list[NodeWithScore],
        query_bundle: QueryBundle | None = None,  # noqa: ARG002 - LlamaIndex's signature
    ) -> list[NodeWithScore]:
        scored = [NodeWithScore(node=found.node, score=float(len(words_of(found.text)))) for found in nodes]
        return sorted(scored, key=lambda found: -(found.score or 0.0))[:2]


nodes = [TextNode(id_=name, text=text, metadata={"doc_id": name.partition("#")[0]}) for name, text in PASSAGES.items()]
index = VectorStoreIndex(nodes, embed_model=WordEmbedding())
engine = index.as_query_engine(llm=MockLLM(max_tokens=12), similarity_top_k=4, node_postprocessors=[LongestReranker()])


@goldrank.request
def answer(question: str, *, user: str) -> str:  # noqa: ARG001 - goldrank reads it
    """The answer to a question. Without this decorator the engine is the request, and nobody knows whose it is."""
    return str(engine.query(question))
