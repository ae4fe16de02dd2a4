"""Spans that say a kind, what went in and what came out, and nothing more of retrieval: read by shape, once for all."""

from __future__ import annotations

from typing import Any, Final

from ...model import StageKind
from .documents import documents_in, given_documents
from .facts import DocList, Facts
from .json_text import load
from .lists import list_from, whole
from .messages import prompt_from
from .openinference import rendered
from .table import KINDS
from .talk import answer_in, depth_in, filters_in, query_in

_LISTED: Final = (StageKind.RETRIEVE, StageKind.RERANK)


def work_facts(word: str, found: dict[str, Any], *, writer: str, name: str, hint: str) -> Facts:
    """The facts of a step of a declared kind; `found` are its fields of the table, input and output among them."""
    kind = KINDS.get(word.lower())
    given, made = found.get("given_value"), found.get("made_value")
    found.setdefault("name", name)
    if kind in _LISTED:
        found |= {"query": query_in(given), "documents": list_from(made), "top_k": depth_in(given)}
        found.setdefault("filters", filters_in(given))
        if kind is StageKind.RERANK:
            found["given"] = given_lists(given)
    elif kind is StageKind.GENERATE:
        found |= {"prompt": prompt_in(given), "text": answer_in(made)}
    elif kind is StageKind.ASSEMBLE:
        found["text"] = rendered(made)
    elif kind in (StageKind.TOOL, StageKind.EMBED):
        found["query"] = query_in(given)
    return Facts(writer=writer, kind=kind, hint=hint, **found)


def given_lists(given: object) -> tuple[DocList, ...]:
    """The lists of documents among the arguments of a step."""
    return tuple(whole(docs) for docs in given_documents(given))


def prompt_in(given: object) -> Any:  # noqa: ANN401 - messages or None
    """The messages that a model was given: its conversation, else the text under the usual names."""
    value = load(given)
    found = prompt_from(value)
    if found is not None or not isinstance(value, dict):
        return found
    for key in ("messages", "prompt", "prompts", "input", "args", "kwargs"):
        if key in value and not documents_in(value[key]):
            inner = value[key]
            found = prompt_in(inner) if isinstance(inner, dict) else prompt_from(inner)
            if found is not None:
                return found
    return None
