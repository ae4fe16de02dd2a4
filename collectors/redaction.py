"""Redaction of what others wrote: spans that the shim did not make, tickets, comments.

The shim has redacted its own spans where they were made. A function that fails hides the field.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..model import Complaint, Feedback, Span, SpanEvent, wire
from ..model.redaction import Redaction
from .imported_redaction import redact_imported
from .redacted_text import redact_text, redact_value


def redact_span(span: Span, functions: Sequence[Redaction]) -> Span:
    """The span with all its texts redacted; one of the shim as it is."""
    if not functions:
        return span
    if wire.IMPORTED in span.attributes:
        message = redact_text(span.status_message, functions)
        return span._replace(attributes=redact_imported(span.attributes, functions), status_message=message)
    if wire.VERSION in span.attributes:
        return span
    return span._replace(
        attributes=redact_value(span.attributes, functions),
        status_message=redact_text(span.status_message, functions),
        events=tuple(
            SpanEvent(event.name, event.time_ns, redact_value(event.attributes, functions)) for event in span.events
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


__all__ = ["redact_complaint", "redact_feedback", "redact_span", "redact_text"]
