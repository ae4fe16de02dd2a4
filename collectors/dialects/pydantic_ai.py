"""pydantic-ai and Logfire: an agent's whole conversation on its span; a search is a tool call."""

from __future__ import annotations

from typing import Final

from ...model import Span
from . import genai
from .facts import Facts, fill
from .table import Field, Table, as_is, read_table

MARKS: Final = ("pydantic_ai.all_messages", "all_messages_events", "final_result", "tool_arguments", "tool_response")
FIELDS: Final[Table] = (
    Field("given_value", ("pydantic_ai.all_messages", "all_messages_events", "tool_arguments"), as_is),
    Field("made_value", ("final_result", "tool_response"), as_is),
    Field("session", ("gen_ai.conversation.id",)),
)


def read(span: Span) -> Facts | None:
    """An agent's span, or a tool's in the older keys; what GenAI says of it fills the gaps."""
    if not any(key in span.attributes for key in MARKS):
        return None
    own = read_table(FIELDS, span.attributes)
    general = genai.read(span)
    if general is None:
        return Facts(writer="pydantic-ai", name=span.name, **own)
    return fill(general._replace(writer="pydantic-ai", **own), general)


def is_placeholder(span: Span) -> bool:
    """Logfire announces a span that has begun by another one; the finished span says all that it says."""
    return span.attributes.get("logfire.span_type") == "pending_span"
