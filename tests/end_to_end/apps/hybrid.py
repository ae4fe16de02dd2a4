"""LangChain: two vector stores, fused, the first two passages in the prompt."""

from __future__ import annotations

from telemetry import PASSAGES, QUESTION, begin, end, vector

provider = begin("hybrid")

from langchain_classic.retrievers import EnsembleRetriever  # noqa: E402 - after the instrumentation
from langchain_core.documents import Document  # noqa: E402
from langchain_core.embeddings import Embeddings  # noqa: E402
from langchain_core.language_models import FakeListChatModel  # noqa: E402
from langchain_core.output_parsers import StrOutputParser  # noqa: E402
from langchain_core.prompts import ChatPromptTemplate  # noqa: E402
from langchain_core.runnables import RunnablePassthrough  # noqa: E402
from langchain_core.vectorstores import InMemoryVectorStore  # noqa: E402


class Words(Embeddings):
    """By `vector`."""

    def embed_query(self, text: str) -> list[float]:
        return vector(text)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [vector(text) for text in texts]


def a_store(names: list[str]) -> InMemoryVectorStore:
    """A store of these passages."""
    made = InMemoryVectorStore(Words())
    made.add_documents(
        [
            Document(id=name, page_content=PASSAGES[name], metadata={"chunk_id": name, "source": "book"})
            for name in names
        ]
    )
    return made


stores = [a_store(list(PASSAGES)), a_store([name for name in PASSAGES if name != "plans#2"])]
hybrid = EnsembleRetriever(retrievers=[store.as_retriever(search_kwargs={"k": 3}) for store in stores])
fused: list[str] = []


def join(documents: list[Document]) -> str:
    """Two passages; notes the whole list."""
    fused.extend(document.id or "" for document in documents)
    return "\n".join(document.page_content for document in documents[:2])


template = ChatPromptTemplate.from_template("Answer from these passages.\n{context}\n\nQuestion: {question}")
model = FakeListChatModel(responses=["Yes, within 30 days."])
chain = {"context": hybrid | join, "question": RunnablePassthrough()} | template | model | StrOutputParser()
answer = chain.invoke(QUESTION)
legs = [[document.id for document in store.similarity_search(QUESTION, k=3)] for store in stores]
end(provider, answer=answer, legs=legs, fused=fused)
