"""OpenTelemetry's GenAI conventions, the keys of today and those of before, values as JSON or structured, log events.

They have no kind for a reranker, and their LangChain instrumentation records only the outermost of nested retrievers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from ...model import Completeness, Message, Span, SpanEvent, StageKind
from . import cohere
from .documents import read_document
from .facts import LOG_BODY, LOG_EVENT, Doc, DocList, Facts
from .json_text import load
from .lists import by_rank, list_from, whole
from .messages import messages_in, prompt_from
from .numbered import numbered
from .table import Field, Table, as_is, count, read_table
from .talk import answer_in, query_in
from .values import as_text

OPERATION: Final = "gen_ai.operation.name"
KINDS: Final[Mapping[str, StageKind]] = {
    "chat": StageKind.GENERATE,
    "generate_content": StageKind.GENERATE,
    "text_completion": StageKind.GENERATE,
    "completion": StageKind.GENERATE,
    "embeddings": StageKind.EMBED,
    "retrieval": StageKind.RETRIEVE,
    "search_memory": StageKind.RETRIEVE,
    "vector_db_retrieve": StageKind.RETRIEVE,
    "rerank": StageKind.RERANK,
    "execute_tool": StageKind.TOOL,
}
"""Names that are not here (invoke_agent, invoke_workflow, plan) only hold others."""
SETUP: Final = frozenset(
    {
        "create_agent",
        *(f"{verb}_memory{what}" for verb in ("create", "update", "upsert", "delete") for what in ("", "_store")),
    }
)
EXTENSION_KINDS: Final = {
    "RETRIEVER": StageKind.RETRIEVE,
    "RERANKER": StageKind.RERANK,
    "LLM": StageKind.GENERATE,
    "EMBEDDING": StageKind.EMBED,
    "TOOL": StageKind.TOOL,
}
"""Of `gen_ai.span.kind`, which one vendor adds."""
DROPS_INNER: Final = "opentelemetry.instrumentation.genai.langchain"
EXCEPTION: Final = "gen_ai.client.operation.exception"
"""Name of the event that says what an operation failed with."""
POSITIONS: Final = "opentelemetry.instrumentation.genai.dspy"
"""Scope whose ids of documents are places in a list of the app's; such a place is no id."""

FIELDS: Final[Table] = (
    Field("query", ("gen_ai.retrieval.query.text", "gen_ai.rerank.query")),
    Field("top_k", ("gen_ai.retrieval.top_k", "gen_ai.rerank.top_n", "gen_ai.rerank.top_k"), count),
    Field("searched", ("gen_ai.data_source.id",)),
    Field(
        "given_value", ("gen_ai.input.messages", "gen_ai.tool.call.arguments", "gen_ai.prompt", "tool_arguments"), as_is
    ),
    Field(
        "made_value", ("gen_ai.output.messages", "gen_ai.tool.call.result", "gen_ai.completion", "tool_response"), as_is
    ),
    Field("session", ("gen_ai.conversation.id", "session.id")),
    Field("user", ("user.id", "enduser.id")),
)
_PLACE: Final[Table] = (Field("searched", ("gen_ai.provider.name", "server.address")),)
MODEL: Final[Table] = (
    Field("model", ("gen_ai.response.model", "gen_ai.request.model", "llm.response.model", "llm.request.model")),
)
HINT: Final = (
    "content capture is off, or goes to log events, which retrievals have none of; "
    "set OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY"
)
_CALLS: Final = ("gen_ai.tool.call.arguments", "gen_ai.tool.call.result", "tool_arguments", "tool_response")
"""Of a tool."""
_TALK: Final = (
    "gen_ai.prompt.",
    "gen_ai.completion.",
    "gen_ai.input.messages",
    "gen_ai.output.messages",
    "gen_ai.content.",
)


def read(span: Span) -> Facts | None:
    """A span with an operation name, or with messages of a model."""
    attributes = span.attributes
    operation = as_text(attributes.get(OPERATION))
    kind = KINDS.get(operation or "") or EXTENSION_KINDS.get(as_text(attributes.get("gen_ai.span.kind")) or "")
    if operation is None and kind is None:
        kind = _kind_by_keys(span)
        if kind is None:
            return None
    found = read_table(FIELDS, attributes)
    model = read_table(MODEL, attributes).get("model")
    model = None if model == "unknown" else model
    if kind is StageKind.EMBED:
        found["embedding_model"] = model
    elif kind is StageKind.GENERATE:
        found |= {"model": model, "prompt": _prompt(attributes), "text": _said(attributes)}
        asked, answered = from_events((*span.events, *_listed_events(attributes.get("events"))))
        found["prompt"] = found["prompt"] or asked
        found["text"] = found["text"] or answered
    elif kind is StageKind.RETRIEVE:
        found.setdefault(
            "top_k", read_table((Field("top_k", ("gen_ai.request.top_k",), count),), attributes).get("top_k")
        )
        found.setdefault("searched", read_table(_PLACE, attributes).get("searched"))
        found |= {"documents": _documents(span), "notes": _notes(span), "embedding_model": model}
    elif kind is StageKind.RERANK:
        found |= {"model": model, **_rerank(span)}
    elif kind is StageKind.TOOL:
        found["query"] = query_in(found.get("given_value"))
    name = as_text(attributes.get("gen_ai.tool.name")) if kind is StageKind.TOOL else None
    return Facts(writer="genai", kind=kind, name=name or span.name, setup=operation in SETUP, hint=HINT, **found)


def _kind_by_keys(span: Span) -> StageKind | None:
    """What a span is whose operation is not said, or was dropped: keys of retrievals and of messages are no others'."""
    if any(key.startswith("gen_ai.retrieval.") for key in span.attributes):
        return StageKind.RETRIEVE
    request = span.attributes.get("llm.request.type")  # before there were conventions
    if request in ("chat", "completion", "rerank"):
        return StageKind.RERANK if request == "rerank" else StageKind.GENERATE
    if any(key in span.attributes for key in _CALLS):
        return StageKind.TOOL
    if any(key.startswith(_TALK) for key in span.attributes) or _events(span.events):
        return StageKind.GENERATE
    return None


def read_logs(logs: Iterable[Span]) -> Facts | None:
    """What the log records of one span say of it together, in the order of their times; None where they say nothing."""
    found = Facts()
    error: str | None = None
    events = []
    for log in sorted(logs, key=lambda one: (one.start_ns, one.span_id)):
        body = load(log.attributes.get(LOG_BODY))
        content = body if isinstance(body, dict) else {"content": body}
        said = log._replace(attributes={**content, **log.attributes})
        events.append(SpanEvent(str(log.attributes.get(LOG_EVENT)), log.start_ns, said.attributes))
        read_one = read(said)
        if read_one is not None and (read_one.prompt or read_one.text):
            found = read_one
        elif events[-1].name == EXCEPTION:
            error = _raised(said.attributes)
    asked, answered = from_events(events)
    prompt, text = found.prompt or asked, found.text or answered
    if prompt is None and text is None and error is None and not found.writer:
        return None
    kind = found.kind or (StageKind.GENERATE if prompt or text else None)
    return found._replace(writer="genai", kind=kind, prompt=prompt, text=text, error=error, hint=HINT)


def _raised(attributes: Mapping[str, Any]) -> str | None:
    """What an operation failed with: its type and its message."""
    said = [as_text(attributes.get(key)) for key in ("exception.type", "exception.message")]
    return ": ".join(part for part in said if part) or None


def from_events(events: Iterable[SpanEvent]) -> tuple[tuple[Message, ...] | None, str | None]:
    """Prompt and answer from the events of older conventions, one message an event."""
    prompt: list[Message] = []
    answer = None
    for event in _events(events):
        attributes = event.attributes
        if event.name == "gen_ai.content.prompt":
            prompt += prompt_from(attributes.get("gen_ai.prompt")) or ()
        elif event.name == "gen_ai.content.completion":
            answer = answer_in(attributes.get("gen_ai.completion")) or answer
        elif event.name == "gen_ai.choice":
            answer = answer_in(attributes.get("message", attributes.get("content"))) or answer
        else:
            role = event.name.removeprefix("gen_ai.").removesuffix(".message")
            text = as_text(attributes.get("content", attributes.get("gen_ai.event.content")))
            if text:
                prompt.append(Message(role=role, text=text))
    return tuple(prompt) or None, answer


def _listed_events(value: object) -> Iterable[SpanEvent]:
    """Events that are a list in one attribute, as pydantic-ai once wrote them."""
    rows = load(value)
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, dict) and isinstance(row.get("event.name"), str):
            yield SpanEvent(row["event.name"], 0, row)


def _events(events: Iterable[SpanEvent]) -> list[SpanEvent]:
    return [
        event
        for event in events
        if event.name in ("gen_ai.choice", "gen_ai.content.prompt", "gen_ai.content.completion")
        or (event.name.startswith("gen_ai.") and event.name.endswith(".message"))
    ]


def _documents(span: Span) -> DocList | None:
    value = span.attributes.get("gen_ai.retrieval.documents")
    found = list_from(value) or _of_gaps(value) or _flattened(span)
    if found is None or not found.docs or span.scope != POSITIONS:
        return found
    if any(doc.text is not None or not (doc.chunk_id or "").isdigit() for doc in found.docs):
        return found
    docs = tuple(Doc(score=doc.score, metadata={"position": doc.chunk_id}) for doc in found.docs)
    reason = "its documents are named by their place in the app's own list, which is no id; give them ids"
    return found._replace(docs=docs, completeness=Completeness.PARTLY_READABLE, reason=reason)


def _flattened(span: Span) -> DocList | None:
    """A list of which each field is an attribute, as exporters without structured values write it."""
    rows = numbered(span.attributes, "gen_ai.retrieval.documents")
    docs = {number + 1: read_document(row) or Doc() for number, row in rows.items()}
    return by_rank(docs, dropped=span.dropped_attributes > 0) if docs else None


def _rerank(span: Span) -> dict[str, Any]:
    """What a reranker was given and what it made of it."""
    attributes = span.attributes
    if attributes.get("llm.request.type") == "rerank":
        return cohere.read_rerank(span)
    given, made = _reranked(attributes, "input"), _reranked(attributes, "output")
    if made is None and (alone := list_from(attributes.get("gen_ai.rerank.documents"))) is not None:
        scored = all(doc.score is not None for doc in alone.docs or ())  # by that it is what was made
        given, made = (given, alone) if scored else (given or alone, None)
    return {"documents": made, "given": (given,) if given else ()}


def _reranked(attributes: Mapping[str, Any], which: str) -> DocList | None:
    """A list of a reranker; extensions write its key in several ways (`gen_ai.rerank.output_documents`)."""
    keys = (
        key for key in attributes if key.startswith("gen_ai.rerank.") and which in key and key.endswith("documents")
    )
    return next((found for key in keys if (found := list_from(attributes[key])) is not None), None)


def _of_gaps(value: object) -> DocList | None:
    """A list in which some rows say neither id nor text: they keep their ranks. Both may be absent."""
    rows = load(value)
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        return None
    return whole([read_document(row) or Doc() for row in rows])


def _notes(span: Span) -> dict[str, Any]:
    if span.scope != DROPS_INNER:
        return {}
    return {"inner retrievers": "not recorded: this instrumentation keeps only the outermost of nested retrievers"}


def _prompt(attributes: Mapping[str, Any]) -> tuple[Message, ...] | None:
    """System instructions and messages; of the older flattened keys, else of the one text before them."""
    system = load(attributes.get("gen_ai.system_instructions"))
    parts = system if isinstance(system, list) else [system]
    texts = [part.get("content", part.get("text")) if isinstance(part, dict) else part for part in parts]
    first = tuple(Message(role="system", text=text) for text in texts if isinstance(text, str) and text)
    rest = messages_in(attributes.get("gen_ai.input.messages"))
    if rest is None:
        rows = numbered(attributes, "gen_ai.prompt") or numbered(attributes, "llm.prompts")
        flat = [{"role": row.get("role") or "user", "content": row.get("content")} for row in rows.values()]
        rest = messages_in(flat) or prompt_from(attributes.get("gen_ai.prompt"))
    return (*first, *(rest or ())) or None


def _said(attributes: Mapping[str, Any]) -> str | None:
    messages = messages_in(attributes.get("gen_ai.output.messages"))
    if messages:
        return messages[-1].text or None
    rows = numbered(attributes, "gen_ai.completion") or numbered(attributes, "llm.completions")
    texts = [text for row in rows.values() if (text := as_text(row.get("content")))]
    return texts[-1] if texts else answer_in(attributes.get("gen_ai.completion"))
