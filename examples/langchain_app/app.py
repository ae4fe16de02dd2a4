"""A chain of a retriever, a prompt and a model, without network or keys. The one line is `goldrank.instrument`."""

from __future__ import annotations

import goldrank
from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough
from langchain_core.vectorstores import InMemoryVectorStore

from .embedding import WordEmbedding

goldrank.init(app="langchain-app")
goldrank.instrument("langchain")

PASSAGES = {
    "refunds#1": "Monthly plans are not refunded.",
    "refunds#2": "Annual plans can be returned within 30 days of the payment.",
    "refunds#3": "A refund arrives on the card within ten working days.",
    "plans#1": "Plans are changed in the settings, at any time.",
    "plans#2": "An annual plan costs ten times a monthly plan.",
}
PROMPT = ChatPromptTemplate.from_template("Answer from these passages alone.\n{context}\n\nQuestion: {question}")


def join(documents: list[Document]) -> str:
    """The context: two passages of those that were found."""
    return "\n".join(document.page_content for document in documents[:2])


store = InMemoryVectorStore(WordEmbedding())
store.add_documents(
    [
        Document(id=name, page_content=text, metadata={"doc_id": name.partition("#")[0]})
        for name, text in PASSAGES.items()
    ]
)
retriever = store.as_retriever(search_kwargs={"k": 4})
model = FakeListChatModel(responses=["Yes, within 30 days of the payment."])
chain = {"context": retriever | join, "question": RunnablePassthrough()} | PROMPT | model | StrOutputParser()


@goldrank.request
def answer(question: str, *, user: str) -> str:  # noqa: ARG001 - goldrank reads it
    """The answer to a question. Without this decorator the chain is the request, and nobody knows whose it is."""
    return chain.invoke(question)
