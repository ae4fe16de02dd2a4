"""OpenInference: flattened documents and messages, a kind on every span.

LangChain's instrumentor gives neither ids nor scores of documents: they are in the metadata, or in the output as JSON.
LlamaIndex's turns a missing score into 0.0; its output says so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from ...model import Completeness, Message, Span, StageKind
from . import bedrock
from .facts import REDACTED, Doc, DocList, Facts, fill_docs
from .json_text import load
from .lists import LIMIT_HINT, flattened, list_from
from .messages import messages_in, prompt_from
from .numbered import numbered
from .table import KINDS, Field, Table, as_is, count, read_table
from .talk import answer_in, depth_in, query_in
from .values import as_text

KIND: Final = "openinference.span.kind"
FIELDS: Final[Table] = (
    Field("query", ("reranker.query", "embedding.embeddings.0.embedding.text")),
    Field("top_k", ("reranker.top_k",), count),
    Field("model", ("llm.response.model_name", "llm.model_name", "llm.request.model_name", "reranker.model_name")),
    Field("embedding_model", ("embedding.model_name",)),
    Field("given_value", ("input.value", "tool.parameters"), as_is),
    Field("made_value", ("output.value",), as_is),
    Field("session", ("session.id",)),
    Field("user", ("user.id",)),
)
HINT: Final = "no documents were sent; check OPENINFERENCE_HIDE_OUTPUTS and the instrumentor's version"
PREPARES: Final = re.compile(r"\w*(Splitter|NodeParser|Ingestion\w*|DocumentWriter|DocumentCleaner|ToDocument)\.")
"""Steps of LlamaIndex and Haystack that fill an index; beside a search they are steps like others."""
NO_CALL: Final = re.compile(r"\.a?write_response_to_history\Z")
"""A step of LlamaIndex that only keeps what a stream gave; its kind says that it calls a model."""
_RUN: Final = {"session": ("session_id", "conversation_id", "thread_id"), "user": ("user_id",)}
_PLAIN: Final = "text/plain"
_QUOTES: Final = ("[", "{", '"')
_QUERIED: Final = (StageKind.RETRIEVE, StageKind.TOOL, StageKind.EMBED, StageKind.RERANK)


def read(span: Span) -> Facts | None:
    """A span with OpenInference's kind."""
    attributes = span.attributes
    word = as_text(attributes.get(KIND))
    if word is None:
        return None
    found = read_table(FIELDS, attributes)
    kind = KINDS.get(word.lower())
    if kind is StageKind.GENERATE and NO_CALL.search(span.name):
        kind = None
    if kind is StageKind.GENERATE:
        kind = StageKind.ASSEMBLE if _is_template(attributes) else kind
    _add_what_the_run_says(found, attributes.get("metadata"))
    if found.get("query") == REDACTED:
        del found["query"]
    if kind in _QUERIED and not found.get("query"):
        found["query"] = query_in(found.get("given_value"))
    if kind is StageKind.RETRIEVE:
        found["top_k"] = depth_in(found.get("given_value"))
        found["documents"] = _documents(span, "retrieval.documents", attributes.get("output.value"))
    elif kind is StageKind.RERANK:
        found["documents"] = _documents(span, "reranker.output_documents", attributes.get("output.value"))
        given = flattened(span, "reranker.input_documents")
        found["given"] = (given,) if given is not None else ()
    elif kind is StageKind.GENERATE:
        found |= _call(span, found.get("model"))
    elif kind is StageKind.ASSEMBLE:
        found["text"] = rendered(attributes.get("output.value"))
    elif kind is None:
        found |= _as_written(attributes)
    setup = kind is None and PREPARES.match(span.name) is not None
    name = as_text(attributes.get("tool.name")) if kind is StageKind.TOOL else None
    facts = Facts(writer="openinference", kind=kind, name=name or span.name, setup=setup, hint=HINT, **found)
    return bedrock.refine(facts, span)


def _call(span: Span, model: str | None) -> dict[str, Any]:
    """What a model was given and said; its name among the parameters of the call, where no key of its own has it."""
    attributes = span.attributes
    found: dict[str, Any] = {"prompt": _prompt(span), "text": _said(attributes)}
    if span.dropped_attributes and next(iter(numbered(attributes, "llm.input_messages")), 0) > 0:
        found["prompt_cut"] = f"its first messages are missing: {LIMIT_HINT}"
    said = load(attributes.get("llm.invocation_parameters")) if model is None else None
    if isinstance(said, dict):
        found["model"] = as_text(said.get("model") or said.get("model_name"))
    return found


def _as_written(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """What a chain was asked and answered, where its writer says that it is plain text: a question in quotes keeps
    them, an answer that is JSON is no wrapping."""
    found: dict[str, Any] = {}
    asked, answered = attributes.get("input.value"), attributes.get("output.value")
    if attributes.get("input.mime_type") == _PLAIN and isinstance(asked, str) and asked[:1] in _QUOTES:
        found["asked_text"] = asked
    if attributes.get("output.mime_type") == _PLAIN and isinstance(answered, str) and answered[:1] in _QUOTES:
        found["text"] = answered
    return found


def _add_what_the_run_says(found: dict[str, Any], written: object) -> None:
    """Session and user from the metadata of a run, where no key of their own says them."""
    if written is None or (isinstance(written, str) and "_id" not in written):
        return
    run = load(written)
    if isinstance(run, dict):
        for field, keys in _RUN.items():
            said = next((text for key in keys if (text := as_text(run.get(key)))), None)
            if said is not None:
                found.setdefault(field, said)


def _is_template(attributes: Mapping[str, Any]) -> bool:
    """Haystack's prompt builders are called LLM; they have a template, and neither a model nor messages."""
    if "llm.prompt_template.template" not in attributes:
        return False
    return not any(key.startswith(("llm.input_messages.", "llm.model", "llm.prompts")) for key in attributes)


def _documents(span: Span, prefix: str, output: object) -> DocList | None:
    """The flattened list, with what the output says beside it; the output's own list where that one is whole alone."""
    own = flattened(span, prefix)
    if own is not None and own.completeness is Completeness.COMPLETE and not any(map(_is_open, own.docs or ())):
        return own
    other = list_from(output)
    if own is None or other is None:
        return own or other
    if own.docs is None or other.docs is None:
        return own
    lossy = own.completeness in (Completeness.TOP_MISSING, Completeness.PARTLY_READABLE)
    if lossy and other.completeness is Completeness.COMPLETE and len(other.docs) >= (own.length or 0):
        known = dict(zip(own.ranks or (), own.docs, strict=True))
        return other._replace(docs=tuple(_joined(doc, known.get(n)) for n, doc in enumerate(other.docs, 1)))
    if len(own.docs) != len(other.docs):
        return own
    docs = fill_docs(own.docs, other.docs)
    return own._replace(docs=tuple(_doubt(doc, said) for doc, said in zip(docs, other.docs, strict=True)))


def _is_open(doc: Doc) -> bool:
    """Whether the output may say more of it: an id, a text, or that its score of 0.0 is none."""
    return doc.chunk_id is None or doc.text is None or doc.score == 0.0


def _joined(doc: Doc, flat: Doc | None) -> Doc:
    """A document of the output with what its flattened form says beside it, where both are the same one."""
    return doc if flat is None else fill_docs([doc], [flat])[0]


def _doubt(doc: Doc, said: Doc) -> Doc:
    """A score of 0.0 beside an output that says None is none."""
    if doc.score == 0.0 and said.score is None and said.chunk_id == doc.chunk_id:
        return doc._replace(score=None)
    return doc


def _prompt(span: Span) -> tuple[Message, ...] | None:
    attributes = span.attributes
    rows = numbered(attributes, "llm.input_messages")
    messages = tuple(message for row in rows.values() if (message := _message(row)) is not None)
    if messages:
        return messages
    plain = attributes.get("llm.prompts")
    if plain is None:
        texts = numbered(attributes, "llm.prompts")
        plain = [row["prompt.text"] for row in texts.values() if "prompt.text" in row]
    if plain:
        return prompt_from(plain)
    given = attributes.get("input.value")
    found = messages_in(given)
    written = found is None and isinstance(given, str) and given != "" and isinstance(load(given), str)
    return prompt_from(given) if written else found  # a text by hand; what is JSON are arguments


def _said(attributes: Mapping[str, Any]) -> str | None:
    rows = numbered(attributes, "llm.output_messages")
    messages = [message for row in rows.values() if (message := _message(row)) is not None]
    if messages:
        return messages[-1].text or None
    choices = numbered(attributes, "llm.choices")
    text = next((as_text(row["completion.text"]) for row in choices.values() if "completion.text" in row), None)
    return text or answer_in(attributes.get("output.value"))


def _message(row: Mapping[str, Any]) -> Message | None:
    """One message from its flattened keys."""
    role = as_text(row.get("message.role")) or ""
    contents = [as_text(row.get("message.content"))]
    contents += [as_text(part.get("message_content.text")) for part in numbered(row, "message.contents").values()]
    text = "\n".join(content for content in contents if content and content != "__REDACTED__")
    if not text and not role:
        return None
    return Message(role="tool" if "message.tool_call_id" in row else role, text=text)


def rendered(value: object) -> str | None:
    """A rendered prompt as one text, its messages in order."""
    loaded = load(value)
    inner = loaded.get("prompt", loaded.get("output", loaded)) if isinstance(loaded, dict) else loaded
    messages = prompt_from(inner)
    if messages is None:
        return answer_in(loaded)
    return "\n\n".join(message.text for message in messages if message.text) or None
