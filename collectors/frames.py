"""What is inside a frame of the spool: spans, or one message of a declared model."""

from __future__ import annotations

from typing import NamedTuple

from pydantic import ValidationError

from ..model import BadInput, Complaint, CorpusManifest, Drops, Feedback, FrameKind, Span
from .otlp import decode_traces
from .otlp_logs import decode_logs

Message = Feedback | Complaint | CorpusManifest | Drops

_MESSAGES: dict[int, type[Feedback | Complaint | CorpusManifest | Drops]] = {
    FrameKind.FEEDBACK: Feedback,
    FrameKind.COMPLAINT: Complaint,
    FrameKind.CORPUS: CorpusManifest,
    FrameKind.DROPS: Drops,
}


class Content(NamedTuple):
    """What one frame holds."""

    spans: tuple[Span, ...] = ()
    message: Message | None = None


def decode_frame(kind: int, payload: bytes) -> Content:
    """The content of a frame; a header has none. Raises BadInput, whose text never holds the payload."""
    if kind == FrameKind.HEADER:
        return Content()
    if kind == FrameKind.TRACES:
        return Content(spans=decode_traces(payload))
    if kind == FrameKind.LOGS:
        return Content(spans=decode_logs(payload))
    model = _MESSAGES.get(kind)
    if model is None:
        raise BadInput(f"A frame of kind {_name(kind)} is not read by this version of goldrank: update it.")
    try:
        return Content(message=model.model_validate_json(payload))
    except ValidationError as error:
        raise BadInput(f"A {_name(kind)} frame of {len(payload):,} bytes is not readable: {_where(error)}.") from None


def _name(kind: int) -> str:
    try:
        return FrameKind(kind).name.lower()
    except ValueError:
        return str(kind)


def _where(error: ValidationError) -> str:
    """What is wrong at which place, without the value."""
    first = error.errors(include_input=False, include_url=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"{place}: {first['msg']}" if place else str(first["msg"])
