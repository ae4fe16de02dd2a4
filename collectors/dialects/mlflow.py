"""MLflow's traces over OTLP: every value is JSON, plain texts too."""

from __future__ import annotations

from typing import Final

from ...model import Span
from .facts import Facts
from .json_text import load
from .table import Field, Table, as_is, read_table
from .values import as_text
from .work import work_facts

KIND: Final = "mlflow.spanType"
CHUNKS: Final = "mlflow.chunk.item."
CHUNK: Final = "mlflow.chunk.value"


def _loaded_text(value: object) -> str | None:
    return as_text(load(value))


FIELDS: Final[Table] = (
    Field("given_value", ("mlflow.spanInputs",), as_is),
    Field("made_value", ("mlflow.spanOutputs",), as_is),
    Field("model", ("mlflow.llm.model", "mlflow.chat.model"), _loaded_text),
    Field("session", ("session.id", "mlflow.trace.session"), _loaded_text),
    Field("user", ("user.id", "mlflow.trace.user"), _loaded_text),
)
HINT: Final = "the span has no outputs: return the documents from the traced function, or call span.set_outputs"


def _streamed(span: Span) -> str | None:
    """The text that came piece by piece; None where a piece is no text, or did not come."""
    pieces = [load(event.attributes.get(CHUNK)) for event in span.events if event.name.startswith(CHUNKS)]
    if not pieces or span.dropped_events or not all(isinstance(piece, str) for piece in pieces):
        return None
    return "".join(pieces)


def read(span: Span) -> Facts | None:
    """A span with MLflow's type."""
    word = _loaded_text(span.attributes.get(KIND))
    if word is None and "mlflow.spanInputs" not in span.attributes:
        return None
    found = read_table(FIELDS, span.attributes)
    if "made_value" not in found:
        found["made_value"] = _streamed(span)
    return work_facts(word or "UNKNOWN", found, writer="mlflow", name=span.name, hint=HINT)
