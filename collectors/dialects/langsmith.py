"""LangSmith's export over OpenTelemetry: its own kind counts, for it calls a retriever an embeddings operation."""

from __future__ import annotations

from typing import Final

from ...model import Span
from .facts import Facts
from .table import Field, Table, as_is, read_table
from .values import as_text
from .work import work_facts

KIND: Final = "langsmith.span.kind"
_METADATA: Final = "langsmith.metadata."
FIELDS: Final[Table] = (
    Field("name", ("langsmith.trace.name",)),
    Field("given_value", ("gen_ai.prompt",), as_is),
    Field("made_value", ("gen_ai.completion",), as_is),
    Field("model", ("gen_ai.response.model", "gen_ai.request.model", f"{_METADATA}ls_model_name")),
    Field("session", tuple(_METADATA + key for key in ("session_id", "conversation_id", "thread_id"))),
    Field("user", (f"{_METADATA}user_id",)),
)
"""`langsmith.trace.session_id` is the project, and no session of a user."""
HINT: Final = "the run has no outputs: return the documents from the traced function"


def read(span: Span) -> Facts | None:
    """A span with LangSmith's kind."""
    word = as_text(span.attributes.get(KIND))
    if word is None:
        return None
    found = read_table(FIELDS, span.attributes)
    return work_facts(word, found, writer="langsmith", name=span.name, hint=HINT)
