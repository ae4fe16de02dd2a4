"""Langfuse's SDK: a type on every observation, its input and output in the app's own shapes."""

from __future__ import annotations

from typing import Final

from ...model import Span
from .facts import Facts
from .failures import NO_WORDS
from .table import Field, Table, as_is, read_table
from .values import as_text
from .work import work_facts

KIND: Final = "langfuse.observation.type"
FIELDS: Final[Table] = (
    Field("given_value", ("langfuse.observation.input", "langfuse.trace.input"), as_is),
    Field("made_value", ("langfuse.observation.output", "langfuse.trace.output"), as_is),
    Field("asked_value", ("langfuse.trace.input",), as_is),
    Field("answered_value", ("langfuse.trace.output",), as_is),
    Field("environment", ("langfuse.environment",)),
    Field("app_version", ("langfuse.release",)),
    Field("model", ("langfuse.observation.model.name", "langfuse.observation.model")),
    Field("session", ("session.id", "langfuse.session.id")),
    Field("user", ("user.id", "langfuse.user.id")),
    Field("error", ("langfuse.observation.status_message",)),
    Field(
        "app_root", ("langfuse.internal.is_app_root", "langfuse.internal.as_root"), lambda value: value is True or None
    ),
)
HINT: Final = "the observation has no output: return the documents from the observed function, or set output="


def read(span: Span) -> Facts | None:
    """A span with an observation's type, or with an observation's input or output (a plain span then)."""
    attributes = span.attributes
    word = as_text(attributes.get(KIND))
    if word is None and not any(key in attributes for key in (*FIELDS[0].keys, *FIELDS[1].keys)):
        return None
    found = read_table(FIELDS, attributes)
    if attributes.get("langfuse.observation.level") != "ERROR":
        found.pop("error", None)
    else:
        found.setdefault("error", NO_WORDS)
    return work_facts(word or "span", found, writer="langfuse", name=span.name, hint=HINT)
