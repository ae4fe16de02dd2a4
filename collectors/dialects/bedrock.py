"""Bedrock's calls as OpenInference's instrumentor sends them: what stands in their arguments, and what a list is not.

RetrieveAndGenerate sends the passages that the answer cites, under the keys of a retriever's documents. Retrieve sends
no key at all where nothing was found. A document's metadata are wrapped together with the place where it lies.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from ...model import Completeness, IdSource, Span, StageKind
from .documents import describe
from .facts import REDACTED, Doc, DocList, Facts
from .json_text import load
from .lists import flattened, whole
from .messages import prompt_from
from .talk import answer_in, query_in
from .values import as_count, as_id, as_text

CITED: Final = (
    "RetrieveAndGenerate sends only the passages that the answer cites, in the order of the answer: what else was "
    "found, at which rank, is not known; call Retrieve and a model one after the other"
)
_PARAMETERS: Final = "llm.invocation_parameters"
_DOCUMENTS: Final = "retrieval.documents"
_MESSAGES: Final = ("llm.input_messages.", "llm.output_messages.")
_OK: Final = 1
_EMBEDS: Final = re.compile(r"embed", re.IGNORECASE)
_WRAPPED: Final = frozenset({"location", "metadata", "type"})
_SEARCHES: Final = ("vectorSearchConfiguration", "managedSearchConfiguration")
_TEXTS: Final = ("inputText", "texts")
"""Where the text is in the body of a call of a model that takes no messages."""


class _Asked(NamedTuple):
    """What a search of a knowledge base was asked for."""

    searched: str | None = None
    """The id of the knowledge base."""
    top_k: int | None = None
    filters: Any = None
    session: str | None = None


def refine(facts: Facts, span: Span) -> Facts:
    """What OpenInference's keys say of a span, with what Bedrock's own arguments add; of other spans as it is."""
    if not _is_bedrock(span):
        return facts
    if facts.kind is StageKind.RETRIEVE:
        return _refine_search(facts, span)
    if facts.kind is StageKind.GENERATE:
        return _refine_call(facts, span)
    if facts.kind is StageKind.EMBED:
        return facts._replace(query=facts.query or _text_given(span))
    return facts


def _is_bedrock(span: Span) -> bool:
    """By its name or its scope, which some exports leave out; an agent's look-up names its knowledge base."""
    if span.name.startswith("bedrock.") or (span.scope or "").endswith(".bedrock"):
        return True
    return "knowledge_base_id" in _dict(span.attributes.get("metadata"))


def _refine_search(facts: Facts, span: Span) -> Facts:
    said = {name: value for name, value in _asked_in(span.attributes)._asdict().items() if value is not None}
    facts = facts._replace(**said)
    if _answers_too(span):
        documents = _cited(_unwrapped(flattened(span, _DOCUMENTS)))
        return facts._replace(documents=documents, text=answer_in(span.attributes.get("output.value")))
    if facts.documents is None and _found_nothing(span):
        return facts._replace(documents=whole(()))
    return facts._replace(documents=_unwrapped(facts.documents))


def _refine_call(facts: Facts, span: Span) -> Facts:
    """A model's call; one that embeds is called like any other."""
    if _embeds(span.attributes):
        query = facts.query or query_in(facts.given_value) or _text_given(span)
        return facts._replace(kind=StageKind.EMBED, query=query, prompt=None, prompt_cut="", text=None)
    return facts if facts.prompt else facts._replace(prompt=prompt_from(_text_given(span)))


def _asked_in(attributes: Mapping[str, Any]) -> _Asked:
    """The arguments of Retrieve and RetrieveAndGenerate, and of the look-up of an agent; empty of anything else."""
    said = _dict(attributes.get(_PARAMETERS)) or _dict(attributes.get("metadata"))
    both = _dict(said.get("retrieveAndGenerateConfiguration"))
    base = _dict(both.get("knowledgeBaseConfiguration")) if both else said
    name = as_text(base.get("knowledgeBaseId") or base.get("knowledge_base_id"))
    if name is None:
        return _Asked(session=as_text(said.get("sessionId")) if both else None)
    how = _dict(base.get("retrievalConfiguration") or base.get("retrieval_configuration"))
    search = next((_dict(how[key]) for key in _SEARCHES if key in how), {})
    return _Asked(name, as_count(search.get("numberOfResults")), search.get("filter"), as_text(said.get("sessionId")))


def _answers_too(span: Span) -> bool:
    """Whether a retriever's span is a RetrieveAndGenerate, whose output is the answer."""
    return "retrieveAndGenerateConfiguration" in _dict(span.attributes.get(_PARAMETERS))


def _cited(found: DocList | None) -> DocList:
    """The passages that an answer cites, each once."""
    once: dict[tuple[str | None, str | None], Doc] = {}
    for doc in (found.docs if found is not None else None) or ():
        once.setdefault((doc.chunk_id, doc.text), doc)
    docs = tuple(once.values())
    if not docs:
        return DocList(None, completeness=Completeness.NOT_RECORDED, reason=CITED)
    return DocList(docs, completeness=Completeness.TRUNCATED, reason=CITED)


def _found_nothing(span: Span) -> bool:
    """Whether a Retrieve that ended well found nothing: of each passage it sends something, hidden or not."""
    well = span.status == _OK and not span.dropped_attributes
    return well and span.name == "bedrock.retrieve" and "knowledgeBaseId" in _dict(span.attributes.get(_PARAMETERS))


def _embeds(attributes: Mapping[str, Any]) -> bool:
    """Whether a call of a model embeds a text: its model is called so, and nothing was said."""
    model = as_text(attributes.get("llm.model_name")) or ""
    if _EMBEDS.search(model) is None or "output.value" in attributes:
        return False
    return not any(key.startswith(_MESSAGES) for key in attributes)


def _text_given(span: Span) -> str | None:
    """The text that a model without messages was given by InvokeModel; of several the first. None of other calls."""
    if not span.name.startswith("bedrock.invoke_model"):
        return None
    given = span.attributes.get("input.value")
    if isinstance(given, str) and given and isinstance(load(given), str):
        return None if given == REDACTED else given
    for body in map(_dict, (span.attributes.get(_PARAMETERS), given)):
        for key in _TEXTS:
            value = body.get(key)
            text = as_text(value[0] if isinstance(value, list) and value else value)
            if text:
                return text
    return None


def _unwrapped(found: DocList | None) -> DocList | None:
    """The passages with their own metadata and the document that each is from."""
    return found if found is None or not found.docs else found._replace(docs=tuple(map(_unwrap, found.docs)))


def _unwrap(doc: Doc) -> Doc:
    inner, location = doc.metadata.get("metadata"), doc.metadata.get("location")
    if doc.metadata.keys() != _WRAPPED or not isinstance(inner, dict):
        return doc
    places = [place for place in location.values() if isinstance(place, dict)] if isinstance(location, dict) else []
    said = [place.get(key) for place in places for key in ("uri", "url", "id")]
    where = next(filter(None, map(as_id, (*said, inner.get("x-amz-bedrock-kb-source-uri")))), None)
    own = describe(inner)
    doc = doc._replace(doc_id=where or own.doc_id, metadata=own.values, parent_id=own.parent_id)
    if own.chunk_id is None:
        return doc
    return doc._replace(chunk_id=own.chunk_id, id_source=IdSource.METADATA.value)


def _dict(value: object) -> Mapping[str, Any]:
    loaded = load(value)
    return loaded if isinstance(loaded, dict) else {}
