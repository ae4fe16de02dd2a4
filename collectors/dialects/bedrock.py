"""Bedrock's calls as OpenInference's instrumentor sends them: what stands in their arguments, and what a list is not.

RetrieveAndGenerate sends the passages that the answer cites, under the keys of a retriever's documents. Retrieve sends
no key at all where nothing was found. A document's metadata are wrapped together with the place where it lies.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from ...model import Completeness, Span
from .facts import REDACTED, Doc, DocList
from .json_text import load
from .values import as_count, as_id, as_text

CITED: Final = (
    "RetrieveAndGenerate sends only the passages that the answer cites, in the order of the answer: what else was "
    "found, at which rank, is not known; call Retrieve and a model one after the other"
)
_PARAMETERS: Final = "llm.invocation_parameters"
_OK: Final = 1
_EMBEDS: Final = re.compile(r"embed", re.IGNORECASE)
_WRAPPED: Final = frozenset({"location", "metadata", "type"})
_SEARCHES: Final = ("vectorSearchConfiguration", "managedSearchConfiguration")
_TEXTS: Final = ("inputText", "texts")
"""Where the text is in the body of a call of a model that takes no messages."""


class Asked(NamedTuple):
    """What a search of a knowledge base was asked for."""

    searched: str | None = None
    """The id of the knowledge base."""
    top_k: int | None = None
    filters: Any = None
    session: str | None = None


def asked_in(attributes: Mapping[str, Any]) -> Asked:
    """The arguments of Retrieve and RetrieveAndGenerate, and of the look-up of an agent; empty of anything else."""
    said = _dict(attributes.get(_PARAMETERS)) or _dict(attributes.get("metadata"))
    both = _dict(said.get("retrieveAndGenerateConfiguration"))
    base = _dict(both.get("knowledgeBaseConfiguration")) if both else said
    name = as_text(base.get("knowledgeBaseId") or base.get("knowledge_base_id"))
    if name is None:
        return Asked(session=as_text(said.get("sessionId")) if both else None)
    how = _dict(base.get("retrievalConfiguration") or base.get("retrieval_configuration"))
    search = next((_dict(how[key]) for key in _SEARCHES if key in how), {})
    return Asked(name, as_count(search.get("numberOfResults")), search.get("filter"), as_text(said.get("sessionId")))


def answers_too(span: Span) -> bool:
    """Whether a retriever's span is a RetrieveAndGenerate, whose output is the answer."""
    return "retrieveAndGenerateConfiguration" in _dict(span.attributes.get(_PARAMETERS))


def cited(found: DocList | None) -> DocList:
    """The passages that an answer cites, each once."""
    once: dict[tuple[str | None, str | None], Doc] = {}
    for doc in (found.docs if found is not None else None) or ():
        once.setdefault((doc.chunk_id, doc.text), doc)
    docs = tuple(once.values())
    if not docs:
        return DocList(None, completeness=Completeness.NOT_RECORDED, reason=CITED)
    return DocList(docs, completeness=Completeness.TRUNCATED, reason=CITED)


def found_nothing(span: Span) -> bool:
    """Whether a Retrieve that ended well found nothing: of each passage it sends something, hidden or not."""
    whole = span.status == _OK and not span.dropped_attributes
    return whole and span.name == "bedrock.retrieve" and "knowledgeBaseId" in _dict(span.attributes.get(_PARAMETERS))


def embeds(attributes: Mapping[str, Any]) -> bool:
    """Whether a call of a model, by its body alone, embeds a text: its model is called so, and nothing was said."""
    model = as_text(attributes.get("llm.model_name")) or ""
    return _EMBEDS.search(model) is not None and "output.value" not in attributes


def text_given(span: Span) -> str | None:
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


def unwrap(metadata: Mapping[str, Any]) -> tuple[Mapping[str, Any], str | None]:
    """The metadata of a passage and the document it is from; metadata of others as they are, without one."""
    inner = metadata.get("metadata")
    if metadata.keys() != _WRAPPED or not isinstance(inner, dict):
        return metadata, None
    location = metadata.get("location")
    places = [place for place in location.values() if isinstance(place, dict)] if isinstance(location, dict) else []
    said = [place.get(key) for place in places for key in ("uri", "url", "id")]
    return inner, next(filter(None, map(as_id, (*said, inner.get("x-amz-bedrock-kb-source-uri")))), None)


def _dict(value: object) -> Mapping[str, Any]:
    loaded = load(value)
    return loaded if isinstance(loaded, dict) else {}
