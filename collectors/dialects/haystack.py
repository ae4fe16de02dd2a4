"""Haystack's own tracer: the class of a component says what it does; documents are flat dicts."""

from __future__ import annotations

import re
from typing import Any, Final

from ...model import Span, StageKind
from .facts import Facts
from .json_text import load
from .lists import list_from
from .table import Field, Table, as_is, read_table
from .values import as_text
from .work import given_lists, work_facts

TYPE: Final = "haystack.component.type"
FIELDS: Final[Table] = (
    Field("name", ("haystack.component.name",)),
    Field("given_value", ("haystack.component.input", "haystack.pipeline.input_data"), as_is),
    Field("made_value", ("haystack.component.output", "haystack.pipeline.output_data"), as_is),
)
TYPES: Final = (
    (re.compile(r"Retriever\Z|WebSearch|Search(er)?\Z"), "retriever"),
    (re.compile(r"(Ranker|Reranker)\Z"), "reranker"),
    (re.compile(r"Joiner\Z"), "joiner"),
    (re.compile(r"PromptBuilder\Z"), "prompt"),
    (re.compile(r"Generator\Z|\AAgent\Z"), "llm"),
    (re.compile(r"Embedder\Z"), "embedding"),
    (re.compile(r"(Tool)(Invoker)?\Z"), "tool"),
)
"""What the class of a component is called, and what it does; the first that fits counts."""
PREPARES: Final = re.compile(r"Writer\Z|Splitter\Z|Cleaner\Z|Converter\Z|ToDocument\Z")
"""Components that fill an index; beside a search they are steps like others."""
HINT: Final = "content capture is off; set HAYSTACK_CONTENT_TRACING_ENABLED=true"


def read(span: Span) -> Facts | None:
    """A component's span, or a pipeline's."""
    attributes = span.attributes
    kind = as_text(attributes.get(TYPE))
    if kind is None and not span.name.startswith("haystack."):
        return None
    word = next((word for pattern, word in TYPES if kind is not None and pattern.search(kind)), "")
    found = read_table(FIELDS, attributes)
    if word == "llm":
        found["model"] = _model_in(found.get("made_value"))
    facts = work_facts(word, found, writer="haystack", name=kind or span.name, hint=HINT)
    if word != "joiner":
        return facts._replace(setup=kind is not None and PREPARES.search(kind) is not None)
    documents, given = list_from(facts.made_value), given_lists(facts.given_value)
    return facts._replace(kind=StageKind.FUSE, documents=documents, given=given)


def _model_in(made: object) -> str | None:
    """The model that a generator names beside its replies, or inside the first of them."""
    value = load(made)
    if not isinstance(value, dict):
        return None
    return _first_model(value.get("meta")) or _first_model(value.get("replies"))


def _first_model(rows: Any) -> str | None:  # noqa: ANN401 - parsed JSON
    row = rows[0] if isinstance(rows, list) and rows else None
    said = (row.get("model"), (row.get("meta") or row.get("_meta") or {})) if isinstance(row, dict) else (None, {})
    return as_text(said[0] or (said[1].get("model") if isinstance(said[1], dict) else None))
