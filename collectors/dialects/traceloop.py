"""OpenLLMetry (Traceloop): inputs and outputs of every step as one JSON text each.

A retriever is only a "task"; of LlamaIndex's steps the class name and the shape of what goes in and out say what it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from ...model import Span, StageKind
from . import genai
from .documents import documents_in, given_documents
from .facts import DocList, Facts, fill
from .json_text import load
from .lists import list_from, whole
from .messages import prompt_from
from .shape import RERANKS
from .table import Field, Table, as_is, read_table
from .talk import answer_in, query_in
from .values import as_count, as_text

KIND: Final = "traceloop.span.kind"
_PROPERTY: Final = "traceloop.association.properties."
FIELDS: Final[Table] = (
    Field("name", ("traceloop.entity.name",)),
    Field("given_value", ("traceloop.entity.input", "gen_ai.task.input"), as_is),
    Field("made_value", ("traceloop.entity.output", "gen_ai.task.output"), as_is),
    Field(
        "session",
        tuple(
            place
            for key in ("session_id", "conversation_id", "thread_id")
            for place in (_PROPERTY + key, f"traceloop.association.{key}")
        ),
    ),
    Field("user", (f"{_PROPERTY}user_id", "traceloop.association.user_id")),
    Field("searched", (f"{_PROPERTY}ls_vector_store_provider",)),
)
HINT: Final = "content capture is off; set TRACELOOP_TRACE_CONTENT=true"
_RETRIEVER: Final = re.compile(r"retriev", re.IGNORECASE)
_RETRIEVES: Final = re.compile(r"Retriever\Z")
_MODEL: Final = re.compile(r"LLM|OpenAI|Anthropic|Ollama|Bedrock|Gemini|Mistral|Groq|Cohere(?!Rerank)")
_ENGINE: Final = re.compile(r"Engine|Synthesizer|Workflow", re.IGNORECASE)
_QUERY_KEYS: Final = ("str_or_query_bundle", "query_bundle")


def read(span: Span) -> Facts | None:
    """A span of one of Traceloop's kinds; spans of its clients without a kind are read as GenAI's."""
    attributes = span.attributes
    word = as_text(attributes.get(KIND))
    private = attributes.get(genai.OPERATION) in ("vector_db_retrieve", "execute_task")
    if word is None and not private and not any(key.startswith("traceloop.") for key in attributes):
        return None
    found = read_table(FIELDS, attributes)
    given, made = found.get("given_value"), found.get("made_value")
    kind = _kind(span, word, load(given), load(made))
    facts = Facts(writer="traceloop", kind=kind, hint=HINT, **found)
    if kind is StageKind.RETRIEVE:
        facts = facts._replace(query=query_in(given), documents=_documents(made))
    elif kind is StageKind.GENERATE:
        facts = facts._replace(prompt=_prompt(given), text=_said(made))
    elif kind in (StageKind.TOOL, StageKind.EMBED):
        facts = facts._replace(query=query_in(given))
    facts = facts._replace(app_root=word == "workflow" and kind is None)
    setup = as_text(attributes.get(genai.OPERATION)) in genai.SETUP
    model = genai.read(span)
    facts = facts._replace(setup=setup, name=facts.name or span.name)
    if model is None or kind in (StageKind.RETRIEVE, StageKind.TOOL):
        return facts
    if kind is StageKind.GENERATE:  # its messages are kept apart in GenAI's keys; the task's own are one text
        return fill(facts._replace(prompt=model.prompt or facts.prompt, text=model.text or facts.text), model)
    return fill(facts, model)


def _kind(span: Span, word: str | None, given: object, made: object) -> StageKind | None:
    operation = as_text(span.attributes.get(genai.OPERATION)) or ""
    if operation in genai.KINDS:
        return genai.KINDS[operation]
    if word == "tool":
        return StageKind.TOOL
    if operation:
        return None
    name = (as_text(span.attributes.get("traceloop.entity.name")) or span.name).removesuffix(".task")
    asked = isinstance(given, dict) and any(key in given for key in _QUERY_KEYS) and "nodes" not in given
    asked = asked and not given_documents(given)  # who is given documents searches none
    found = made == [] or documents_in(made)  # an empty list is what a retriever found
    if asked and (_RETRIEVER.search(name) or found) and not _ENGINE.search(name):
        return StageKind.RETRIEVE
    if _RETRIEVER.search(name) and documents_in(made) is not None:
        return StageKind.RETRIEVE
    if given is None and made is None and _RETRIEVES.search(name):  # content capture is off: its class is all there is
        return StageKind.RETRIEVE
    # LLMRerank calls a model and is none
    named = _MODEL.search(name) and not _ENGINE.search(name) and not RERANKS.search(name)
    if _is_completion(made) or (named and not found):
        return StageKind.GENERATE
    if isinstance(made, list) and made and all(isinstance(item, float) for item in made[:4]):
        return StageKind.EMBED
    return None


def _is_completion(made: object) -> bool:
    return isinstance(made, dict) and "additional_kwargs" in made and ("text" in made or "message" in made)


def _documents(made: object) -> DocList | None:
    found = list_from(made)
    said = load(made) if found is None else None
    return whole(()) if isinstance(said, dict) and as_count(said.get("count")) == 0 else found


def _prompt(given: object) -> Any:  # noqa: ANN401 - messages or None
    value = load(given)
    if isinstance(value, Mapping):
        if "args" in value:
            return prompt_from(value["args"])
        return prompt_from(value["messages"]) if "messages" in value else None
    return None


def _said(made: object) -> str | None:
    return answer_in(made)
