"""pydantic-ai and Logfire: an agent's whole conversation on its span; a search is a tool call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ...model import Span
from . import genai
from .facts import Facts, fill
from .json_text import load
from .messages import messages_in
from .table import Field, Table, as_is, read_table
from .talk import answer_in
from .values import as_count, as_text

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
    result = as_text(own.get("made_value"))
    if "final_result" in span.attributes and result and answer_in(result) is None:
        own["text"] = result  # an object of the app's own: it is the answer as it is
    if "pydantic_ai.all_messages" in span.attributes and "given_value" in own:
        own["given_value"] = _up_to_the_reply(own["given_value"], span.attributes)
    general = genai.read(span)
    if general is None:
        return Facts(writer="pydantic-ai", name=span.name, **own)
    return fill(general._replace(writer="pydantic-ai", **own), general)


def _up_to_the_reply(value: object, attributes: Mapping[str, Any]) -> object:
    """The messages up to the first reply of this run: what follows is the model's own loop, where a text of the user's
    role is no question. Of a message with several parts the last text is what the user said.

    A run that was given an earlier conversation says at which of its messages it begins; a writer that names the
    conversation would say so. Older ones say neither: there the last thing that was said is the question.
    """
    rows = load(value)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        return value
    begins = as_count(attributes.get("pydantic_ai.new_message_index"))
    if begins is None and "gen_ai.conversation.id" in attributes:
        begins = 0
    end = len(rows)
    if begins is not None and begins < len(rows):
        start = _place_of(begins, rows)
        end = next((n for n in range(start, len(rows)) if rows[n].get("role") == "assistant"), len(rows))
    kept = rows[:end]
    asked = next((n for n in range(len(kept) - 1, -1, -1) if _said_by_user(kept[n])), None)
    if asked is None:
        return value
    parts = kept[asked].get("parts")
    texts = [part for part in parts if _is_text(part)] if isinstance(parts, list) else []
    return [*kept[:asked], {"role": "user", "parts": texts[-1:]} if texts else kept[asked]]


def _is_text(part: object) -> bool:
    return isinstance(part, dict) and part.get("type") == "text"


def _place_of(number: int, rows: Sequence[Mapping[str, Any]]) -> int:
    """Where a message of the run's own count begins among those written down: system and user were one."""
    count = -1
    for place, row in enumerate(rows):
        follows = place > 0 and rows[place - 1].get("role") == "system" and row.get("role") == "user"
        count += not follows
        if count == number:
            return place
    return 0


def _said_by_user(row: Mapping[str, Any]) -> bool:
    found = messages_in([row])
    return bool(found) and found is not None and found[0].role == "user" and bool(found[0].text)


def is_placeholder(span: Span) -> bool:
    """Logfire announces a span that has begun by another one; the finished span says all that it says."""
    return span.attributes.get("logfire.span_type") == "pending_span"
