"""Redaction of what others wrote: spans that the shim did not make, tickets, comments.

The shim has redacted its own spans where they were made. A function that fails hides the field.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..model import Complaint, Feedback, Span, SpanEvent, wire
from ..model.redaction import HIDDEN_TEXT, Redaction


def redact_text(text: str, functions: Sequence[Redaction]) -> str:
    """`text` after every function in order; HIDDEN_TEXT where one fails or gives no text."""
    for function in functions:
        try:
            text = function(text)
        except Exception:  # noqa: BLE001 - the user's own function, and the text must not leak by its error
            return HIDDEN_TEXT
        if not isinstance(text, str):
            return HIDDEN_TEXT
    return text


def redact_span(span: Span, functions: Sequence[Redaction]) -> Span:
    """The span with all its texts redacted; one of the shim as it is."""
    if not functions or wire.VERSION in span.attributes:
        return span
    return span._replace(
        attributes=_redact(span.attributes, functions),
        status_message=redact_text(span.status_message, functions),
        events=tuple(
            SpanEvent(event.name, event.time_ns, _redact(event.attributes, functions)) for event in span.events
        ),
    )


def redact_complaint(complaint: Complaint, functions: Sequence[Redaction]) -> Complaint:
    """The complaint with everything redacted that a person wrote: its text, its user, notes and reasons."""
    if not functions:
        return complaint
    closing = complaint.closing
    return complaint.model_copy(
        update={
            "text": redact_text(complaint.text, functions),
            "who": None if complaint.who is None else redact_text(complaint.who, functions),
            "notes": tuple(
                note.model_copy(update={"text": redact_text(note.text, functions)}) for note in complaint.notes
            ),
            "closing": closing
            if closing is None or closing.reason is None
            else closing.model_copy(update={"reason": redact_text(closing.reason, functions)}),
        }
    )


def redact_feedback(feedback: Feedback, functions: Sequence[Redaction]) -> Feedback:
    """The feedback with its comment redacted."""
    if feedback.comment is None:
        return feedback
    return feedback.model_copy(update={"comment": redact_text(feedback.comment, functions)})


def _redact(value: Any, functions: Sequence[Redaction]) -> Any:  # noqa: ANN401 - whatever an attribute holds
    if isinstance(value, str):
        return redact_text(value, functions)
    if isinstance(value, list):
        return [_redact(item, functions) for item in value]
    if isinstance(value, dict):
        return {key: _redact(item, functions) for key, item in value.items()}
    return value
