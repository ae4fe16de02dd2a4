"""Redaction of what others wrote: spans that the shim did not make, tickets, comments.

The shim has redacted its own spans where they were made. A function that fails hides the field.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..model import Complaint, CorpusManifest, Feedback, Span, SpanEvent, wire
from ..model.redaction import Redaction
from .imported_redaction import redact_imported
from .redacted_text import redact_text, redact_value

_IDENTITY = frozenset({wire.APP, wire.APP_VERSION, wire.ENVIRONMENT})
"""Names of the app: by them requests are told apart."""


def redact_span(span: Span, functions: Sequence[Redaction]) -> Span:
    """The span with all its texts redacted; one of the shim as it is."""
    if not functions:
        return span
    if wire.IMPORTED in span.attributes:
        message = redact_text(span.status_message, functions)
        return span._replace(attributes=redact_imported(span.attributes, functions), status_message=message)
    if wire.VERSION in span.attributes:
        return span
    resource = {
        key: value if key in _IDENTITY else redact_value(value, functions) for key, value in span.resource.items()
    }
    return span._replace(
        name=redact_text(span.name, functions),
        # Spans of one message share their resource: it stays one where nothing is hidden.
        resource=span.resource if resource == span.resource else resource,
        attributes=redact_value(span.attributes, functions),
        status_message=redact_text(span.status_message, functions),
        events=tuple(
            SpanEvent(redact_text(event.name, functions), event.time_ns, redact_value(event.attributes, functions))
            for event in span.events
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


def redact_corpus(manifest: CorpusManifest, functions: Sequence[Redaction]) -> CorpusManifest:
    """The manifest with texts and metadata of its chunks redacted, as those of the lists are: the two are compared."""
    if not functions:
        return manifest
    chunks = []
    for chunk in manifest.chunks:
        texts = {name: getattr(chunk, name) for name in ("text", "searchable_text", "section_path")}
        update = {name: redact_text(text, functions) for name, text in texts.items() if text is not None}
        chunks.append(chunk.model_copy(update={**update, "metadata": redact_value(chunk.metadata, functions)}))
    return manifest.model_copy(update={"chunks": tuple(chunks)})


def redact_feedback(feedback: Feedback, functions: Sequence[Redaction]) -> Feedback:
    """The feedback with its comment redacted."""
    if feedback.comment is None:
        return feedback
    return feedback.model_copy(update={"comment": redact_text(feedback.comment, functions)})


__all__ = ["redact_complaint", "redact_corpus", "redact_feedback", "redact_span", "redact_text"]
