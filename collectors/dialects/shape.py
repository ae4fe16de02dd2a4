"""The last dialect: spans that nobody else knows, by the names of their attributes and the shape of their values.

Only what cannot be anything else: a list whose every item looks like a document, an attribute that is called question.
"""

from __future__ import annotations

import re
from typing import Any, Final

from ...model import Span, StageKind
from .facts import Facts
from .lists import list_from
from .table import count
from .values import as_text

LISTS: Final = frozenset(
    ("documents", "docs", "chunks", "passages", "results", "hits", "matches", "retrieved_documents", "nodes")
)
GIVEN: Final = frozenset(("input_documents", "candidates", "documents_in", "given"))
QUERIES: Final = frozenset(("query", "search_query", "query_text", "query_str"))
QUESTIONS: Final = frozenset(("question", "user_question", "user_query"))
ANSWERS: Final = frozenset(("answer", "final_answer"))
DEPTHS: Final = frozenset(("top_k", "k", "limit", "n_results"))
RERANKS: Final = re.compile(r"re-?rank|ranker|cross.?encoder", re.IGNORECASE)
RETRIEVES: Final = re.compile(r"retriev|search|vector|bm25|knn", re.IGNORECASE)


def read(span: Span) -> Facts | None:
    """A hand-made span that carries documents, a question or an answer."""
    found: dict[str, Any] = {}
    for key, value in span.attributes.items():
        last = key.rpartition(".")[2].lower()
        if last in QUESTIONS:
            found.setdefault("question", as_text(value))
        elif last in ANSWERS:
            found.setdefault("answer", as_text(value))
        elif last in QUERIES and isinstance(value, str):
            found.setdefault("query", value)
        elif last in DEPTHS:
            found.setdefault("top_k", count(value))
        elif (last in LISTS or last in GIVEN) and isinstance(value, str | list):
            listed = list_from(value, texts=False)
            named = RETRIEVES.search(span.name) or RERANKS.search(span.name)
            if listed is not None and (listed.docs or named):
                found.setdefault("given" if last in GIVEN else "docs", listed)
    return _facts(span, found)


def _facts(span: Span, found: dict[str, Any]) -> Facts | None:
    if "docs" in found:
        kind = StageKind.RERANK if RERANKS.search(span.name) else StageKind.RETRIEVE
        return Facts(
            writer="shape",
            kind=kind,
            name=span.name,
            query=found.get("query") or found.get("question"),
            top_k=found.get("top_k"),
            documents=found["docs"],
            given=(found["given"],) if "given" in found else (),
        )
    if found.get("question") or found.get("answer"):
        given = {"question": found["question"]} if found.get("question") else None
        return Facts(writer="shape", name=span.name, given_value=given, made_value=found.get("answer"))
    return None
